import numpy as np
import pytest
from scipy import ndimage

from eyechart.corruptions.convolution import convolve, disc, streak, weighted_sum


@pytest.mark.parametrize("shape", [(1, 1), (3, 50), (40, 31)])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (9, 1), (21, 15)])
def test_convolution_is_that_of_scipy(shape, size):
    rng = np.random.default_rng(0)
    planes, kernel = rng.random((2, *shape), np.float32), rng.random(size, np.float32)
    expected = np.stack([ndimage.convolve(plane.astype(float), kernel.astype(float), mode="reflect") for plane in planes])
    np.testing.assert_allclose(convolve(planes, kernel), expected, rtol=1e-4)


@pytest.mark.parametrize("radius", [0.0, 0.5, 2.0, 4.5, 12.0])
def test_a_disc_has_the_variance_of_one(radius):
    """R²/4 along each axis, and a twelfth for the width of a pixel; up to half a pixel it is a point."""
    kernel = disc(radius)
    across = np.arange(len(kernel)) - len(kernel) // 2
    assert kernel.sum() == pytest.approx(1)
    if radius > 0.5:
        assert (kernel.sum(axis=0) * across**2).sum() == pytest.approx(radius**2 / 4 + 1 / 12, rel=0.12)
    else:
        assert kernel.shape == (1, 1)


@pytest.mark.parametrize("angle", [0, 0.4, np.pi / 2, 2.5])
def test_a_streak_has_its_length_and_angle(angle):
    kernel = streak(30, angle).astype(float)
    y, x = np.mgrid[: kernel.shape[0], : kernel.shape[1]]
    y, x = y - kernel.shape[0] // 2, x - kernel.shape[1] // 2
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    assert kernel.sum() == pytest.approx(1)
    assert (kernel * along**2).sum() == pytest.approx(30**2 / 12, rel=0.03)
    assert (kernel * across**2).sum() < 0.4


def test_no_streak_is_a_point():
    assert streak(0, 1.0).tolist() == [[1]]


def test_kernels_are_added_about_their_middles():
    added = weighted_sum([np.ones((1, 1), np.float32), np.ones((3, 5), np.float32)], [2, 1])
    assert added.tolist() == [[1] * 5, [1, 1, 3, 1, 1], [1] * 5]
