import numpy as np
import pytest

from eyechart.corruptions import corrupt
from eyechart.corruptions.focus import RADIUS

WIDE, TALL = 240, 80


def edges(*depths: float) -> tuple[np.ndarray, np.ndarray]:
    """One band per depth, each with an upright edge from black to white in its middle."""
    picture = np.zeros((TALL * len(depths), WIDE, 3), np.uint8)
    picture[:, WIDE // 2 :] = 255
    return picture, np.repeat(np.array(depths, np.float32), TALL)[:, None] * np.ones((1, WIDE), np.float32)


def spot_radius(band: np.ndarray, light) -> float:
    """Of the disc that blurred the edge: the slope of the edge is the disc's shadow, with a variance of R²/4."""
    slope = np.diff(light(band[TALL // 2, :, 0]))
    place = np.arange(len(slope))
    middle = (slope * place).sum() / slope.sum()
    return float(2 * np.sqrt(max((slope * (place - middle) ** 2).sum() / slope.sum(), 0)))


def bands(picture: np.ndarray) -> list[np.ndarray]:
    return [picture[top : top + TALL] for top in range(0, len(picture), TALL)]


@pytest.mark.parametrize("name, sharp, blurred", [("near_focus", 0, 1), ("far_focus", 1, 0)])
def test_the_plane_in_focus_stays_sharp_and_the_other_is_blurred(name, sharp, blurred, light):
    picture, depth = edges(1, 4)
    made = bands(corrupt(picture, name, 4, depth=depth))
    quarter = slice(TALL // 4, 3 * TALL // 4)  # away from the seam of the bands
    np.testing.assert_array_equal(made[sharp][quarter], bands(picture)[sharp][quarter])
    assert spot_radius(made[blurred], light) == pytest.approx(RADIUS[3] * 2 * TALL, rel=0.05)


@pytest.mark.parametrize("name, share", [("near_focus", (1 - 1 / 2) / (1 - 1 / 4)), ("far_focus", (1 / 2 - 1 / 4) / (1 - 1 / 4))])
def test_spots_grow_with_the_difference_of_inverse_distances(name, share, light):
    picture, depth = edges(1, 2, 4)
    near, between, far = (spot_radius(band, light) for band in bands(corrupt(picture, name, 4, depth=depth)))
    assert between / max(near, far) == pytest.approx(share, rel=0.06)


def disc_before_ground() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A red disc at 1 before a green ground at 5; and how far every pixel lies outside of the disc."""
    y, x = np.mgrid[:120, :120]
    outside = np.hypot(y - 60, x - 60) - 30
    picture = np.where((outside < 0)[..., None], (255, 0, 0), (0, 255, 0)).astype(np.uint8)
    return picture, np.where(outside < 0, 1, 5).astype(np.float32), outside


def test_a_sharp_foreground_does_not_bleed_into_the_ground():
    picture, depth, outside = disc_before_ground()
    made = corrupt(picture, "near_focus", 5, depth=depth)
    assert not made[outside > 2, 0].any()
    np.testing.assert_array_equal(made[outside < 0], picture[outside < 0])


def test_a_blurred_foreground_spreads_over_the_sharp_ground(light):
    picture, depth, outside = disc_before_ground()
    made = light(corrupt(picture, "far_focus", 5, depth=depth))
    radius = RADIUS[4] * 120
    ring = np.abs(outside) < 1
    assert made[ring, 0].mean() == pytest.approx(0.5, abs=0.12)  # half the aperture sees past the rim
    assert not made[outside > radius + 3, 0].any()
    assert made[outside < -radius - 2, 1].max() < 0.01
    np.testing.assert_allclose(made[..., 0] + made[..., 1], 1, atol=0.03)  # no dark seam, no bright one


@pytest.mark.parametrize("name", ["near_focus", "far_focus"])
def test_a_wall_is_in_focus_even_where_its_depth_was_estimated(name, scene):
    picture, _ = scene(64)
    estimated = np.random.default_rng(0).normal(3, 0.005, (64, 64)).astype(np.float32)
    assert np.abs(corrupt(picture, name, 5, depth=estimated).astype(int) - picture).mean() < 1


def test_mixed_pixels_of_an_outline_leave_no_line_behind(light):
    """White board before black ground; the pixel between is gray, and the depth map counts it among the ground."""
    picture = np.zeros((120, 120, 3), np.uint8)
    picture[:, :60], picture[:, 60] = 255, 188
    depth = np.full((120, 120), 5, np.float32)
    depth[:, :60] = 1
    profile = light(corrupt(picture, "far_focus", 5, depth=depth))[60, :, 0]
    assert (np.diff(profile) <= 0.005).all()
    assert np.abs(np.diff(profile, n=2)).max() < 0.05
