"""`self_agreement`: order, wording, and yes or no against choice; right or wrong plays no part."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.answers.answerers import answering_inputs, value

from eyechart.probes.contract import TextRequest
from eyechart.probes.self_agreement import Settings, _agreements, _yes_no, questions, self_agreement
from eyechart.probes.tasks.two_options import with_article

NAMES = ["cat", "dog", "owl", "bird"]
LABELS = [0, 1, 2, 3] * 15


def listed(question):
    """The two options in the order in which the question has them."""
    found = [(question.find(name), name) for name in NAMES if name in question]
    return [name for _, name in sorted(found)]


def ask(answer):
    return self_agreement.ask(answering_inputs(answer, LABELS, NAMES, Settings()))


def consistently_wrong(row, question):
    """Never the true class: wrong, but of one mind."""
    true, options = NAMES[LABELS[row]], listed(question)
    if "yes or no" in question:
        return "no" if options == [true] else "yes"
    return next(name for name in options if name != true)


def test_a_model_of_one_mind_agrees_even_where_it_is_wrong():
    found = ask(consistently_wrong)
    assert [value(found, "agreement", changed=form).value for form in ("order", "wording", "yes or no")] == [1, 1, 1]
    assert value(found, "yes_share").value == 0.5 and value(found, "yes_to_both").value == 0


def test_a_preference_for_the_first_option_shows_in_the_order_alone():
    found = ask(lambda row, q: ("yes" if listed(q) == [NAMES[LABELS[row]]] else "no") if "yes or no" in q else listed(q)[0])
    assert value(found, "agreement", changed="order").value == 0
    assert value(found, "agreement", changed="wording").value == 1
    yes_no = value(found, "agreement", changed="yes or no")  # the first option is the true one for about half of the pictures
    assert 0.3 < yes_no.value < 0.7


def test_a_yes_sayer_is_found():
    found = ask(lambda row, q: "Yes." if "yes or no" in q else NAMES[LABELS[row]])
    assert value(found, "yes_to_both").value == 1 == value(found, "yes_share").value
    assert value(found, "agreement", changed="yes or no").value == 0


def test_a_model_that_depends_on_the_wording_is_found():
    found = ask(lambda row, q: listed(q)[0] if q.startswith("This") else listed(q)[-1] if "of these" in q else min(listed(q)))
    assert value(found, "agreement", changed="wording").value < 0.8


def test_undecided_replies_are_no_disagreement_but_are_counted():
    found = ask(lambda row, q: "hm" if q.startswith("Which") else consistently_wrong(row, q))
    assert value(found, "agreement", changed="wording").value == 1 and value(found, "agreement", changed="wording").n == 60
    assert value(found, "undecided").value == 1 / 6


def test_chance_agreement_of_coin_flips():
    rng = np.random.default_rng(0)
    found = ask(lambda row, q: ["yes", "no"][rng.integers(2)] if "yes or no" in q else listed(q)[rng.integers(2)])
    for form, chance in (("order", 0.5), ("wording", 0.5), ("yes or no", 0.25)):
        finding = value(found, "agreement", changed=form)
        assert finding.low <= chance <= finding.high


def test_articles():
    assert [with_article(n) for n in ("dog", "owl", "scissors", "glass", "Paris")] == [
        "a dog", "an owl", "scissors", "a glass", "Paris",
    ]  # fmt: skip


def test_agreements_of_four_pictures_by_hand():
    """Columns: as listed, reversed (turned back), two other wordings; then yes or no to each option. -1 is undecided."""
    chosen = np.array([[0, 0, 0, 1], [1, 0, 1, 1], [-1, 0, 0, 0], [1, -1, 0, -1]])
    yes = np.array([[1, 0], [0, 1], [1, 0], [1, 1]])
    units = np.array([3, 3, 5, 6])
    found = {f.slice["changed"]: f for f in _agreements(chosen, yes, units)}
    assert {form: (f.value, f.n) for form, f in found.items()} == {
        "order": (0.5, 2), "wording": (pytest.approx(3 / 5), 5), "yes or no": (pytest.approx(2 / 3), 3),
    }  # fmt: skip
    both = {f.metric: (f.value, f.n) for f in _yes_no(np.array([[1, 1], [0, 0], [1, 0], [-1, 1], [0, 0]]), np.arange(5))}
    assert both == {"yes_to_both": (0.25, 4), "no_to_both": (0.5, 4), "yes_share": (pytest.approx(4 / 9), 9)}
    assert _yes_no(np.full((2, 2), -1), np.arange(2)) == []
    assert [f.slice for f in _agreements(np.array([[0, -1, -1, 1]]), np.array([[-1, 1]]), np.arange(1))] == [
        {"changed": "wording"}
    ]


def test_the_form_that_agrees_least_is_named():
    found = ask(lambda row, q: ("yes" if listed(q) == [NAMES[LABELS[row]]] else "no") if "yes or no" in q else listed(q)[0])
    (shown,) = found.exhibits
    assert shown.sentence == "The answer agrees least where the order is changed: 0.0%."
    assert shown.table.column("agreement").to_pylist()[:2] == [0.0, 1.0]
    assert ask(lambda row, q: "hm").exhibits == []


def test_each_question_counts_once_and_tokens_are_those_of_all_six():
    found = ask(consistently_wrong)
    assert (value(found, "undecided").n, value(found, "agreement", changed="order").n) == (6 * 60, 60)
    assert (value(found, "agreement", changed="wording").n, value(found, "yes_share").n) == (120, 120)


def test_the_dry_run_names_six_questions_for_each_picture():
    made = answering_inputs(consistently_wrong, LABELS, NAMES, Settings(pictures=5))
    asked = []
    self_agreement.ask(replace(made, ask=lambda questions: asked.extend(questions) or made.ask(questions)))
    planned = questions(TextRequest(made.dataset, (), made.settings))
    assert list(planned) == asked and len(planned) == 30
    one = answering_inputs(consistently_wrong, [0, 0], ["cat"], Settings())
    assert questions(TextRequest(one.dataset, (), one.settings)) == ()
