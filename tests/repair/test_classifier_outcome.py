"""Predictions on labeled pictures, against a loop over the probabilities."""

import numpy as np
import pytest

from eyechart.classifier import Classifier
from eyechart.repair import classifier_outcome
from eyechart.repair.classifier_outcome import ClassifierOutcome, predict, predict_by_scores


def made(**changes):
    """Four classes, two of which share the label b; no class has the label z."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    known = {"coverage": 0.9, "least": 0.2, "thresholds": np.array([0.3, 0.6, 0.4, 0.9])}
    return Classifier(("a", "b", "b", "c"), ("w", "x", "y", "z"), vectors, 5.0, 0.0, 1.0, **{**known, **changes})


@pytest.mark.parametrize("block", [1, 4 * 7, 1 << 21])
@pytest.mark.parametrize("sets", [True, False])
def test_every_picture_by_itself(block, sets, monkeypatch):
    monkeypatch.setattr(classifier_outcome, "_BLOCK", block)
    rng = np.random.default_rng(1)
    images = rng.normal(size=(40, 6)).astype(np.float32)
    labels = np.array(["a", "b", "c", "z"])[rng.integers(0, 4, 40)]
    classifier = made() if sets else made(coverage=None, least=None)
    found = predict(classifier, images, labels)
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        p = classifier.probabilities(image)[0]
        best = int(p.argmax())
        own = max((p[c] for c in range(4) if classifier.labels[c] == label), default=0.0)
        assert found.answers[i] == best
        assert found.correct[i] == (classifier.labels[best] == label)
        assert found.confidence[i] == pytest.approx(p[best], rel=1e-5)
        assert found.label_probability[i] == pytest.approx(own, rel=1e-5)
        assert found.abstained[i] == (p[best] < classifier.thresholds[best])
        if sets:
            assert found.set_sizes[i] == sum(p >= 0.2)
            assert found.covered[i] == (own >= 0.2)
    assert (found.covered is None) == (found.set_sizes is None) == (not sets)
    assert 0 < found.correct.mean() < 1 and 0 < found.abstained.mean() < 1


def test_a_set_of_all_classes_does_not_hold_a_label_that_none_has():
    found = predict(made(least=0.0), np.ones((2, 6), np.float32), np.array(["z", "a"]))
    assert found.covered.tolist() == [False, True]
    assert found.set_sizes.tolist() == [4, 4]


def test_a_label_without_probability_has_a_finite_loss():
    nothing = np.zeros(3, bool)
    outcome = ClassifierOutcome(np.zeros(3, int), nothing, np.ones(3), np.array([1.0, 0.5, 0.0]), nothing, None, None)
    assert outcome.nll[:2] == pytest.approx([0.0, np.log(2)])
    assert outcome.nll[2] == pytest.approx(-np.log(np.finfo(np.float64).tiny))


def test_a_probability_at_the_limit_is_in_the_set_and_answered():
    """The picture is as near to one class as to the other: both have exactly one half."""
    axes = np.eye(3, dtype=np.float32)
    halves = Classifier(("a", "b"), ("a", "b"), axes[:2], 5.0, 0.0, 1.0, coverage=0.9, least=0.5, thresholds=np.array([0.5, 0.5]))
    found = predict(halves, axes[[2]], np.array(["b"]))
    assert (found.confidence.tolist(), found.label_probability.tolist()) == ([0.5], [0.5])
    assert (found.set_sizes.tolist(), found.covered.tolist(), found.abstained.tolist()) == ([2], [True], [False])


def test_scores_are_read_as_logits():
    """Classes 1 and 2 share the label b, of which the more probable one counts; no class has the label z."""
    p = np.array([[0.5, 0.2, 0.3], [0.1, 0.3, 0.6], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
    found = predict_by_scores(np.log(p) + 3, ["a", "b", "b"], np.array(["b", "b", "a", "z"]))
    assert found.answers.tolist() == [0, 2, 1, 0]
    assert found.correct.tolist() == [False, True, False, False]
    assert found.confidence == pytest.approx([0.5, 0.6, 0.7, 0.6])
    assert found.label_probability == pytest.approx([0.3, 0.6, 0.2, 0.0])
    assert not found.abstained.any() and found.covered is None and found.set_sizes is None
