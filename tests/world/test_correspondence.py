"""Corresponding points against an independent projection of points in space."""

from dataclasses import replace

import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.world.composer import render
from eyechart.world.correspondence import correspondences, project
from eyechart.world.datasets.open import open_world
from eyechart.world.scene import CAMERA_DISTANCE, Camera, Scene, Thing, seen_from

SIDE = 64
HERE = Camera()


def seen_at(points: np.ndarray, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Pixels and depths of points of the world (y up, the middle of the ground its origin): turn about the vertical, tilt."""
    a, e = np.deg2rad(camera.azimuth), np.deg2rad(camera.elevation)
    x, y, z = points.T
    x, z = x * np.cos(a) + z * np.sin(a), z * np.cos(a) - x * np.sin(a)
    up, near = y * np.cos(e) - z * np.sin(e), y * np.sin(e) + z * np.cos(e)
    return np.column_stack([0.5 + x, 0.5 - up]) * SIDE, CAMERA_DISTANCE - near


def in_the_world(thing: Thing, points: np.ndarray, rests: float) -> np.ndarray:
    """Object coordinates of an upright thing, seen by the camera HERE, to those of the world."""
    e, radius = np.deg2rad(HERE.elevation), thing.size / 2
    away = (0.5 - thing.y - rests * radius * np.cos(e)) / np.sin(e)
    return np.array([thing.x - 0.5, rests * radius, -away]) + radius * points


@pytest.mark.parametrize("turn", [0.0, 15.0, 45.0, 105.0])
@pytest.mark.parametrize(
    "name, rests, point",
    [
        ("cube", 0.55, (0.55, 0.55, 0.55)),
        ("cube", 0.55, (-0.55, -0.55, 0.55)),
        ("cone", 0.68, (0, 0.9, 0)),
        ("sphere", 0.78, (0.3, 0.72, 0)),
    ],
)
def test_a_point_in_space_is_seen_within_a_pixel_of_where_it_should_be(name, rests, point, turn):
    thing = Thing(name, "red", x=0.37, y=0.42, size=0.4)
    camera = Camera(azimuth=turn)
    there = seen_from(Scene((thing,)), camera).things[0]
    points = np.array([point], dtype=np.float64)
    expected, _ = seen_at(in_the_world(thing, points, rests), camera)
    assert np.abs(project(there, camera, points, SIDE) - expected).max() < 1.0


@pytest.mark.parametrize("turn", [15.0, 75.0])
def test_spots_of_a_ball_correspond_within_a_pixel(turn):
    """From the first view's pixel to the ball by ray and sphere, from there to the second view by projection. Sheets are laid at
    whole pixels: the ball stands where the first one lies exactly, so that only the second can be off, by half a pixel."""
    ball = Thing("sphere", "red", "checked", x=(9 + 16.5) / SIDE, y=(12 + 16.5) / SIDE, size=0.5)
    scene = Scene((ball,))
    found = correspondences(scene, seen_from(scene, Camera(azimuth=turn)), SIDE)
    assert found.visible.sum() > 100
    a, e, r = found.points_a / SIDE - np.array([ball.x, ball.y]), np.deg2rad(HERE.elevation), 0.78 / 2 * ball.size
    near = np.sqrt(np.maximum(r**2 - (a**2).sum(1), 0))
    up, out = -a[:, 1] * np.cos(e) + near * np.sin(e), a[:, 1] * np.sin(e) + near * np.cos(e)
    spots = np.column_stack([a[:, 0], up, out]) / (ball.size / 2)
    expected, depth = seen_at(in_the_world(ball, spots, 0.78), Camera(azimuth=turn))
    off = np.linalg.norm(found.points_b - expected, axis=1)[found.visible]
    assert off.max() < 1.0
    column, row = np.floor(found.points_b[found.visible]).astype(int).T
    rendered = render(seen_from(scene, Camera(azimuth=turn)), SIDE).depth[row, column]
    assert np.abs(rendered - depth[found.visible]).max() < 0.06  # a pixel's worth, near the rim


def test_what_is_visible_is_found_again_from_the_other_view():
    scene = Scene((Thing("mug", "red", x=0.35, y=0.4, size=0.44), Thing("cube", "blue", x=0.6, y=0.5, size=0.37)))
    other = seen_from(scene, Camera(azimuth=45))
    found, rendering = correspondences(scene, other, SIDE), render(other, SIDE)
    places = found.points_b[found.visible]
    column, row = np.floor(places).astype(int).T
    assert np.array_equal(rendering.owner[row, column], found.thing[found.visible])
    back = correspondences(other, scene, SIDE)
    for thing in (0, 1):
        # The way there and back leads to the start: the nearest pixel of the other view answers with a near place.
        mine, theirs = found.visible & (found.thing == thing), back.visible & (back.thing == thing)
        apart = np.linalg.norm(found.points_b[mine][:, None] - back.points_a[theirs][None], axis=2)
        nearest = apart.argmin(axis=1)
        close = apart.min(axis=1) < 0.8
        off = np.linalg.norm(back.points_b[theirs][nearest] - found.points_a[mine], axis=1)
        assert np.quantile(off[close], 0.95) < 2.0


def test_a_face_that_is_turned_away_corresponds_to_nothing():
    scene = Scene((Thing("cube", "red", x=0.5, y=0.45, size=0.5),))
    found = correspondences(scene, seen_from(scene, Camera(azimuth=180)), SIDE)
    half, e = 0.55 * 0.25, np.deg2rad(28)
    edge = (0.45 - half * np.cos(e) + half * np.sin(e)) * SIDE  # where the lid ends and the front begins
    top = found.points_a[:, 1] < edge - 1
    assert found.visible[top].mean() > 0.6  # the lid is seen from every side
    assert not found.visible[found.points_a[:, 1] > edge + 1].any()


def test_corresponding_points_look_alike_far_more_often_than_others():
    """Drawn flat and without noise, so that only color and texture count."""
    dataset = open_world("world-views", n=16)
    scenes = [replace(s.scene, style="flat", noise=0.0) for s in dataset.pictures.subjects]
    rng = np.random.default_rng(0)
    alike, chance = [], []
    for row, pair in enumerate(dataset.pairs.to_pylist()):
        first, second = (render(scenes[2 * row + view], SIDE).picture.astype(int) for view in (0, 1))
        a, b = (np.floor(pair[key]).astype(int) for key in ("points_a", "points_b"))
        colors_a, colors_b = first[a[:, 1], a[:, 0]], second[b[:, 1], b[:, 0]]
        alike.append(np.abs(colors_a - colors_b).max(1) < 40)
        chance.append(np.abs(colors_a - rng.permutation(colors_b)).max(1) < 40)
    assert np.concatenate(alike).mean() > 0.65
    assert np.concatenate(alike).mean() > 2.5 * np.concatenate(chance).mean()


def test_scenes_of_other_things_are_refused():
    with pytest.raises(UsageError, match="make one from the other with seen_from"):
        correspondences(Scene((Thing("cube", "red"),)), Scene((Thing("cone", "red"),)), SIDE)


def test_a_stretched_thing_has_no_corresponding_points():
    scene = Scene((Thing("cube", "red", stretch=1.6),))
    assert len(correspondences(scene, seen_from(scene, Camera(azimuth=30)), SIDE).visible) == 0
