"""Factors of a picture that bring other things into it: in front of the thing that the label names, or beside it."""

from dataclasses import replace

import numpy as np

from eyechart.world.datasets.ordinary import HUES
from eyechart.world.drawing import NAMES, SIZES, YAWS
from eyechart.world.scene import Scene, Thing
from eyechart.world.truth import visible_shares

_STAYS_VISIBLE = 0.6  # of a thing that something stands before
_TRIES = 40


def object_blocking(scene: Scene, rng: np.random.Generator) -> Scene:
    """A smaller thing of another shape stands in front of a part of it."""
    return _blocked(scene, _other(scene.things, 0.75 * scene.things[0].size, rng), rng)


def person_blocking(scene: Scene, rng: np.random.Generator) -> Scene:
    """A figure stands in front of a part of it."""
    figure = replace(_other(scene.things, 0.85 * scene.things[0].size, rng), name="walker")
    hat = str(rng.choice([hue for hue in HUES if hue != figure.color]))
    return _blocked(scene, replace(figure, paints=(("hat", hat), ("badge", "white"))), rng)


def multiple_objects(scene: Scene, rng: np.random.Generator) -> Scene:
    """Two small things of other shapes stand about, and nothing hides anything."""
    first = _other(scene.things, SIZES[0], rng)
    second = _other((*scene.things, first), SIZES[0], rng)
    tried = []
    for _ in range(_TRIES):
        places = rng.uniform(0.1, 0.9, (2, 2))
        others = (replace(t, x=float(x), y=float(y)) for t, (x, y) in zip((first, second), places, strict=True))
        things = (*scene.things, *others)
        tried.append(replace(scene, things=things))
        if min(visible_shares(tried[-1])) == 1.0:
            return tried[-1]
    return max(tried, key=lambda scene: min(visible_shares(scene)))


def _other(things: tuple[Thing, ...], size: float, rng: np.random.Generator) -> Thing:
    """Of another shape and another colour than those that are there."""
    name = str(rng.choice([name for name in NAMES if name not in {thing.name for thing in things}]))
    color = str(rng.choice([hue for hue in HUES if hue not in {thing.color for thing in things}]))
    return Thing(name, color, size=size, yaw=float(rng.choice(YAWS)))


def _blocked(scene: Scene, blocker: Thing, rng: np.random.Generator) -> Scene:
    """A little nearer than the thing and to one side, just so far that the wanted part of the thing stays visible."""
    thing = scene.things[0]
    aside = float(rng.choice((-1.0, 1.0))) * thing.size
    y = thing.foot(scene.camera) + 0.03 - blocker.rise(scene.camera)
    placed = [replace(blocker, x=thing.x + float(share) * aside, y=y) for share in np.linspace(0.0, 0.6, 13)]
    scenes = [replace(scene, things=(thing, other)) for other in placed]
    return min(scenes, key=lambda tried: abs(visible_shares(tried)[0] - _STAYS_VISIBLE))
