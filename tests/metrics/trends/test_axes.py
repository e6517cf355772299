import numpy as np
import pytest
from scipy.stats import norm

from eyechart.metrics.trends.axes import AXES, clip_shares, from_axis, to_axis


def test_the_probit_axis_is_the_normal_quantile():
    shares = np.array([0.025, 0.5, 0.8413447])
    np.testing.assert_allclose(to_axis(shares, "probit"), norm.ppf(shares))


def test_the_logit_axis_is_the_log_of_the_odds():
    np.testing.assert_allclose(to_axis([0.5, 0.75, 0.9], "logit"), [0.0, np.log(3), np.log(9)])


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_leads_back(axis):
    shares = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(from_axis(to_axis(shares, axis), axis), shares)


@pytest.mark.parametrize("axis", ["probit", "logit"])
def test_nothing_and_all_lie_infinitely_far_out(axis):
    assert to_axis([0.0, 1.0], axis).tolist() == [-np.inf, np.inf]


def test_clipping_keeps_half_an_answer_away_from_the_ends():
    assert clip_shares([0.0, 0.4, 1.0], [10, 10, 100]).tolist() == [0.05, 0.4, 0.995]
