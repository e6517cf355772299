import numpy as np
import pytest

from eyechart.corruptions import corrupt


def planes(*depths: float) -> np.ndarray:
    return np.repeat(np.repeat(np.array([depths], np.float32), 12, axis=1), 30, axis=0)


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_light_of_the_flash_falls_with_the_square_of_the_distance(severity, light):
    """Whatever light there was before: (1/1² − 1/2²) / (1/2² − 1/4²) = 4."""
    depth = planes(1, 2, 4)
    picture = np.full((*depth.shape, 3), 110, np.uint8)  # dark enough for the near plane not to burn out
    first, second, third = (light(corrupt(picture, "flash", severity, depth=depth))[0, column, 0] for column in (5, 18, 30))
    assert (first - second) / (second - third) == pytest.approx(4, rel=0.05)


def test_the_near_burns_out_and_the_far_goes_dark():
    depth = planes(1, 2, 5)
    picture = np.full((*depth.shape, 3), 160, np.uint8)
    made = corrupt(picture, "flash", 5, depth=depth)
    assert (made[:, :12] == 255).all()
    assert (made[:, 24:] < 120).all()


def test_black_stays_black():
    assert not corrupt(np.zeros((30, 36, 3), np.uint8), "flash", 5, depth=planes(1, 2, 3)).any()
