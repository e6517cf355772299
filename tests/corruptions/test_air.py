import numpy as np
import pytest

from eyechart.corruptions import corrupt
from eyechart.corruptions.air import AIRLIGHT, DENSITY, plasma


def two_planes(near: float, far: float) -> np.ndarray:
    return np.repeat(np.array([[near] * 8 + [far] * 8], np.float32), 16, axis=0)


@pytest.mark.parametrize("severity", range(1, 6))
def test_transmission_by_formula(severity, light, stored):
    picture = np.full((16, 16, 3), (200, 90, 10), np.uint8)
    depth = two_planes(2, 6)
    t = np.exp(-DENSITY[severity - 1] * depth / 4)[..., None]  # the median lies between the planes
    expected = stored(light(picture) * t + AIRLIGHT * (1 - t))
    assert np.abs(corrupt(picture, "fog_3d", severity, depth=depth) - expected).max() < 0.51


def test_contrast_left_at_three_times_the_distance_is_the_third_power(light):
    picture = np.zeros((16, 16, 3), np.uint8)
    picture[::2] = 255
    made = light(corrupt(picture, "fog_3d", 2, depth=two_planes(1, 3)))
    near, far = (made[::2, columns].mean() - made[1::2, columns].mean() for columns in (slice(0, 8), slice(8, 16)))
    assert far == pytest.approx(near**3, rel=0.02)


def test_the_far_end_of_fog_is_the_airlight(light):
    picture = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    depth = np.ones((16, 16), np.float32)
    depth[:2] = 1e4
    made = light(corrupt(picture, "fog_3d", 1, depth=depth))
    np.testing.assert_allclose(made[:2], AIRLIGHT, atol=0.005)
    assert made[2:].std() > 0.1


def test_patchy_fog_is_the_same_at_every_resolution():
    small, large = (corrupt(np.full((n, n, 3), 40, np.uint8), "fog", 3, seed=6).astype(float) for n in (64, 512))
    assert np.abs(large.reshape(64, 8, 64, 8, 3).mean((1, 3)) - small).max() < 4
    assert small.std() > 3  # patches there are


def test_patchy_fog_lightens_the_dark_and_grays_the_white():
    made = corrupt(np.repeat(np.array([[[0] * 3] * 32, [[255] * 3] * 32], np.uint8), 16, axis=0), "fog", 4)
    assert (made[:16] > 20).all()
    assert (made[16:] < 255).all()


def test_clouds_are_smooth_and_use_their_whole_range():
    clouds = plasma(200, 100, np.random.default_rng(1))
    assert (clouds.min(), clouds.max()) == (0, 1)
    assert np.abs(np.diff(clouds, axis=0)).max() < 0.06
