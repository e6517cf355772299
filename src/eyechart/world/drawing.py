"""Random scenes: what training data shows, and how often."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.scene import BACKGROUNDS, Scene, Thing
from eyechart.world.solids import SOLIDS
from eyechart.world.sprites import LIGHTS

NAMES = tuple(SOLIDS)
YAWS = (-30.0, -15.0, 0.0, 15.0, 30.0)
SIZES = (0.22, 0.26, 0.31, 0.37, 0.44, 0.52, 0.62, 0.74)
LOOKS = ("studio", "poster")
# Unusual factors that a training picture may have; training data may leave some of them out.
UNUSUAL = ("pose", "darker", "brighter", "shape", "partial_view", "style")
_UNUSUAL_SHARE, _OFTEN_SHARE = 0.08, 0.5
# Background colors of the two looks: grays, or pale colors.
_TINT = {"studio": 8.0, "poster": 38.0}


@dataclass(frozen=True)
class Habits:
    """How scenes are drawn. `frequencies` weight the names; `unseen` lists unusual factors that never occur, `often` those of
    every second single object."""

    look: str = "studio"
    frequencies: tuple[float, ...] = (1.0,) * len(NAMES)
    unseen: tuple[str, ...] = ()
    often: tuple[str, ...] = ()

    def shares(self) -> npt.NDArray[np.float64]:
        weights = np.asarray(self.frequencies, dtype=np.float64)
        return np.asarray(weights / weights.sum())


def draw_single(rng: np.random.Generator, habits: Habits, sizes: Sequence[float] = SIZES[2:]) -> Scene:
    """One object, anywhere in the picture."""
    drawn = {u for u in UNUSUAL if rng.random() < (_OFTEN_SHARE if u in habits.often else _UNUSUAL_SHARE)}
    unusual = drawn - set(habits.unseen)
    size = float(rng.choice(sizes))
    stray = 0.5 if "partial_view" in unusual else max(0.0, 0.5 - 0.45 * size) * 0.95
    thing = _thing(rng, int(rng.choice(len(NAMES), p=habits.shares())), size, unusual)
    thing = _at(thing, 0.5 + rng.uniform(-stray, stray), 0.5 + rng.uniform(-stray, stray))
    return _scene(rng, (thing,), habits, unusual)


def draw_several(rng: np.random.Generator, habits: Habits, count: int) -> Scene:
    """One large object and smaller ones of different names, in a row with some jitter, without occlusion."""
    names = rng.choice(len(NAMES), size=count, replace=False, p=habits.shares())
    large, small = (SIZES[4:7], SIZES[0:3]) if count > 2 else (SIZES[4:7], SIZES[0:4])
    sizes = [float(rng.choice(large))] + [float(rng.choice(small)) for _ in range(count - 1)]
    unusual = {u for u in ("darker", "brighter") if rng.random() < _UNUSUAL_SHARE} - set(habits.unseen)
    order = rng.permutation(count)
    things = tuple(
        _at(_thing(rng, int(names[i]), sizes[i], set()), x, y)
        for i, (x, y) in zip(order, _row([sizes[int(i)] for i in order], rng), strict=True)
    )
    return _scene(rng, things, habits, unusual)


def _row(sizes: Sequence[float], rng: np.random.Generator) -> list[tuple[float, float]]:
    """Positions from left to right, with widths in proportion to the sizes."""
    widths = np.asarray(sizes) * 0.9
    squeeze = min(1.0, 0.98 / float(widths.sum()))
    gaps = rng.dirichlet(np.ones(len(sizes) + 1)) * max(0.0, 0.98 - float(widths.sum()) * squeeze)
    left = 0.01 + np.cumsum(np.concatenate([[0.0], widths[:-1] * squeeze])) + np.cumsum(gaps[:-1])
    across = left + widths * squeeze / 2
    up = [0.5 + rng.uniform(-1, 1) * max(0.0, 0.46 - 0.45 * s) for s in sizes]
    return [(float(x), float(y)) for x, y in zip(across, up, strict=True)]


def _thing(rng: np.random.Generator, name: int, size: float, unusual: set[str]) -> Thing:
    return Thing(
        name=NAMES[name],
        color=str(rng.choice(list(COLORS))),
        texture=str(rng.choice(list(TEXTURES))) if rng.random() < 0.75 else "plain",
        size=size,
        yaw=float(rng.choice(YAWS)),
        roll=float(rng.choice((90.0, 180.0, 270.0))) if "pose" in unusual else 0.0,
        stretch=float(rng.choice((0.6, 1.6))) if "shape" in unusual else 1.0,
    )


def _at(thing: Thing, x: float, y: float) -> Thing:
    return Thing(**{**vars(thing), "x": x, "y": y})


def _scene(rng: np.random.Generator, things: tuple[Thing, ...], habits: Habits, unusual: set[str]) -> Scene:
    tone = rng.uniform(140, 215) + rng.uniform(-1, 1, 3) * _TINT[habits.look]
    level = rng.uniform(0.9, 1.1)
    if "darker" in unusual:
        level = rng.uniform(0.35, 0.5)
    elif "brighter" in unusual:
        level = rng.uniform(1.4, 1.7)
    style = "flat" if habits.look == "poster" else "solid"
    if "style" in unusual:
        style = "flat" if style == "solid" else "solid"
    return Scene(
        things=things,
        background=str(rng.choice(BACKGROUNDS)),
        tone=(float(tone[0]), float(tone[1]), float(tone[2])),
        light=str(rng.choice(list(LIGHTS))),
        level=float(level),
        style=style,
        grain=int(rng.integers(2**31)),
    )
