import numpy as np
import pytest
from tests.comparison.runs import predictions, write_run

import eyechart
from eyechart.comparison.thresholds import precision_threshold

N = 2000


@pytest.fixture
def compared(tmp_path):
    def compare(second_confidence, second_ood=None):
        """The first model is right with a probability that equals its confidence."""
        rng = np.random.default_rng(0)
        truth, confidence = rng.integers(0, 4, N), rng.uniform(0.5, 1.0, N)
        right = rng.random(N) < confidence
        predicted = np.where(right, truth, (truth + 1) % 4)
        ood = rng.normal(size=N)
        a = write_run(tmp_path / "a", {"a": [predictions(truth, predicted, confidence=confidence, ood=ood)]})
        given = predictions(
            truth, predicted, confidence=second_confidence(confidence, rng), ood=ood if second_ood is None else second_ood(ood)
        )
        (pair,) = eyechart.compare(a, write_run(tmp_path / "b", {"b": [given]})).datasets[0].pairs
        return {check.kind: check for check in pair.thresholds}

    return compare


def test_thresholds_hold_where_scores_stay(compared):
    checks = compared(lambda confidence, rng: confidence)
    assert {check.outcome for check in checks.values()} == {"holds"}
    assert checks["tpr"].first.value == pytest.approx(0.95, abs=1 / N)


def test_an_overconfident_version_breaks_the_threshold_of_precision(compared):
    check = compared(lambda confidence, rng: np.sqrt(confidence))["precision"]
    assert check.first.value >= 0.95
    assert check.second.high < 0.95
    assert check.outcome == "breaks"
    assert check.coverage[1] > check.coverage[0]


def test_shifted_ood_scores_break_the_threshold_of_acceptance(compared):
    check = compared(lambda confidence, rng: confidence, lambda ood: ood - 0.5)["tpr"]
    assert (check.outcome, check.second.value < 0.92) == ("breaks", True)


def test_a_version_that_is_never_so_sure_accepts_nothing(compared):
    check = compared(lambda confidence, rng: confidence / 2)["precision"]
    assert (check.second, check.outcome, check.coverage[1]) == (None, "inconclusive", 0.0)


def test_the_lowest_threshold_with_the_precision_by_hand():
    confidence = np.float32([0.9, 0.8, 0.8, 0.7, 0.6])
    assert precision_threshold(confidence, np.array([1, 1, 0, 1, 0], bool), 0.75) == pytest.approx(0.7)
    assert precision_threshold(confidence, np.array([1, 1, 0, 0, 0], bool), 0.9) == pytest.approx(0.9)
    assert precision_threshold(confidence, np.array([0, 1, 0, 0, 0], bool), 0.9) is None
