"""`world-views`: pairs of views of one scene, with matching keypoints."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np
import pyarrow as pa

from eyechart.world.captions import captions
from eyechart.world.correspondence import PAIRS, correspondences
from eyechart.world.datasets.ordinary import HUES, ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.drawing import draw_several
from eyechart.world.materials import TEXTURES
from eyechart.world.scene import Camera, Scene, seen_from
from eyechart.world.subjects import Staged

TURNS = (15.0, 45.0, 75.0, 105.0)  # degrees: one in the middle of each of NAVI's bins, 0-30-60-90-120
_SIZES = (0.31, 0.37, 0.44)
_TEXTURES = tuple(texture for texture in TEXTURES if texture != "plain")  # textures to match points by
_MOST_POINTS = 48


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        number = row // 2
        turn = TURNS[number % len(TURNS)]
        first = _scene(streams.picture(number))
        # Another noise for the second picture: equal noise would make matching trivial.
        second = replace(seen_from(first, Camera(azimuth=turn)), grain=first.grain + 1)
        scene, view = (first, "a") if row % 2 == 0 else (second, "b")
        yield Shot(
            f"{number:05d}-{view}",
            Staged(scene),
            captions=tuple(captions(scene.things, streams.words(number))),
            attributes={"scene": f"{number:05d}", "view": view, "turn": turn, **surroundings(scene)},
        )


def _scene(rng: np.random.Generator) -> Scene:
    """Three textured objects around the center of a plain background."""
    drawn = draw_several(rng, ORDINARY, 3)
    start = rng.uniform(0, 2 * np.pi)
    things = []
    for number, thing in enumerate(drawn.things):
        angle = start + 2 * np.pi / 3 * number + rng.uniform(-0.4, 0.4)
        out = rng.uniform(0.22, 0.3)
        looks = {"size": float(rng.choice(_SIZES)), "texture": str(rng.choice(_TEXTURES)), "color": str(rng.choice(HUES))}
        placed = replace(thing, **looks)  # type: ignore[arg-type]
        across, away = out * np.cos(angle), out * np.sin(angle)
        foot = 0.5 - away * np.sin(np.deg2rad(drawn.camera.elevation))
        things.append(replace(placed, x=float(0.5 + across), y=float(foot - placed.rise(drawn.camera))))
    return replace(drawn, background="plain", things=tuple(things))


def pairs(shots: Sequence[Shot], side: int, streams: Streams) -> pa.Table:
    """For every scene, keypoints that are visible in both pictures."""
    rows = []
    for number, (a, b) in enumerate(zip(shots[0::2], shots[1::2], strict=True)):
        assert a.subject.scene is not None and b.subject.scene is not None
        found = correspondences(a.subject.scene, b.subject.scene, side)
        seen = np.flatnonzero(found.visible)
        chosen = np.sort(streams.change(number).permutation(seen)[:_MOST_POINTS])
        rows.append(
            {"id_a": a.id, "id_b": b.id, "points_a": found.points_a[chosen].tolist(), "points_b": found.points_b[chosen].tolist()}
        )
    return pa.Table.from_pylist(rows, PAIRS)


VIEWS = WorldDataset(
    name="world-views",
    number=1008,
    about="pairs of views of three objects, 15 to 105 degrees apart, with matching keypoints",
    usual=800,
    draw=draw,
    unit=2,
    pairs=pairs,
)
