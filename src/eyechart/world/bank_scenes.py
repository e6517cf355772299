"""Scenes of a bank: a large object and small ones in a row on a plain ground, as in ComCO (Abbasi et al., "CLIP Under
the Microscope", CVPR 2025)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.datasets.world_dataset import Streams
from eyechart.world.design import Row, balanced_rows
from eyechart.world.folder_bank import FolderBank
from eyechart.world.scene import BACKGROUNDS, Scene, Thing
from eyechart.world.sprites import LIGHTS

# Lengths are in sides of the picture.
_MARGIN, _GAP = 0.03, 0.015  # margin to the border and between boxes
_TALLEST = 0.75
_SCATTER = 0.07  # vertical jitter of the base
_DESCENT = 0.5  # from the first base to the last one in a diagonal
LAYOUTS = ("row", "diagonal")
_UNEVEN = 0.28  # areas of small objects vary by up to this share, as in ComCO
_ALONE = 0.7  # the longer side of a single object
_MOST = 100  # objects per scene


@dataclass(frozen=True)
class Staging:
    """The layout of scenes. The large object covers the share `large` of the picture, `ratio` times the mean of small ones.

    Objects stand in a row, or in a diagonal from the back on the left to the front on the right."""

    objects: tuple[int, ...] = (2, 3, 4, 5)
    large: float = 0.07
    ratio: float = 10.0
    background: str = "plain"
    gray: int = 178
    light: str = "left"
    layout: str = "row"

    def __post_init__(self) -> None:
        if not self.objects or min(self.objects) < 2:
            raise UsageError("a scene has two or more objects; for pictures of one, use --single")
        if max(self.objects) > _MOST:
            raise UsageError(f"a scene of {max(self.objects)} objects; choose {_MOST} or fewer")
        if not 0 < self.large <= 0.5:
            raise UsageError(f"the large object cannot cover {self.large:g} of the picture; choose a share from 0 to 0.5")
        if not 1.5 <= self.ratio <= 1000:
            raise UsageError(f"ratio is {self.ratio:g}; choose a number from 1.5 (hardly larger) to 1000")
        if not 0 <= self.gray <= 255:
            raise UsageError(f"gray is {self.gray}; choose a number from 0 (black) to 255 (white)")
        choices = ((self.background, BACKGROUNDS, "background"), (self.light, LIGHTS, "light"), (self.layout, LAYOUTS, "layout"))
        for word, known, what in choices:
            if word not in known:
                raise UsageError(f"there is no {what} called {word!r}{did_you_mean(word, known)}; choose from {', '.join(known)}")

    def areas(self, objects: int) -> list[float]:
        """Areas by size rank, as shares of the picture."""
        uneven = np.linspace(_UNEVEN, -_UNEVEN, objects - 1) if objects > 2 else np.zeros(1)
        # Neighboring ranks stay distinct at any ratio.
        uneven *= min(1.0, (self.ratio - 1) / 4)
        return [self.large, *(self.large / self.ratio * (1 + float(share)) for share in uneven)]

    def set(self, things: tuple[Thing, ...], grain: int) -> Scene:
        tone = float(self.gray), float(self.gray), float(self.gray)
        return Scene(things, self.background, tone, self.light, grain=grain, noise=0.0)


def rows_of_objects(bank: FolderBank, staging: Staging, streams: Streams) -> Iterator[tuple[Row, Scene]]:
    """An endless sequence of scenes; scene i does not depend on how many follow. Scenes of n objects come n at a time, so that
    the design is balanced over `block` scenes."""
    most = max(staging.objects)
    names = len(bank.names)
    if most > names:
        fewer = f"use --objects 2-{names}" if names > 2 else "use --objects 2" if names == 2 else "say --single"
        raise UsageError(f"scenes of {most} objects need as many names, and the bank has {names}; add pictures, or {fewer}")
    designs = {n: balanced_rows(names, n, streams.change(n)) for n in staging.objects}
    for number, objects in enumerate(cycle(n for n in staging.objects for _ in range(n))):
        row, rng = next(designs[objects]), streams.picture(number)
        areas = staging.areas(objects)
        cards = [_card(bank, name, areas[rank], rng) for name, rank in zip(row.names, row.ranks, strict=True)]
        yield row, staging.set(_stood(cards, rng, staging.layout), int(rng.integers(2**31)))


def block(bank: FolderBank, staging: Staging) -> int:
    """Over this many scenes, every object has every position and size rank equally often, for each number of objects."""
    return len(bank.names) * sum(staging.objects)


def single_objects(bank: FolderBank, staging: Staging, streams: Streams) -> Iterator[Scene]:
    """One scene for each name: the object alone in the middle."""
    for name in range(len(bank.names)):
        rng = streams.picture(name)
        card = _card(bank, name, staging.large, rng)
        card = replace(card, size=_ALONE * card.size / max(_width(card), _height(card)))
        yield staging.set((replace(card, x=0.5, y=0.5),), int(rng.integers(2**31)))


def _card(bank: FolderBank, name: int, area: float, rng: np.random.Generator) -> Thing:
    variants = bank.variants(bank.names[name])
    return bank.card(variants[int(rng.integers(len(variants)))], area)


def _stood(cards: Sequence[Thing], rng: np.random.Generator, layout: str) -> tuple[Thing, ...]:
    """Side by side without occlusion. Where they do not fit, all are scaled down together, so that ratios hold."""
    n = len(cards)
    room = 1 - 2 * _MARGIN - (n - 1) * _GAP
    fit = min(1.0, room / sum(map(_width, cards)), _TALLEST / max(map(_height, cards)))
    cards = [replace(card, size=card.size * fit) for card in cards]
    gaps = _GAP + rng.dirichlet(np.full(n + 1, 2.0)) * (room - sum(map(_width, cards)))
    base = 0.5 + max(map(_height, cards)) / 2
    stood, left = [], _MARGIN + gaps[0] - _GAP
    descent = np.linspace(-_DESCENT / 2, _DESCENT / 2, n) if layout == "diagonal" else np.zeros(n)
    for card, gap, down in zip(cards, gaps[1:], descent, strict=True):
        foot = np.clip(base + down + rng.uniform(-_SCATTER, _SCATTER), _MARGIN + _height(card), 1 - _MARGIN)
        stood.append(replace(card, x=float(left) + _width(card) / 2, y=float(foot) - _height(card) / 2))
        left += _width(card) + gap
    return tuple(stood)


def _width(card: Thing) -> float:
    return float(card.size * card.stretch**0.5)


def _height(card: Thing) -> float:
    return float(card.size / card.stretch**0.5)
