"""Depth against geometry: rays of a parallel camera that meet a plane and a ball."""

from dataclasses import replace

import numpy as np
import pytest

from eyechart.world.composer import render
from eyechart.world.drawing import Habits, draw_several
from eyechart.world.scene import CAMERA_DISTANCE, Camera, Scene, Thing

SIDE = 128


def frame(camera: Camera) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right, up and towards the camera in the world's coordinates, seen from straight ahead: y is the vertical."""
    e = np.deg2rad(camera.elevation)
    return np.array([1.0, 0, 0]), np.array([0, np.cos(e), -np.sin(e)]), np.array([0, np.sin(e), np.cos(e)])


def starts(camera: Camera) -> np.ndarray:
    """Where the ray of every pixel leaves the camera's plane; the world's origin is the middle of the ground."""
    right, up, towards = frame(camera)
    line = (np.arange(SIDE) + 0.5) / SIDE - 0.5
    across, down = np.meshgrid(line, line)
    return across[..., None] * right - down[..., None] * up + CAMERA_DISTANCE * towards


@pytest.mark.parametrize("elevation", [20.0, 28.0, 62.0])
def test_the_ground_is_the_plane_that_rays_meet(elevation):
    camera = Camera(elevation=elevation)
    depth = render(Scene((), camera=camera), SIDE).depth
    towards = frame(camera)[2]
    expected = starts(camera)[..., 1] / towards[1]  # start - t · towards lies in y = 0
    assert np.abs(depth - expected).max() < 1e-5
    steps = np.diff(depth[:, 0].astype(np.float64))
    assert np.ptp(steps) < 1e-5 and steps[0] < 0  # linear, and nearer further down


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.31, 0.66)])
def test_a_ball_is_as_far_away_as_rays_that_meet_it_travel(place):
    scene = Scene((Thing("sphere", "red", x=place[0], y=place[1], size=0.5),))
    rendering = render(scene, SIDE)
    radius = 0.78 * 0.25
    right, up, towards = frame(scene.camera)
    # The ball rests on the ground: its center is at the height of its radius, on the ray through its place in the picture.
    origin = (place[0] - 0.5) * right + (0.5 - place[1]) * up
    center = origin + (radius - origin[1]) / towards[1] * towards
    offset = starts(scene.camera) - center
    along = offset @ towards
    inside = along**2 - (offset**2).sum(-1) + radius**2
    seen = (rendering.owner == 0) & (inside > (0.25 * radius) ** 2)  # away from the rim, where depth is steep
    assert seen.sum() > 0.8 * (rendering.owner == 0).sum()
    # Sheets lie at whole pixels, half a pixel off at most; the height at which a solid rests is measured on a grid.
    assert np.abs(rendering.depth - (along - np.sqrt(np.maximum(inside, 0))))[seen].max() < 0.03


def test_what_is_seen_is_the_nearest():
    """Two balls that stand apart on the ground: wherever both are on a ray, the picture shows the nearer."""
    far, near = Thing("sphere", "red", y=0.4, size=0.4), Thing("sphere", "blue", x=0.56, y=0.62, size=0.4)
    both, first, second = (render(Scene(things), SIDE) for things in ((far, near), (far,), (near,)))
    overlap = (first.owner == 0) & (second.owner == 0)
    assert overlap.sum() > 100
    assert (first.depth > second.depth)[overlap].all()
    assert np.array_equal(both.depth[overlap], second.depth[overlap])


def test_things_are_nearer_than_the_ground_behind_them():
    for seed in range(5):
        scene = draw_several(np.random.default_rng(seed), Habits(), 4)
        rendering, empty = render(scene, 64), render(replace(scene, things=()), 64)
        shown = rendering.owner >= 0
        # A foot may sink into the ground by as much as its height is uncertain.
        assert (rendering.depth - empty.depth)[shown].max() < 0.03
