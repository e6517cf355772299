import numpy as np
import pytest

from eyechart.corruptions import corrupt
from eyechart.corruptions.tone import CONTRAST, LEVELS

TONES = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)


def test_brightness_adds_and_cuts_off_at_white():
    made = corrupt(TONES, "brightness", 2)[0, :, 0]  # a fifth of 255 is 51
    assert made[:205].tolist() == list(range(51, 256))
    assert (made[205:] == 255).all()


@pytest.mark.parametrize("severity", range(1, 6))
def test_contrast_keeps_the_mean_and_shrinks_the_rest(severity):
    made = corrupt(TONES, "contrast", severity).astype(float)
    assert made.mean() == pytest.approx(127.5, abs=0.5)
    assert made.std() == pytest.approx(CONTRAST[severity - 1] * TONES.std(), rel=0.01)


def test_contrast_keeps_the_mean_color():
    picture = np.random.default_rng(0).integers(0, (256, 128, 64), (50, 50, 3)).astype(np.uint8)
    np.testing.assert_allclose(corrupt(picture, "contrast", 5).mean((0, 1)), picture.mean((0, 1)), atol=0.5)


@pytest.mark.parametrize("severity", range(1, 6))
def test_so_many_levels_are_left_and_each_value_takes_the_nearest(severity):
    made = corrupt(TONES, "color_quantization", severity)[0, :, 0].astype(float)
    levels = np.unique(made)
    assert len(levels) == LEVELS[severity - 1]
    assert levels[[0, -1]].tolist() == [0, 255]
    half = 255 / (LEVELS[severity - 1] - 1) / 2
    assert np.abs(made - np.arange(256)).max() <= half + 0.5


def test_two_levels_by_hand():
    assert corrupt(TONES, "color_quantization", 5)[0, [0, 127, 128, 255], 0].tolist() == [0, 0, 255, 255]
