import numpy as np
import pytest

from eyechart.corruptions import corrupt
from eyechart.corruptions.motion import APPROACH, SLIDE

SIDE, MIDDLE = 301, 150


def bright_point(row: int, column: int, depth_there: float) -> tuple[np.ndarray, np.ndarray]:
    """One white pixel on a dark board of some depth, and dark ground all around that is four away."""
    picture = np.zeros((SIDE, SIDE, 3), np.uint8)
    depth = np.full((SIDE, SIDE), 4, np.float32)
    picture[row, column], depth[row - 40 : row + 41, column - 40 : column + 41] = 255, depth_there
    return picture, depth


def moments(lit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean place (row, column) and covariance of what is lit."""
    places = np.argwhere(lit > 0)
    return np.average(places, axis=0, weights=lit[lit > 0]), np.cov(places.T, aweights=lit[lit > 0], ddof=0)


def streak_length(made: np.ndarray, light) -> float:
    """A line of length L has the variance L²/12 along itself."""
    return float(np.sqrt(12 * np.linalg.eigvalsh(moments(light(made[..., 0]))[1])[-1]))


@pytest.mark.parametrize("away, times", [(1, 4), (2, 2), (4, 1), (8, 0.5)])
def test_a_streak_is_as_long_as_its_point_is_near(away, times, light):
    picture, depth = bright_point(MIDDLE, MIDDLE, away)
    made = corrupt(picture, "xy_motion_blur", 4, depth=depth)
    assert streak_length(made, light) == pytest.approx(times * SLIDE[3] * SIDE, rel=0.05)


def test_a_streak_is_thin_straight_and_centered(light):
    picture, depth = bright_point(MIDDLE, MIDDLE, 2)
    made = corrupt(picture, "xy_motion_blur", 5, depth=depth)
    middle, spread = moments(light(made[..., 0]))
    assert np.linalg.eigvalsh(spread)[0] < 0.5
    np.testing.assert_allclose(middle, MIDDLE, atol=0.3)


def test_light_is_kept_by_a_slide(light):
    picture, depth = bright_point(MIDDLE, MIDDLE, 2)
    assert light(corrupt(picture, "xy_motion_blur", 5, depth=depth))[..., 0].sum() == pytest.approx(1, abs=0.05)


def test_seeds_give_directions(light):
    picture, depth = bright_point(MIDDLE, MIDDLE, 2)
    directions = []
    for seed in range(5):
        spread = moments(light(corrupt(picture, "xy_motion_blur", 5, depth=depth, seed=seed)[..., 0]))[1]
        across = np.linalg.eigh(spread)[1][:, -1]
        directions.append(np.arctan2(across[0], across[1]) % np.pi)
    assert np.ptp(directions) > 0.5


@pytest.mark.parametrize("away, times", [(2, 2), (4, 1), (8, 0.5)])
@pytest.mark.parametrize("out", [40, 80])
def test_an_approach_moves_a_point_outwards_in_proportion_to_nearness_and_place(away, times, out, light):
    picture, depth = bright_point(MIDDLE, MIDDLE + out, away)
    lit = light(corrupt(picture, "z_motion_blur", 3, depth=depth)[..., 0])
    reached = np.flatnonzero(lit.sum(axis=0) > 0.2 * lit.sum(axis=0).max())
    assert reached[0] == pytest.approx(MIDDLE + out, abs=1)
    assert reached[-1] == pytest.approx(MIDDLE + out * np.exp(times * APPROACH[2]), abs=1.5)
    assert np.ptp(np.flatnonzero(lit.sum(axis=1))) <= 4  # nothing leaves the ray from the center


def test_an_approach_leaves_the_center_alone():
    picture, depth = bright_point(MIDDLE, MIDDLE, 2)
    made = corrupt(picture, "z_motion_blur", 5, depth=depth)
    assert made[MIDDLE, MIDDLE, 0] > 200
    assert np.ptp(np.argwhere(made[..., 0] > 100), axis=0).max() <= 2


@pytest.mark.parametrize("name", ["xy_motion_blur", "z_motion_blur"])
def test_an_even_picture_shows_no_movement(name):
    picture = np.full((40, 40, 3), (10, 120, 240), np.uint8)
    depth = np.random.default_rng(0).uniform(1, 9, (40, 40)).astype(np.float32)
    np.testing.assert_array_equal(corrupt(picture, name, 5, depth=depth), picture)


@pytest.mark.parametrize("name", ["xy_motion_blur", "z_motion_blur"])
def test_a_bright_ground_does_not_shine_through_a_near_thing(name):
    picture = np.full((90, 90, 3), 255, np.uint8)
    depth = np.full((90, 90), 8, np.float32)
    picture[25:65, 25:65], depth[25:65, 25:65] = 0, 2
    made = corrupt(picture, name, 3, depth=depth)
    assert not made[38:52, 38:52].any()
    np.testing.assert_array_equal(made[:6], 255)
