import numpy as np
import pytest
from scipy import ndimage

from eyechart.corruptions import corrupt
from eyechart.corruptions.blur import RADIUS, SIGMA


@pytest.mark.parametrize("severity", range(1, 6))
@pytest.mark.parametrize("shape", [(64, 64), (40, 150), (5, 200)])
def test_gaussian_blur_is_that_of_scipy(severity, shape):
    picture = np.random.default_rng(2).integers(0, 256, (*shape, 3), dtype=np.uint8)
    sigma = SIGMA[severity - 1] * min(shape)
    expected = ndimage.gaussian_filter(picture.astype(float), (sigma, sigma, 0), mode="reflect", truncate=4)
    assert np.abs(corrupt(picture, "gaussian_blur", severity) - expected).max() < 0.51


@pytest.mark.parametrize("severity", [3, 5])
def test_defocus_makes_a_disc_of_a_point(severity, light):
    picture = np.zeros((201, 201, 3), np.uint8)
    picture[100, 100] = 255
    picture[:] = np.where(ndimage.maximum_filter(picture, (3, 3, 1)) > 0, 255, 0)  # 3 × 3, for light enough to be measured
    made = light(corrupt(picture, "defocus_blur", severity))[..., 0]
    radius = RADIUS[severity - 1] * 201
    y, x = np.mgrid[-100:101, -100:101]
    away = np.hypot(y, x)
    np.testing.assert_allclose(made[away < radius - 2.5], 9 / (np.pi * radius**2), rtol=0.06)
    assert not made[away > radius + 2.5].any()


def test_defocus_mixes_light_not_codes(light):
    """Black and white stripes, fine as the spot, turn into half the light, which is stored as 188, not as 128."""
    picture = np.zeros((256, 256, 3), np.uint8)
    picture[::2] = 255
    made = corrupt(picture, "defocus_blur", 5)
    assert made[128, 128, 0] == pytest.approx(188, abs=4)
    assert corrupt(picture, "gaussian_blur", 5)[128, 128, 0] == pytest.approx(128, abs=2)
