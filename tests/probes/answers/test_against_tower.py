"""The comparison with a tower, and the selection trap: two equal models show no gain, however hard pictures are chosen."""

import numpy as np
import pytest
from scipy.stats import binom
from tests.probes.answers.answerers import answering_inputs, chooser, value

from eyechart.probes.answers import answers
from eyechart.probes.answers.against_tower import Compared, compare, hard_rows
from eyechart.probes.answers.options import confusable_classes
from eyechart.probes.answers.settings import Settings

NAMES = ["cat", "dog", "horse", "bird"]


def drawn(rng, accuracy, labels, classes):
    """Predictions with this accuracy for each class, errors spread evenly."""
    right = rng.random(len(labels)) < np.asarray(accuracy)[labels]
    return np.where(right, labels, (labels + rng.integers(1, classes, len(labels))) % classes)


def compared(model, tower, labels, half):
    return Compared((model == labels)[:, None], tower == labels, labels, np.arange(len(labels)), half)


def test_a_hand_worked_table():
    model, tower = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 1], bool)
    of = Compared(model[:, None], tower, np.zeros(5, int), np.arange(5), np.array([1, 0, 1, 0, 1], bool))
    found = {f.metric: f.value for f in compare("choice", of, 0.5, None) if not f.slice}
    assert found["choice_both_right"] == 0.4 and found["choice_both_wrong"] == 0.2
    assert found["choice_only_model_right"] == found["choice_only_tower_right"] == 0.2
    assert found["choice_gain"] == 0 and found["choice_tower_accuracy"] == 0.6


def test_hard_classes_come_from_the_other_half_alone():
    truth = np.array([0, 0, 1, 1])
    half = np.array([True, False, True, False])
    right = np.array([1.0, 0.0, 0.0, 1.0])  # the true half has class 1 wrong, the other class 0
    assert hard_rows(right, truth, half, 0.5).tolist() == [True, False, False, True]


def test_options_come_from_the_other_half_alone():
    truth, half = np.zeros(4, int), np.array([True, True, False, False])
    scores = np.array([[0, 1, 0.1], [0, 1, 0.1], [0, 0.1, 1], [0, 0.1, 1]], float)
    ranked = confusable_classes(scores, truth, half)
    assert ranked[:, 0].tolist() == [2, 2, 1, 1]


def null_gains(draws, n=240):
    """Per slice, how often the interval of the gain leaves 0 for two models of equal accuracy in every class; and the gain that
    choosing the tower's own errors would show."""
    flagged, naive = {}, []
    rng = np.random.default_rng(5)
    labels = np.arange(n) % 8
    for _ in range(draws):
        accuracy = rng.uniform(0.4, 0.95, 8)
        model, tower, third = (drawn(rng, accuracy, labels, 8) for _ in range(3))
        half = rng.permutation(np.arange(n) % 16 < 8)
        for f in compare("choice", compared(model, tower, labels, half), 0.25, third != labels):
            if f.metric == "choice_gain":
                key = tuple(sorted(f.slice.items()))
                flagged[key] = flagged.get(key, 0) + (not f.low <= 0 <= f.high)
        wrong = tower != labels
        naive.append((model == labels)[wrong].mean())
    return flagged, naive


def test_two_equal_models_show_no_gain_where_the_naive_choice_shows_a_large_one():
    flagged, naive = null_gains(200)
    assert np.mean(naive) > 0.4  # on the tower's own errors, where the tower scores 0
    assert len(flagged) == 7 and max(flagged.values()) <= 18, flagged
    assert binom.sf(18, 200, 0.05) < 0.01  # 18 of 200 is rare at a true rate of 5%


def test_a_model_that_repairs_two_classes_gains_there_and_nowhere_else():
    rng = np.random.default_rng(1)
    labels = np.arange(800) % 8
    weak = np.where(np.arange(8) < 2, 0.3, 0.9)
    tower, model = drawn(rng, weak, labels, 8), drawn(rng, np.full(8, 0.9), labels, 8)
    found = compare("choice", compared(model, tower, labels, rng.random(800) < 0.5), 0.25, None)
    gain = {tuple(sorted(f.slice.items())): f for f in found if f.metric == "choice_gain"}
    hard = gain[(("chosen_by", "tower"), ("classes", "hard"))]
    other = gain[(("chosen_by", "tower"), ("classes", "other"))]
    assert hard.low > 0.4 and hard.n == 200 and other.low <= 0 <= other.high


def test_the_tower_answers_the_same_question_whatever_the_order():
    """Tower and model with the same predictions answer every choice alike: no gain, and nobody is right alone."""
    rng = np.random.default_rng(2)
    labels = np.arange(120) % 4
    predicted = drawn(rng, np.full(4, 0.6), labels, 4)
    settings = Settings(asks=("choice",), options=0, tower="given")
    found = answers.ask(answering_inputs(chooser(predicted, NAMES), labels, NAMES, settings, tower=predicted))
    assert value(found, "choice_gain").value == 0 == value(found, "choice_only_model_right").value
    assert value(found, "choice_accuracy").value == pytest.approx((predicted == labels).mean())


def test_with_a_tower_the_wrong_option_is_what_it_confuses():
    labels = np.arange(80) % 4
    tower = np.where(labels == 0, 2, labels)  # every cat is taken for a horse
    asked = []
    settings = Settings(asks=("choice",), tower="given")
    found = answers.ask(
        answering_inputs(lambda row, q: asked.append((row, q)) or NAMES[labels[row]], labels, NAMES, settings, tower=tower)
    )
    assert all("cat" in q and "horse" in q for row, q in asked if labels[row] == 0)
    assert value(found, "choice_tower_accuracy").value == 0.75
    assert value(found, "choice_gain", classes="hard", chosen_by="tower").value == 1.0


def test_hard_pictures_of_a_third_model():
    labels = np.arange(80) % 4
    third = np.where(np.arange(80) < 20, (labels + 1) % 4, labels)
    settings = Settings(asks=("choice",), tower="given", selector="given")
    inputs = answering_inputs(lambda row, q: NAMES[labels[row]], labels, NAMES, settings, tower=labels, selector=third)
    found = answers.ask(inputs)
    assert value(found, "choice_gain", pictures="hard", chosen_by="selector").n == 20
    assert value(found, "choice_gain", pictures="other", chosen_by="selector").n == 60
