"""Signals of classes: against plain loops, SciPy and known populations."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy, ttest_1samp

from eyechart.metrics.classification import class_signals
from eyechart.metrics.classification.class_signals import class_mean_errors, class_means, read_signals, strongest_confusion
from eyechart.metrics.classification.margins import picture_margins
from eyechart.metrics.vectors import unit


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return (
        unit(rng.normal(size=(57, 12)).astype(np.float32)),
        unit(rng.normal(size=(6, 12)).astype(np.float32)),
        rng.integers(0, 6, 57),
    )


def test_entropy_and_confidence_are_scipys(vectors, monkeypatch):
    monkeypatch.setattr(class_signals, "_BLOCK", 50)
    images, classes, labels = vectors
    found = read_signals(images, classes, [labels, 5 - labels], 20.0)
    p = softmax(20.0 * (images.astype(float) @ classes.T.astype(float)), axis=1)
    assert found.entropy == pytest.approx(entropy(p, axis=1), abs=1e-4)
    assert found.confidence == pytest.approx(p.max(axis=1), abs=1e-5)
    assert (found.predicted == p.argmax(axis=1)).all()
    assert found.margins[0] == pytest.approx(picture_margins(images, classes, labels), abs=1e-6)
    assert found.margins[1] == pytest.approx(picture_margins(images, classes, 5 - labels), abs=1e-6)


def test_without_a_scale_there_is_no_probability(vectors):
    images, classes, labels = vectors
    found = read_signals(images, classes, [labels], None)
    assert found.entropy is None and found.confidence is None


def test_means_and_confusion_by_hand():
    labels, predicted = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 1, 2, 1, 1])
    assert class_means(np.arange(6.0), labels, 3, -9.0).tolist() == [1.5, 4.5, -9.0]
    assert strongest_confusion(labels, predicted, 3).tolist() == [0.5, 0.0, 1.0]


def test_errors_are_students_and_copies_count_once():
    rng = np.random.default_rng(1)
    values, labels = rng.normal(size=40), np.repeat([0, 1, 3], [10, 29, 1])
    half = class_mean_errors(values, labels, np.arange(40), 4)
    for c in (0, 1):
        low, high = ttest_1samp(values[labels == c], 0).confidence_interval(0.95)
        assert 2 * half[c] == pytest.approx(high - low)
    assert np.isnan(half[[2, 3]]).all()
    twice = class_mean_errors(np.repeat(values, 2), np.repeat(labels, 2), np.repeat(np.arange(40), 2), 4)
    assert twice[:2] == pytest.approx(half[:2])
