"""Planted label errors are found; clean labels are left alone."""

import numpy as np
import pytest

from eyechart.metrics.classification import label_errors
from eyechart.metrics.classification.label_errors import MeanScores, mean_scores, suspected_errors
from eyechart.metrics.vectors import unit


def drawn(n, classes=6, noise=0.25, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    return unit((np.eye(classes, 32)[truth] + noise * rng.normal(size=(n, 32)) / np.sqrt(32)).astype(np.float32)), truth


def test_scores_are_cosines_to_means_without_the_picture_itself():
    vectors, labels = drawn(40, 3)
    scores = mean_scores(vectors, labels, 4)  # class 3 has no picture
    for i in range(40):
        means = {}
        for c in range(3):
            rest = [j for j in range(40) if labels[j] == c and j != i]
            mean = vectors[rest].astype(float).sum(axis=0)
            means[c] = float(vectors[i] @ mean / np.linalg.norm(mean))
        others = {c: s for c, s in means.items() if c != labels[i]}
        assert scores.own[i] == pytest.approx(means[labels[i]], abs=1e-5)
        assert scores.other[i] == max(others, key=others.get)
        assert scores.to_other[i] == pytest.approx(max(others.values()), abs=1e-5)
        assert scores.best[i] == max(means, key=means.get)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.10])
def test_planted_errors_are_found(rate):
    vectors, truth = drawn(2000)
    rng = np.random.default_rng(1)
    wrong = rng.choice(2000, round(rate * 2000), replace=False)
    labels = truth.copy()
    labels[wrong] = (truth[wrong] + rng.integers(1, 6, len(wrong))) % 6
    suspected, margin = suspected_errors(mean_scores(vectors, labels, 6), labels, 6)
    hits = np.isin(np.flatnonzero(suspected), wrong)
    assert hits.mean() == 1 and suspected[wrong].mean() > 0.4
    assert margin[wrong].min() > margin[np.setdiff1d(np.arange(2000), wrong)].max()


def test_clean_labels_are_left_alone():
    vectors, truth = drawn(2000)
    assert not suspected_errors(mean_scores(vectors, truth, 6), truth, 6)[0].any()


def test_the_only_picture_of_a_class_is_not_suspected():
    vectors, truth = drawn(50, 3)
    labels = truth.copy()
    labels[0] = 5
    assert not suspected_errors(mean_scores(vectors, labels, 6), labels, 6)[0][0]


def test_blocks_change_nothing(monkeypatch):
    vectors, labels = drawn(50, 4)
    whole = mean_scores(vectors, labels, 5)
    monkeypatch.setattr(label_errors, "_BLOCK", 7)
    parts = mean_scores(vectors, labels, 5)
    for name in ("own", "best", "other", "to_other"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), abs=1e-6)


def test_suspicion_by_hand():
    """Thresholds: class 0 (0.6 + 0.2)/2 = 0.4, class 1 (0.7 + 0.3)/2 = 0.5; class 2 has one picture, and no threshold.

    The second picture of class 0 is suspected: 0.5 reaches 0.5 and beats 0.2. The second of class 1 is not: 0.39 does not reach
    0.4. The first of class 1 reaches class 0's threshold, and does not beat its own. Class 2's only picture is never suspected,
    and no picture is suspected to belong to class 2."""
    labels = np.array([0, 0, 1, 1, 2, 1])
    scores = MeanScores(
        own=np.array([0.6, 0.2, 0.7, 0.3, -1.0, 0.5], np.float32),
        best=np.zeros(6, int),
        other=np.array([1, 1, 0, 0, 1, 2]),
        to_other=np.array([0.1, 0.5, 0.7, 0.39, 0.9, 0.95], np.float32),
    )
    suspected, margin = suspected_errors(scores, labels, 3)
    assert suspected.tolist() == [False, True, False, False, False, False]
    assert margin == pytest.approx([-0.5, 0.3, 0.0, 0.09, 1.9, 0.45])
