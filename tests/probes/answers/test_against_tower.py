"""The comparison with a tower, and the selection trap: two equal models show no gain, however hard pictures are chosen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from tests.probes.answers.answerers import answering_inputs, chooser, options_of, value

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


def equal_models(rng, labels, classes):
    """The first and second choice of three models. In every class they are equally accurate, each with one other class of its own
    that it confuses with it, and err independently."""
    accuracy = rng.uniform(0.4, 0.95, classes)
    made = []
    for _ in range(3):
        confused = (np.arange(classes) + rng.integers(1, classes, classes)) % classes
        right = rng.random(len(labels)) < accuracy[labels]
        made.append(np.where(right, [labels, confused[labels]], [confused[labels], labels]))
    return made


def gains_through_the_probe(draws, settings, n=160, classes=8):
    """The gains of equal models, with options as the probe builds them; and how often the interval of each slice leaves 0."""
    names = [f"kind{c}" for c in range(classes)]
    rng, labels = np.random.default_rng(11), np.arange(n) % classes
    gains, flagged = [], {}
    for draw in range(draws):
        model, tower, third = equal_models(rng, labels, classes)

        def answer(row, question, model=model):
            listed = options_of(question)
            return next(names[c] for c in model[:, row] if names[c] in listed)  # the second choice where the first is no option

        inputs = answering_inputs(answer, labels, names, replace(settings, seed=draw), tower=tower[0], selector=third[0])
        inputs.other_models["tower"] = replace(inputs.other_models["tower"], images=two_axes(*tower, classes))
        if not settings.selector:
            del inputs.other_models["selector"]
        found = [f for f in answers.ask(inputs).findings if f.metric == "choice_gain"]
        gains.append([f.value for f in found if not f.slice])
        for f in found:
            key = tuple(sorted(f.slice.items()))
            flagged[key] = flagged.get(key, 0) + (not f.low <= 0 <= f.high)
    return np.array(gains), flagged


def two_axes(first, second, classes):
    """Picture vectors with the highest cosine to the first class and the next to the second."""
    return (0.8 * np.eye(classes)[first] + 0.6 * np.eye(classes)[second]).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(("selector", "slices"), [("", 5), ("third", 7)])
def test_equal_models_with_confusions_of_their_own_show_no_gain_through_the_probe(selector, slices):
    settings = Settings(asks=("choice",), tower="given", selector=selector)
    gains, flagged = gains_through_the_probe(200, settings)
    assert gains.shape == (200, 1) and abs(gains.mean()) < 3 * gains.std() / np.sqrt(200)
    assert len(flagged) == slices and max(flagged.values()) <= 18, flagged


@pytest.mark.parametrize("by", ["tower", "selector"])
def test_options_by_confusions_of_one_model_are_not_compared(by):
    settings = Settings(asks=("choice",), tower="given", selector="third", distractors=by)
    gains, flagged = gains_through_the_probe(2, settings)
    assert gains.size == 0 and not flagged


def test_options_by_the_tower_s_confusions_would_show_a_gain():
    labels = np.arange(160) % 8
    model, tower, _ = equal_models(np.random.default_rng(3), labels, 8)
    ranked = confusable_classes(np.asarray(two_axes(*tower, 8), float), labels, np.arange(160) % 16 < 8)[:, :2]
    wrong = np.where(ranked[:, 0] == labels, ranked[:, 1], ranked[:, 0])
    assert (model[0] != wrong).mean() - (tower[0] != wrong).mean() > 0.15  # a choice is wrong where the wrong option comes first


def test_choices_against_the_tower_s_confusions_have_an_accuracy_and_a_notice():
    labels = np.arange(80) % 4
    tower = np.where(labels == 0, 2, labels)  # every cat is taken for a horse
    asked = []
    settings = Settings(asks=("choice",), tower="given", distractors="tower")
    inputs = answering_inputs(lambda row, q: asked.append((row, q)) or NAMES[labels[row]], labels, NAMES, settings, tower=tower)
    found = answers.ask(inputs)
    assert all("cat" in q and "horse" in q for row, q in asked if labels[row] == 0)
    assert value(found, "choice_accuracy").value == 1 and "own errors" in str(found.notices[0])
    assert not [f for f in found.findings if f.metric in ("choice_gain", "choice_tower_accuracy", "choice_both_right")]
    assert not [e for e in found.exhibits if e.name == "gain-choice"]
    every = answers.ask(replace(inputs, settings=replace(settings, options=0)))  # all classes: nothing is selected
    assert value(every, "choice_tower_accuracy").value == 0.75 and not every.notices


def test_options_by_a_third_model_are_what_it_confuses_and_else_they_are_random():
    labels = np.arange(80) % 4
    third = np.where(labels == 0, 2, labels)  # every cat is taken for a horse
    tower = np.where(labels == 0, 1, labels)
    for distractors, expected in (("selector", {"horse"}), ("auto", {"dog", "horse", "bird"})):
        asked = []
        settings = Settings(asks=("choice",), tower="given", selector="third", distractors=distractors)
        answer = lambda row, q, asked=asked: asked.append((row, q)) or NAMES[labels[row]]  # noqa: E731
        answers.ask(answering_inputs(answer, labels, NAMES, settings, tower=tower, selector=third))
        assert {name for row, q in asked if labels[row] == 0 for name in options_of(q)} == {"cat", *expected}


def test_the_gain_names_the_tower_s_prompt_set():
    labels = np.arange(80) % 4
    settings = Settings(asks=("free",), tower="given")
    inputs = answering_inputs(lambda row, q: NAMES[labels[row]], labels, NAMES, settings, tower=labels)
    tower = inputs.other_models["tower"]
    prompts = (replace(tower.prompts[0], name="two-words"), *tower.prompts)  # the first set is the tower's
    found = answers.ask(replace(inputs, other_models={"tower": replace(tower, prompts=prompts)}))
    assert value(found, "free_gain").baseline == "tower under two-words"
    (chart,) = [e for e in found.exhibits if e.name == "gain-free"]
    assert "that of the tower under two-words." in chart.sentence


def test_labels_of_the_chart_differ_within_their_first_letters():
    labels = np.arange(80) % 4
    third = np.where(np.arange(80) < 20, (labels + 1) % 4, labels)
    settings = Settings(asks=("choice",), tower="given", selector="third")
    inputs = answering_inputs(lambda row, q: NAMES[labels[row]], labels, NAMES, settings, tower=labels, selector=third)
    (chart,) = [e for e in answers.ask(inputs).exhibits if e.name == "gain-choice"]
    written = chart.table.column(0).to_pylist()
    assert len(set(written)) == 7 and max(map(len, written)) <= 28
    assert written[:3] == ["all classes", "hard classes (tower)", "other classes (tower)"]


def test_hard_pictures_of_a_third_model():
    labels = np.arange(80) % 4
    third = np.where(np.arange(80) < 20, (labels + 1) % 4, labels)
    settings = Settings(asks=("choice",), tower="given", selector="third")
    inputs = answering_inputs(lambda row, q: NAMES[labels[row]], labels, NAMES, settings, tower=labels, selector=third)
    found = answers.ask(inputs)
    assert value(found, "choice_gain", pictures="hard", chosen_by="selector").n == 20
    assert value(found, "choice_gain", pictures="other", chosen_by="selector").n == 60
