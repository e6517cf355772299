import numpy as np
import pytest
from scipy.stats import false_discovery_control

from eyechart.metrics.multiplicity import benjamini_hochberg, holm


def test_holm_by_hand():
    # 0.01·4, then max(0.04, 0.015·3), then max(…, 0.03·2), then max(…, 0.04·1)
    assert holm([0.03, 0.01, 0.04, 0.015]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert len(holm([])) == 0


def test_benjamini_hochberg_agrees_with_scipy_and_by_hand():
    p = np.random.default_rng(0).random(40) ** 2
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))
    assert benjamini_hochberg([0.01, 0.02, 0.03]).tolist() == pytest.approx([0.03, 0.03, 0.03])
    assert len(benjamini_hochberg([])) == 0
