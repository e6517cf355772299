"""Masks, areas and boxes against pictures of each thing alone."""

from dataclasses import replace

import numpy as np
import pytest

from eyechart.data.masks import decode_mask
from eyechart.world.composer import GROUND, render
from eyechart.world.drawing import Habits, draw_several
from eyechart.world.scene import Scene, Thing
from eyechart.world.truth import camera_of, objects_of, owners, visible_shares

SIDE = 64


def crowded(seed: int) -> Scene:
    """Five things pushed towards the middle, so that they hide parts of each other."""
    scene = draw_several(np.random.default_rng(seed), Habits(), 5)
    return replace(scene, things=tuple(replace(t, x=0.5 + 0.5 * (t.x - 0.5), size=max(t.size, 0.3)) for t in scene.things))


def alone(scene: Scene, number: int) -> np.ndarray:
    return render(replace(scene, things=(scene.things[number],)), SIDE).owner == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_mask_is_the_thing_alone_without_what_nearer_things_cover(seed):
    scene = crowded(seed)
    found = objects_of(scene, render(scene, SIDE).owner)
    hidden = 0
    for number, told in enumerate(found):
        expected = alone(scene, number)
        for other, thing in enumerate(scene.things):
            if thing.foot(scene.camera) > scene.things[number].foot(scene.camera):
                expected &= ~alone(scene, other)
        hidden += alone(scene, number).sum() - expected.sum()
        assert np.array_equal(decode_mask(told["mask"], SIDE, SIDE), expected)
    assert hidden > 50  # or the scene would prove nothing


def test_masks_of_a_picture_do_not_overlap_and_areas_are_their_shares():
    scene = crowded(0)
    owner = owners(scene, SIDE)
    found = objects_of(scene, owner)
    masks = np.array([decode_mask(told["mask"], SIDE, SIDE) for told in found])
    assert masks.sum(axis=0).max() == 1
    assert np.array_equal(masks.any(axis=0), owner != GROUND)
    assert [told["area"] for told in found] == pytest.approx(masks.mean(axis=(1, 2)).tolist(), abs=1e-12)


def test_owners_are_those_of_the_picture():
    for seed in range(3):
        assert np.array_equal(owners(crowded(seed), SIDE), render(crowded(seed), SIDE).owner)


def test_the_area_of_a_sphere_by_formula():
    """Radius 0.78 of half the size: the disc's area is π (0.39 · size)²."""
    scene = Scene((Thing("sphere", "red", size=0.5),))
    (told,) = objects_of(scene, owners(scene, 256))
    assert told["area"] == pytest.approx(np.pi * (0.39 * 0.5) ** 2, rel=0.01)
    assert told["box"] == pytest.approx([256 * (0.5 - 0.195), 256 * (0.5 - 0.195), 256 * 0.695, 256 * 0.695], abs=1.5)


def test_ranks_places_and_boxes():
    near, far = Thing("cube", "red", x=0.7, y=0.8, size=0.3), Thing("cone", "blue", x=0.3, y=0.3, size=0.5)
    outside = Thing("star", "green", x=3.0, y=0.5, size=0.2)
    scene = Scene((near, far, outside))
    told = objects_of(scene, owners(scene, SIDE))
    assert [t["depth_rank"] for t in told] == [0, 2, 1]
    assert [t["position"] for t in told] == [1, 0, 2]
    assert [t["size_rank"] for t in told][1:] == [0, 2]
    for number, t in enumerate(told[:2]):
        rows, columns = np.nonzero(alone(scene, number))
        assert t["box"] == [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert told[2]["box"] is None and told[2]["area"] == 0 and told[2]["mask"] == [SIDE * SIDE]
    assert camera_of(scene.camera, SIDE) == {"azimuth": 0.0, "elevation": 28.0, "width": SIDE, "height": SIDE}


def test_visible_shares():
    apart = Scene((Thing("cube", "red", x=0.25, size=0.3), Thing("cube", "blue", x=0.75, size=0.3)))
    assert visible_shares(apart) == [1.0, 1.0]
    covered = Scene((Thing("sphere", "red", y=0.5, size=0.3), Thing("sphere", "blue", y=0.52, size=0.6)))
    assert visible_shares(covered) == [0.0, 1.0]
