"""The record of a corruption: a name, a description and a pure function."""

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
    """One kind of corruption.

    name: Its name.
    needs_depth: Whether it needs a depth map.
    about: What it does, in one sentence.
    apply: Takes picture, depth, severity and seed; returns a new picture of the same shape.
    """

    name: str
    needs_depth: bool
    about: str
    apply: Callable[[Picture, Depth | None, int, int], Picture]


def of_picture(name: str, about: str, function: Callable[[Picture, int, int], Picture]) -> Corruption:
    """A corruption that needs no depth: `function(picture, severity, seed)`."""
    return Corruption(name, False, about, lambda picture, depth, severity, seed: function(picture, severity, seed))


def of_scene(name: str, about: str, function: Callable[[Picture, Depth, int, int], Picture]) -> Corruption:
    """A corruption that needs depth: `function(picture, depth, severity, seed)`."""

    def apply(picture: Picture, depth: Depth | None, severity: int, seed: int) -> Picture:
        if depth is None:
            raise DataError(f"corruption {name!r} needs a depth map; give one, or choose a corruption without depth")
        return function(picture, depth, severity, seed)

    return Corruption(name, True, about, apply)


def step(steps: tuple[float, ...], severity: int) -> float:
    """The strength at a severity of 1 to 5."""
    return steps[severity - 1]


def shorter_side(picture: Picture) -> int:
    """The shorter side in pixels. Lengths are relative to it, since models resize it to their input size."""
    return int(min(picture.shape[:2]))


def stream(seed: int, name: str, severity: int) -> np.random.Generator:
    """The random numbers for this seed, corruption and severity; independent of all others."""
    return np.random.default_rng((seed, severity, *name.encode()))
