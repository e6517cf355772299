"""The three ways of asking, by hand: shares, intervals, tables of conversations, and what the order of options changes."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.models.answering import Reply
from eyechart.probes.answers import answers, questions
from eyechart.probes.answers.against_tower import Compared, compare, hard_rows
from eyechart.probes.answers.free_answers import map_answers
from eyechart.probes.answers.options import FREE, Choice, choices, confusable_classes
from eyechart.probes.answers.settings import Settings
from eyechart.probes.answers.task import make_task
from eyechart.probes.answers.ways import _accuracies, _conversation, _order_findings, _tower_choice
from eyechart.probes.contract import TextRequest
from eyechart.probes.tasks.answer_reading import ReadReply

NAMES = ["cat", "dog", "owl"]


def wilson(p, n, z=1.959964):
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return pytest.approx(((middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)), abs=1e-6)


def task_of(labels, clusters=None, names=NAMES, **settings):
    return make_task(answering_inputs(lambda row, q: "cat", labels, names, Settings(**settings), clusters=clusters))


def test_accuracies_count_pictures_and_class_intervals_count_copies_once():
    """Two questions about each of four pictures; rows 0 and 1 are copies."""
    task = task_of([0, 0, 0, 2], clusters=[5, 5, 6, 7])
    right = np.array([[1, 1], [1, 0], [1, 1], [0, 0]], bool)
    found = {(f.metric, f.slice.get("class")): f for f in _accuracies("choice", task, right, 0.5)}
    assert {key: (f.value, f.n) for key, f in found.items()} == {
        ("choice_accuracy", None): (0.625, 4), ("choice_chance", None): (0.5, 4),
        ("choice_class_accuracy", "cat"): (pytest.approx(5 / 6), 3), ("choice_class_accuracy", "owl"): (0.0, 1),
    }  # fmt: skip
    cat = found["choice_class_accuracy", "cat"]
    assert (cat.low, cat.high) == wilson(5 / 6, 2) and cat.interval == "Wilson, 95%"


def test_what_the_order_changes_is_counted_where_both_replies_are_decided():
    task = task_of([0, 1, 2, 0])
    chosen = np.array([[0, 0], [1, 2], [-1, 2], [-1, -1]])
    first = np.array([True, False, True, True, True, True, False, False])  # of undecided replies it does not count
    found = {f.metric: f for f in _order_findings(task, chosen, first, 0.5)}
    assert (found["order_changed"].value, found["order_changed"].n) == (0.5, 2)
    assert (found["first_option"].value, found["first_option"].n) == (pytest.approx(4 / 5), 5)
    excess, share = found["first_option_excess"], found["first_option"]
    assert (excess.value, excess.low, excess.high) == pytest.approx((0.3, share.low - 0.5, share.high - 0.5))
    assert (excess.n, excess.baseline, excess.interval) == (5, "chance", share.interval)
    assert _order_findings(task, np.full((4, 2), -1), first, 0.5) == []
    only = [f.metric for f in _order_findings(task, np.array([[0, -1]] * 4), first, 0.5)]
    assert only == ["first_option", "first_option_excess"]


def test_of_equal_cosines_the_tower_takes_the_earlier_class():
    cosines = np.array([[0.1, 0.5, 0.5], [0.9, 0.2, 0.3]])
    assert _tower_choice(cosines, [Choice((2, 1)), Choice((2, 1))]).tolist() == [1, 2]


def test_a_conversation_has_the_question_where_it_says_something():
    task = task_of([0, 1, 2])
    asked = "What is the main object in this picture? Choose one of the following: owl, cat. Answer with the name only."
    row = _conversation(task, 2, Reply("x" * 400), ReadReply("named", 0), (2, 0), None)
    assert row == {"id": "2", "asked": asked, "reply": "x" * 300 + " …", "read as": "owl", "class": "owl", "right": "yes"}
    row = _conversation(task, 0, Reply("", kind="empty"), ReadReply("empty"), (0, 1, 2), np.array([1, 1, 1]))
    assert row == {
        "id": "0", "asked": "", "reply": "(empty)", "read as": "empty", "class": "cat", "right": "no", "tower": "dog",
    }  # fmt: skip
    assert _conversation(task, 1, Reply("cat"), ReadReply("named", 1), (2, 0), None)["right"] == "no"
    many = task_of([0, 1], names=[f"n{c}" for c in range(12)])
    wording = [_conversation(many, 0, Reply("n1"), ReadReply("none"), range(count), None)["asked"] for count in (10, 11, 12)]
    assert "n0, n1, n2" in wording[0] and wording[1:] == [FREE, FREE]


def test_choices_show_the_first_order_of_each_picture_and_free_answers_every_picture():
    found = answers.ask(answering_inputs(lambda row, q: "cat", [0, 1, 2], NAMES, Settings(asks=("choice", "free"))))
    shown = {
        e.name: e.table.to_pylist() for e in found.exhibits if "class" in e.table.column_names and "reply" in e.table.column_names
    }
    assert [[row["id"] for row in rows] for rows in shown.values()] == [["1", "2", "0"]] * 2  # errors come first
    choice, free = shown.values()
    assert {row["read as"] for row in free} == {"cat"} and [row["right"] for row in free] == ["no", "no", "yes"]
    assert value(found, "choice_chance").value == 0.5 and value(found, "free_chance").value == pytest.approx(1 / 3)
    assert value(found, "undecided", asked="choice").n == 6 and value(found, "undecided", asked="free").n == 3
    assert {row["read as"] for row in choice} <= {"cat", "none"} and choice[-1]["right"] == "yes"


def test_free_answers_have_pictures_where_no_likelihoods_show_them():
    inputs = answering_inputs(lambda row, q: "cat", [0, 1, 2], NAMES, Settings(asks=("free",)))
    scored = answering_inputs(
        lambda row, q: "cat", [0, 1, 2], NAMES, Settings(asks=("free",)), likelihoods=lambda r, g: [0.0] * 3
    )
    assert len(answers.ask(inputs).exhibits) == 1 + len(answers.ask(scored).exhibits)
    (predictions,) = answers.ask(inputs).predictions
    assert (predictions.ood_score.tolist(), predictions.rank.tolist()) == ([1.0] * 3, [0, 1, 1])
    assert np.isnan(predictions.margin).all() and predictions.prompts == "free answer"


def test_likelihoods_have_a_chance_and_a_tower():
    inputs = answering_inputs(
        lambda row, q: "", [0, 1, 2, 0], NAMES, Settings(asks=("likelihood",), tower="given"), tower=[0, 0, 0, 0],
        likelihoods=lambda row, given: [0.0, -1.0, -2.0] if row < 2 else [-2.0, -1.0, 0.0],
    )  # fmt: skip
    found = answers.ask(inputs)
    assert (value(found, "likelihood_accuracy").value, value(found, "likelihood_chance").value) == (0.5, pytest.approx(1 / 3))
    assert (value(found, "likelihood_tower_accuracy").value, value(found, "likelihood_gain").value) == (0.5, 0.0)
    assert value(found, "likelihood_only_model_right").value == value(found, "likelihood_only_tower_right").value == 0.25


def test_the_lowest_share_of_the_classes_is_hard_and_at_least_one():
    """Accuracies on the other half: classes 0 to 3 have 0, 1/2, 1/2 and 1."""
    truth = np.repeat(np.arange(4), 4)
    half = np.tile([True, True, False, False], 4)
    right = np.array([0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1], float)
    for share, classes in ((0.01, [0]), (0.25, [0]), (0.5, [0, 1]), (0.75, [0, 1, 2])):
        assert sorted(set(truth[hard_rows(right, truth, half, share)].tolist())) == classes
    assert not hard_rows(right, truth, np.zeros(16, bool), 0.5).any()  # nothing is in the other half


def test_slices_of_the_comparison_and_their_pictures():
    truth, half = np.array([0, 0, 1, 1]), np.array([True, False, True, False])
    model = np.array([[1, 1], [1, 0], [0, 0], [1, 1]], bool)
    of = Compared(model, np.array([0, 0, 1, 1], bool), truth, np.arange(4), half, "it")
    found = compare("choice", of, 0.5, np.array([True, False, False, False]))
    table = {(f.metric.removeprefix("choice_"), *f.slice.values()): (f.value, f.n) for f in found}
    assert table["gain",] == (pytest.approx(5 / 8 - 1 / 2), 4) and ("accuracy",) not in table
    assert table["tower_accuracy", "hard", "tower"] == (0.0, 2) and table["accuracy", "hard", "tower"] == (0.75, 2)
    assert table["gain", "other", "tower"] == (pytest.approx(-0.5), 2)
    # By the model, class 0 is hard for the first half (1/2 on the other), class 1 for the second (0 on the other).
    assert table["accuracy", "hard", "model"] == (1.0, 2) and table["accuracy", "other", "model"] == (pytest.approx(0.25), 2)
    assert table["accuracy", "hard", "selector"] == (1.0, 1) and table["gain", "other", "selector"] == (
        pytest.approx(0.5 - 2 / 3),
        3,
    )
    parts = [table[name,][0] for name in ("both_right", "only_model_right", "only_tower_right", "both_wrong")]
    assert parts == pytest.approx([2 / 8, 3 / 8, 2 / 8, 1 / 8])


def test_confusable_classes_are_counted_then_scored_in_the_other_half():
    """Class 0 has three pictures in the other half: two are predicted as 2, one as 1. Class 3 is never predicted."""
    scores = np.array([[0, 0, 0, 0], [0, 1, 2, 0.9], [0, 1, 2, 0.9], [0, 3, 1, 0.9], [5, 0, 1, 2.0]])
    truth, half = np.array([0, 0, 0, 0, 1]), np.array([True, False, False, False, True])
    assert confusable_classes(scores, truth, half)[0].tolist() == [2, 1, 3, 0]
    # No picture of class 1 is in the other half, so all of its pictures are taken.
    assert confusable_classes(scores, truth, half)[4].tolist() == [2, 1, 3, 0]
    # Pictures of class 0 on the other side see row 0 alone, where all classes tie: it is predicted as 0.
    assert confusable_classes(scores, truth, half)[1].tolist() == [0, 1, 2, 3]


def test_options_are_the_true_class_and_the_most_confusable_others():
    classes = task_of([0]).classes
    twin = replace(classes, classes=(*classes.classes, replace(classes.classes[0], label="c2")))
    ranked = np.tile([3, 0, 2, 1], (8, 1))  # class 3 is called like class 0
    for count, expected in ((2, {0, 2}), (3, {0, 1, 2}), (0, {0, 1, 2})):
        made = choices(twin, np.zeros(8, int), [str(i) for i in range(8)], Settings(options=count), ranked)
        assert all(set(choice.classes) == expected for choice in made)
    assert len({choice.classes for choice in made}) > 1
    assert Choice((0, 2, 1)).orders() == ((0, 2, 1), (1, 2, 0))


def test_an_encoder_maps_what_reaches_the_threshold():
    classes = task_of([0]).classes
    vectors = {"cat": [1, 0], "dog": [0, 1], "owl": [0.6, 0.8], "tiger": [0.8, 0.6], "hound": [0, 1]}

    def encode(texts):
        return np.array([vectors[text] for text in texts], np.float64)

    replies = [Reply("tiger"), Reply("hound"), Reply("", kind="refused")]
    for threshold, routes in ((0.96, ["encoder", "encoder", "none"]), (0.961, ["none", "encoder", "none"])):
        found = map_answers(replies, classes, encode, threshold)
        assert [answer.route for answer in found] == routes
    assert [answer.read.option for answer in map_answers(replies, classes, encode, 0.9)] == [2, 1, -1]


def test_the_dry_run_of_the_published_protocol():
    """Two pictures: with a column of wrong options, without one but with a tower, and with neither."""
    made = answering_inputs(lambda row, q: "cat", [0, 1], NAMES, Settings())
    given = replace(made.dataset, table=made.dataset.table.append_column("attr.distractor", pa.array(["owl", "cat"])))

    def planned(dataset, **settings):
        request = TextRequest(dataset, (), Settings(asks=("likelihood",), published=True, **settings))
        return [(q.row, q.text.partition("list: ")[2]) for q in questions(request)]

    assert sorted(planned(given)) == [(0, "cat, owl."), (1, "dog, cat.")]
    assert sorted(planned(made.dataset, tower="t")) == [(0, ""), (1, "")] and planned(made.dataset) == []
    unknown = replace(made.dataset, table=made.dataset.table.append_column("attr.distractor", pa.array(["owl", "eel"])))
    assert planned(unknown) == [(0, "cat, owl.")]  # the other picture has no wrong option


def test_the_published_wrong_option_is_the_best_wrong_class_of_the_tower():
    asked = []
    inputs = answering_inputs(
        lambda row, q: asked.append((row, q)) or "cat", [0, 1], NAMES, Settings(asks=("likelihood",), published=True, tower="t"),
        tower=[0, 2],
    )  # fmt: skip
    found = answers.ask(inputs)
    assert sorted((row, options_of(q)[1]) for row, q in asked) == [(0, "dog"), (1, "owl")]
    assert value(found, "published_dropped").value == 0.5 and value(found, "published_accuracy").value == 1.0
    assert value(found, "published_accuracy").n == 1 and "tower's own error" in str(found.notices[0])


def test_two_classes_are_enough_to_ask():
    for names, labels, count in ((["cat", "dog"], [0, 1], 4), (["cat"], [0, 0], 0)):
        made = answering_inputs(lambda row, q: "cat", labels, names, Settings(asks=("choice",)))
        assert len(questions(TextRequest(made.dataset, (), made.settings))) == count
    unnamed = replace(made.dataset, classes=None)
    assert questions(TextRequest(unnamed, (), made.settings)) == ()
