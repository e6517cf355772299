import numpy as np
import pytest

from eyechart.corruptions import corrupt
from eyechart.corruptions.sensor import FULL_WELL, GAIN, PHOTONS, READ_NOISE, SIGMA


def gray(value: int) -> np.ndarray:
    return np.full((300, 300, 3), value, np.uint8)


@pytest.mark.parametrize("severity", range(1, 6))
@pytest.mark.parametrize("value", [140, 230])
def test_low_light_is_that_share_of_the_light(severity, value, light):
    made = light(corrupt(gray(value), "low_light", severity))
    assert made.mean() == pytest.approx(GAIN[severity - 1] * float(light(value)), rel=0.02)


@pytest.mark.parametrize("severity", range(1, 6))
def test_low_light_varies_like_photons_and_a_reading(severity, light):
    photons = light(230) * GAIN[severity - 1] * FULL_WELL
    made = light(corrupt(gray(230), "low_light", severity)) * FULL_WELL
    assert made.var() == pytest.approx(photons + READ_NOISE**2, rel=0.05)


def test_variance_of_photons_grows_as_their_mean(light):
    """Var/mean of counts is 1, so between two tones the difference of variances is that of means, whatever the reading adds."""
    dim, bright = (light(corrupt(gray(value), "low_light", 2)) * FULL_WELL for value in (130, 220))
    assert (bright.var() - dim.var()) / (bright.mean() - dim.mean()) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("severity", [1, 2, 3])
def test_shot_noise_counts_photons(severity, light):
    counts = light(corrupt(gray(145), "shot_noise", severity)) * PHOTONS[severity - 1]
    assert counts.mean() == pytest.approx(light(145) * PHOTONS[severity - 1], rel=0.01)
    assert counts.var() / counts.mean() == pytest.approx(1, rel=0.05)


def test_no_photons_come_from_black():
    assert not corrupt(gray(0), "shot_noise", 5).any()


@pytest.mark.parametrize("severity", [1, 2, 3])
def test_noise_has_its_deviation_and_no_bias(severity):
    made = corrupt(gray(128), "noise", severity).astype(float)
    assert made.mean() == pytest.approx(128, abs=0.5)
    assert made.std() == pytest.approx(255 * SIGMA[severity - 1], rel=0.02)


@pytest.mark.parametrize("name", ["noise", "shot_noise", "low_light"])
def test_every_pixel_and_color_is_drawn_by_itself(name):
    made = corrupt(gray(150), name, 3).astype(float)
    pairs = [(made[..., 0], made[..., 1]), (made[:-1], made[1:]), (made[:, :-1], made[:, 1:])]
    for one, other in pairs:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.02


def test_severities_have_streams_of_their_own():
    one, two = (corrupt(gray(128), "noise", severity, seed=3).astype(float).ravel() for severity in (1, 2))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.02
