import numpy as np
import pytest
from scipy.stats import ttest_rel

from eyechart.metrics.intervals.paired_models import paired_effect


def test_scipy_gives_the_same_interval():
    rng = np.random.default_rng(0)
    treated, control = rng.normal(0.4, 0.1, 5), rng.normal(0.2, 0.1, 5)
    effect, (low, high) = paired_effect(treated, control)
    reference = ttest_rel(treated, control).confidence_interval(0.95)
    assert effect == pytest.approx(treated.mean() - control.mean())
    assert (low, high) == pytest.approx((reference.low, reference.high))


def test_the_interval_covers_three_seeds():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(2000):
        control = rng.normal(0.25, 0.02, 3)
        _, (low, high) = paired_effect(control + rng.normal(0.1, 0.03, 3), control)
        hits += low <= 0.1 <= high
    assert 0.93 <= hits / 2000 <= 0.97


def test_one_pair_has_no_spread():
    with pytest.raises(ValueError, match="one pair"):
        paired_effect([0.5], [0.2])
