"""`none_of_these`: a model that rejects, one that never does, one that always does, and out-of-distribution pictures."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.probes.contract import TextRequest
from eyechart.probes.none_of_these import NONE, Settings, none_of_these, questions

NAMES = ["cat", "dog", "horse", "bird", "owl", "cow"]
LABELS = [0, 1, 2, 3, 4, 5] * 8
LISTED, LEFT_OUT = {"pictures": "true class listed"}, {"pictures": "true class left out"}


def knowing(row, question):
    return NAMES[LABELS[row]] if NAMES[LABELS[row]] in options_of(question) else NONE


def ask(answer, labels=LABELS, **settings):
    return none_of_these.ask(answering_inputs(answer, labels, NAMES, Settings(**settings)))


def test_a_model_that_knows_rejects_where_the_class_is_left_out_and_only_there():
    found = ask(knowing)
    assert value(found, "rejected", **LISTED).value == 0 and value(found, "rejected", **LEFT_OUT).value == 1
    assert value(found, "rejection_effect").value == 1 and value(found, "accuracy").value == 1


def test_a_planted_refusal_to_reject_is_found():
    found = ask(lambda row, q: NAMES[LABELS[row]] if NAMES[LABELS[row]] in q else options_of(q)[0])
    effect = value(found, "rejection_effect")
    assert effect.value == 0 and effect.high < 0.1
    assert value(found, "accuracy").value == 1


def test_a_model_that_always_rejects_has_no_effect():
    found = ask(lambda row, q: "None of the above.")
    assert value(found, "rejected", **LISTED).value == 1 == value(found, "rejected", **LEFT_OUT).value
    assert value(found, "rejection_effect").value == 0 == value(found, "accuracy").value


def test_every_choice_has_as_many_options_and_none_last():
    dataset = answering_inputs(knowing, LABELS, NAMES, Settings()).dataset
    asked = questions(TextRequest(dataset, (), Settings(options=3)))
    assert len(asked) == 2 * len(LABELS)
    for q in asked:
        *options, last = options_of(q.text)
        assert last == NONE and len(set(options)) == 3
    for listed, left_out in zip(asked[::2], asked[1::2], strict=True):
        true = NAMES[LABELS[listed.row]]
        assert listed.row == left_out.row
        assert true in options_of(listed.text) and true not in options_of(left_out.text)


def test_out_of_distribution_pictures_are_asked_about_with_the_classes_of_the_dataset():
    seen = []

    def strange(row, question):
        seen.append(options_of(question))
        return NONE if row % 4 else options_of(question)[0]

    inputs = answering_inputs(knowing, LABELS, NAMES, Settings())
    other = answering_inputs(strange, [0] * 40, ["unknown"], Settings())
    other = replace(other, dataset=replace(other.dataset, name="other", role="ood"))
    found = none_of_these.ask(replace(inputs, companions={"other": other}))
    assert value(found, "rejected", pictures="out-of-distribution pictures").value == 0.75
    assert all(set(options) <= {*NAMES, NONE} for options in seen) and len(seen) == 40


@pytest.mark.slow
def test_random_answers_are_flagged_in_at_most_9_percent_of_200_draws():
    rng, flagged = np.random.default_rng(0), 0
    for _ in range(200):
        found = ask(lambda row, q: options_of(q)[rng.integers(len(options_of(q)))])
        effect = value(found, "rejection_effect")
        flagged += not effect.low <= 0 <= effect.high
    assert flagged <= 18


def test_shares_are_over_pictures_and_the_sentence_has_both():
    """Rejects every third picture where its class is listed, and two of three where it is left out."""

    def answer(row, question):
        there = NAMES[LABELS[row]] in options_of(question)
        if (row % 3 == 0) if there else (row % 3 > 0):
            return NONE
        return NAMES[LABELS[row]] if there else options_of(question)[0]

    found = ask(answer)
    listed, left_out = value(found, "rejected", **LISTED), value(found, "rejected", **LEFT_OUT)
    assert (listed.value, listed.n, left_out.value, left_out.n) == (pytest.approx(1 / 3), 48, pytest.approx(2 / 3), 48)
    effect, accuracy = value(found, "rejection_effect"), value(found, "accuracy")
    assert (effect.value, effect.n, effect.baseline) == (pytest.approx(1 / 3), 48, "true class listed")
    assert (accuracy.value, accuracy.n) == (pytest.approx(2 / 3), 48) and value(found, "undecided").n == 96
    (shown,) = found.exhibits
    assert shown.sentence.endswith("66.7% where the true class is left out, and for 33.3% where it is listed.")
    assert not [f for f in found.findings if f.slice.get("pictures") == "out-of-distribution pictures"]


def test_a_class_that_is_called_like_the_true_one_is_no_option():
    names = ["cat", "Cat", "dog", "owl"]
    dataset = answering_inputs(knowing, [0, 1, 2, 3], names, Settings()).dataset
    for options in (1, 2, 9):
        asked = questions(TextRequest(dataset, (), Settings(options=options)))
        for q in asked:
            *listed, _ = options_of(q.text)
            if q.row < 2:
                assert [name.lower() for name in listed].count("cat") <= 1 and len(listed) == min(options, 2)
    one = answering_inputs(knowing, [0, 0], ["cat"], Settings()).dataset
    assert questions(TextRequest(one, (), Settings())) == ()


@pytest.mark.parametrize(("pictures", "asked"), [(0, 40), (40, 40), (7, 7)])
def test_so_many_foreign_pictures_are_asked_about_with_so_many_options(pictures, asked):
    seen = []
    inputs = answering_inputs(knowing, LABELS, NAMES, Settings(pictures=pictures, options=3))
    other = answering_inputs(lambda row, q: seen.append((row, options_of(q))) or NONE, [0] * 40, ["unknown"], Settings())
    silent = replace(other, ask=None, dataset=replace(other.dataset, name="silent", role="ood"))
    other = replace(other, dataset=replace(other.dataset, name="other", role="ood"))
    found = none_of_these.ask(replace(inputs, companions={"silent": silent, "other": other}))
    rejected = value(found, "rejected", pictures="out-of-distribution pictures")
    assert (rejected.value, rejected.n) == (1.0, asked) and [row for row, _ in seen] == sorted({row for row, _ in seen})
    assert all(len(set(options)) == 4 for _, options in seen)
