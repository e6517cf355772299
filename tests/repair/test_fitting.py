"""Temperature, thresholds and sets: against SciPy, and the promises over 200 splits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from tests.repair.made import CLASSES, DIRECTIONS, inputs, unit

from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList, PictureClass
from eyechart.repair.classifier_outcome import predict
from eyechart.repair.fitting import bare_classifier, calibrated, unmet_targets, with_temperature
from eyechart.repair.settings import Settings

MADE = inputs(["{}"], n=2000)
LABELS = np.array(MADE.dataset.table.column("label").to_pylist())


def bare() -> Classifier:
    return bare_classifier(CLASSES, unit(DIRECTIONS), 40.0, 0.0, Settings())


def test_the_temperature_is_the_one_of_least_loss():
    found, fitted = with_temperature(bare(), MADE.images, LABELS, MADE.clusters)
    logits, truth = 40.0 * MADE.images.astype(float) @ unit(DIRECTIONS).T, np.arange(2000) % 10

    def loss(log_t: float) -> float:
        return -float(log_softmax(logits / np.exp(log_t), axis=1)[np.arange(2000), truth].mean())

    expected = np.exp(minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).x)
    assert found.temperature == fitted.value == pytest.approx(expected, rel=1e-4)


def test_a_label_with_two_classes_is_right_under_either():
    twice = ClassList("c", (PictureClass("n0", "thing0"), PictureClass("n0", "thing1"), PictureClass("n2", "thing2")))
    classifier = bare_classifier(twice, unit(DIRECTIONS[:3]), 40.0, 0.0, Settings())
    images, labels = unit(DIRECTIONS[[0, 1, 2, 1]]), np.array(["n0", "n0", "n2", "n2"])
    outcome = predict(classifier, images, labels)
    assert outcome.correct.tolist() == [True, True, True, False]
    p = classifier.probabilities(images)
    np.testing.assert_allclose(outcome.label_probability, [p[0, 0], p[1, 1], p[2, 2], p[3, 2]])
    assert with_temperature(classifier, images, labels, np.arange(4))[1].n == 4


def test_a_label_that_no_class_has_is_never_right_nor_covered():
    outcome = predict(replace(bare(), coverage=0.9, least=0.0), MADE.images[:5], np.full(5, "n99"))
    assert not outcome.correct.any() and not outcome.covered.any() and (outcome.label_probability == 0).all()


@pytest.mark.parametrize("by_class", [False, True])
def test_promises_hold_over_200_splits(by_class):
    """Sets cover what they promise within a point; right answers are kept as often as promised, in each class where asked."""
    settings, rng = Settings(coverage=0.9, keep=0.9, by_class=by_class), np.random.default_rng(1)
    covered, kept, by_label = [], [], []
    for _ in range(200):
        order = rng.permutation(2000)[:1000]
        seen, new = order[:500], order[500:]
        found = predict(calibrated(bare(), MADE.images[seen], LABELS[seen], settings), MADE.images[new], LABELS[new])
        covered.append(found.covered.mean())
        answered = ~found.abstained[found.correct]
        kept.append(answered.mean())
        by_label.append([answered[LABELS[new][found.correct] == f"n{c}"].mean() for c in range(10)])
    assert abs(np.mean(covered) - 0.9) < 0.01
    assert abs(np.mean(kept) - 0.9) < 0.015
    if by_class:
        assert np.abs(np.mean(by_label, axis=0) - 0.9).max() < 0.03


def test_every_picture_in_blocks_is_as_at_once(monkeypatch):
    whole = predict(replace(bare(), coverage=0.9, least=0.05), MADE.images[:50], LABELS[:50])
    monkeypatch.setattr("eyechart.repair.classifier_outcome._BLOCK", 70)
    parts = predict(replace(bare(), coverage=0.9, least=0.05), MADE.images[:50], LABELS[:50])
    np.testing.assert_allclose(whole.label_probability, parts.label_probability, atol=1e-6)
    np.testing.assert_array_equal(whole.set_sizes, parts.set_sizes)


def test_what_could_not_be_promised_is_said():
    """Of ten classes each has five right answers: with 19 of a class, one may be turned away at 95%."""
    some, by_class = slice(0, 50), Settings(by_class=True)
    (said,) = unmet_targets(MADE, calibrated(bare(), MADE.images[some], LABELS[some], by_class), by_class)
    assert "10 of 10 classes never abstain" in str(said)
    few, strict = slice(0, 10), Settings(coverage=0.95)
    always, everything = unmet_targets(MADE, calibrated(bare(), MADE.images[few], LABELS[few], strict), strict)
    assert "never abstains" in str(always) and "sets contain every class" in str(everything)
    assert unmet_targets(MADE, calibrated(bare(), MADE.images, LABELS, Settings()), Settings()) == []
