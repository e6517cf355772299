"""Factors that add other objects to a picture: in front of the labeled object, or next to it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eyechart.world.datasets.ordinary import HUES
from eyechart.world.drawing import NAMES, SIZES, YAWS
from eyechart.world.scene import Scene, Thing
from eyechart.world.truth import visible_shares

_STAYS_VISIBLE, _CLOSE_ENOUGH = 0.6, 0.15  # size of an object that is partly occluded
_SCREENS = ("cube", "sphere", "cylinder", "mug", "pentagon", "heart", "pot")  # broad enough to occlude
_TRIES = 40


def object_blocking(scene: Scene, rng: np.random.Generator) -> Scene:
    """A smaller object of another shape occludes a part of it."""
    return _blocked(scene, _other(scene.things, 0.8 * scene.things[0].size, rng, _SCREENS), rng)


def person_blocking(scene: Scene, rng: np.random.Generator) -> Scene:
    """A figure occludes a part of it."""
    figure = replace(_other(scene.things, 0.85 * scene.things[0].size, rng), name="walker")
    hat = str(rng.choice([hue for hue in HUES if hue != figure.color]))
    return _blocked(scene, replace(figure, paints=(("hat", hat), ("badge", "white"))), rng)


def multiple_objects(scene: Scene, rng: np.random.Generator) -> Scene:
    """Two small objects of other shapes, without occlusion."""
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


def _other(things: tuple[Thing, ...], size: float, rng: np.random.Generator, names: Sequence[str] = NAMES) -> Thing:
    """An object of another shape and color than the given ones."""
    name = str(rng.choice([name for name in names if name not in {thing.name for thing in things}]))
    color = str(rng.choice([hue for hue in HUES if hue not in {thing.color for thing in things}]))
    return Thing(name, color, size=size, yaw=float(rng.choice(YAWS)))


def _blocked(scene: Scene, blocker: Thing, rng: np.random.Generator) -> Scene:
    """A position in front and to one side, so that the given share of the object stays visible. Where the picture has no room
    below, the two are closer than solids could be."""
    thing = scene.things[0]
    aside = float(rng.choice((-1.0, 1.0))) * thing.size
    # Bounding spheres do not touch at half the sum of the sizes; solids fill about three quarters of their spheres.
    apart = 0.375 * (thing.size + blocker.size) * float(np.sin(np.deg2rad(scene.camera.elevation)))
    tried = []
    for room in (1.0, 0.75, 0.5, 0.25):
        y = thing.foot(scene.camera) + room * apart - blocker.rise(scene.camera)
        for share in np.linspace(0.0, 0.6, 13):
            blocked = replace(scene, things=(thing, replace(blocker, x=thing.x + float(share) * aside, y=y)))
            tried.append((abs(visible_shares(blocked)[0] - _STAYS_VISIBLE), blocked))
        if min(off for off, _ in tried) < _CLOSE_ENOUGH:
            break
    return min(tried, key=lambda found: found[0])[1]
