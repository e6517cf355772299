"""What a corruption is: a name, a sentence and a pure function of picture, depth, severity and seed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError

Picture: TypeAlias = npt.NDArray[np.uint8]  # [h, w, 3], sRGB
Depth: TypeAlias = npt.NDArray[np.floating]  # [h, w], distance along the view axis, in any unit

SEVERITIES = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Corruption:
    """One way to spoil a picture. `apply(picture, depth, severity, seed)` gives a new picture of the same shape."""

    name: str
    needs_depth: bool
    about: str
    apply: Callable[[Picture, Depth | None, int, int], Picture]


def of_picture(name: str, about: str, spoil: Callable[[Picture, int, int], Picture]) -> Corruption:
    """A corruption that needs the picture alone: `spoil(picture, severity, seed)`."""
    return Corruption(name, False, about, lambda picture, depth, severity, seed: spoil(picture, severity, seed))


def of_scene(name: str, about: str, spoil: Callable[[Picture, Depth, int, int], Picture]) -> Corruption:
    """A corruption that needs to know how far away everything is: `spoil(picture, depth, severity, seed)`."""

    def apply(picture: Picture, depth: Depth | None, severity: int, seed: int) -> Picture:
        if depth is None:
            raise DataError(f"corruption {name!r} needs a depth map; give one, or choose a corruption without depth")
        return spoil(picture, depth, severity, seed)

    return Corruption(name, True, about, apply)


def step(steps: tuple[float, ...], severity: int) -> float:
    """The strength that belongs to a severity of 1 to 5."""
    return steps[severity - 1]


def shorter_side(picture: Picture) -> int:
    """In pixels. Lengths are given in shares of it, because it is what models resize to their own input size."""
    return int(min(picture.shape[:2]))


def stream(seed: int, name: str, severity: int) -> np.random.Generator:
    """The random numbers of one corruption at one severity: the same for the same three, unrelated for any others."""
    return np.random.default_rng((seed, severity, *name.encode()))
