"""`verbal_confidence`: hand-computed numbers, a planted overconfidence, an honest twin, and replies that state no number."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.models.answering import Reply
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.verbal_confidence import LEAST, Settings, questions, read_number, verbal_confidence

NAMES = ["cat", "dog", "horse", "bird"]


def ask(stated, right, labels, settings=None):
    """A model that is right on the rows `right`, and states `stated(row)` about its choice."""

    def answer(row, question):
        if question.startswith("How sure"):
            return stated(row)
        true = NAMES[labels[row]]
        return true if right[row] else next(o for o in options_of(question) if o != true)

    return verbal_confidence.ask(answering_inputs(answer, labels, NAMES, settings or Settings(pictures=0)))


LABELS = [0, 1, 2, 3] * 10
RIGHT = [row % 4 != 0 for row in range(40)]  # 75%


def test_known_answer():
    found = ask(lambda row: "90" if RIGHT[row] else "50", RIGHT, LABELS)
    assert value(found, "stated_confidence").value == pytest.approx(0.75 * 0.9 + 0.25 * 0.5)
    assert value(found, "accuracy").value == 0.75
    assert value(found, "verbal_overconfidence").value == pytest.approx(0.8 - 0.75)
    # Two bins: |0.9 - 1| of three quarters, |0.5 - 0| of one quarter.
    assert value(found, "verbal_ece").value == pytest.approx(0.75 * 0.1 + 0.25 * 0.5)
    assert value(found, "verbal_auroc").value == pytest.approx(1)
    assert value(found, "unstated").value == 0


def test_planted_overconfidence_is_found_and_an_honest_twin_is_quiet():
    bold, honest = (ask(lambda row, n=n: n, RIGHT, LABELS) for n in ("100", "75"))
    assert value(bold, "verbal_overconfidence").low > 0.1
    quiet = value(honest, "verbal_overconfidence")
    assert quiet.low <= 0 <= quiet.high


@pytest.mark.slow
def test_honest_models_are_flagged_in_at_most_9_percent_of_200_draws():
    rng, flagged = np.random.default_rng(0), 0
    for _ in range(200):
        right = rng.random(80) < 0.7
        gap = value(ask(lambda row: "70", right, [0, 1, 2, 3] * 20), "verbal_overconfidence")
        flagged += not gap.low <= 0 <= gap.high
    assert flagged <= 18


@pytest.mark.parametrize(
    ("text", "number"),
    [("85", 0.85), ("85%", 0.85), ("I am 85 % sure.", 0.85), ("0.85", 0.85), ("85/100", 0.85), ("85 out of 100", 0.85), ("0", 0),
     ("100", 1), ("1", 0.01), ("1.0", 1), ("1.5", 0.015), ("0.5%", 0.005), ("99.5 %", 0.995)],
)  # fmt: skip
def test_numbers_are_read(text, number):
    assert read_number(Reply(text)) == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "very", "between 60 and 80", "120", "-"])
def test_what_is_no_number_is_not_read(text):
    assert np.isnan(read_number(Reply(text, "text" if text else "empty")))


def test_replies_without_a_number_are_counted_and_left_out():
    found = ask(lambda row: "sure" if row % 2 else "80", RIGHT, LABELS)
    assert value(found, "unstated").value == 0.5
    assert value(found, "accuracy").n == 20


def test_a_model_that_never_states_a_number_is_skipped_with_a_sentence():
    with pytest.raises(NotApplicable, match="only 0 replies state a number"):
        ask(lambda row: "quite", RIGHT, LABELS)


def test_questions_are_counted_before_they_are_known():
    dataset = answering_inputs(lambda row, q: "", LABELS, NAMES, Settings()).dataset
    asked = questions(TextRequest(dataset, (), Settings(pictures=12)))
    assert len(asked) == 24 and sum(q.text == "" for q in asked) == 12


@pytest.mark.parametrize("stating", [LEAST, LEAST - 1])
def test_so_many_numbers_are_needed(stating):
    if stating < LEAST:
        with pytest.raises(NotApplicable, match=f"only {stating} replies state a number"):
            ask(lambda row: "80" if row < stating else "sure", RIGHT, LABELS)
    else:
        found = ask(lambda row: "80" if row < stating else "sure", RIGHT, LABELS)
        assert value(found, "accuracy").n == stating and value(found, "unstated").n == 40


def test_numbers_by_the_tenth_and_the_sentence():
    """Rows of label 0 are wrong, and state 52; the others state 90 or 88."""
    found = ask(lambda row: "52" if not RIGHT[row] else "90" if row % 2 else "88", RIGHT, LABELS)
    (shown,) = found.exhibits
    assert shown.table.to_pylist() == [
        {"stated": "50%", "accuracy": 0.0, "choices": 10}, {"stated": "90%", "accuracy": 1.0, "choices": 30},
    ]  # fmt: skip
    mean = (10 * 0.52 + 20 * 0.90 + 10 * 0.88) / 40
    assert shown.sentence == f"The model states {mean:.1%} on average, and is right in 75.0%."
    mixed = ask(lambda row: "90", RIGHT, LABELS).exhibits[0].table.to_pylist()
    assert mixed == [{"stated": "90%", "accuracy": 0.75, "choices": 40}]
    assert value(found, "stated_confidence").value == pytest.approx(mean)
    assert (value(found, "verbal_ece").n, value(found, "verbal_overconfidence").n, value(found, "undecided").n) == (40, 40, 40)


def test_the_area_needs_right_and_wrong_choices_and_agrees_with_scikit_learn():
    stated = [50 + (7 * row) % 45 for row in range(40)]
    found = ask(lambda row: str(stated[row]), RIGHT, LABELS)
    assert value(found, "verbal_auroc").value == pytest.approx(roc_auc_score(RIGHT, stated))
    for right in ([True] * 40, [False] * 40):
        assert not [f for f in ask(lambda row: "80", right, LABELS).findings if f.metric == "verbal_auroc"]


def test_undecided_choices_are_not_asked_again():
    def answer(row, question):
        if question.startswith("How sure"):
            return "80"
        return "hm" if row % 2 else NAMES[LABELS[row]]

    found = verbal_confidence.ask(answering_inputs(answer, LABELS, NAMES, Settings(pictures=0)))
    assert (value(found, "unstated").n, value(found, "undecided").value, value(found, "undecided").n) == (20, 0.5, 40)
    with pytest.raises(NotApplicable, match="no reply names one of the options"):
        verbal_confidence.ask(answering_inputs(lambda row, q: "hm", LABELS, NAMES, Settings(pictures=0)))
