"""`object_questions`: hand-made scenes, a model that sees only large objects, one that sees all, and the order of mention."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answers.answerers import answering_inputs, value

from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.object_questions import ALL, Settings, mention_order, object_questions, questions
from eyechart.probes.testing import NoPictures

NAMES = ["cube", "mug", "star", "leaf", "cone"]


def scenes(count=40, objects=3):
    """Every scene shows `objects` names; the first is the largest."""
    rng = np.random.default_rng(0)
    shown = [[NAMES[int(i)] for i in rng.permutation(len(NAMES))[:objects]] for _ in range(count)]
    column = [
        [{"name": name, "area": 0.3 / (1 + place), "x": float((place * 7 + row) % 3)} for place, name in enumerate(of)]
        for row, of in enumerate(shown)
    ]
    table = pa.table({"id": [str(row) for row in range(count)], "objects": column})
    return shown, Dataset("scenes", table, NoPictures(count), None)


SHOWN, DATASET = scenes()


def ask(answer, dataset=DATASET, **settings):
    inputs = answering_inputs(answer, [0] * len(dataset), ["any"], Settings(**settings))
    return object_questions.ask(replace(inputs, dataset=dataset))


def options(question):
    return question.partition(": ")[2].partition("?")[0].split(", ")


def seeing(row, question):
    """Sees everything, and mentions objects by name, which has nothing to do with size."""
    if question == ALL:
        return " and ".join(sorted(SHOWN[row]))
    return next(o for o in options(question) if o in SHOWN[row])


def near_sighted(row, question):
    """Sees the largest object alone, and takes the first option otherwise."""
    if question == ALL:
        return SHOWN[row][0]
    return SHOWN[row][0] if SHOWN[row][0] in options(question) else options(question)[0]


def test_a_model_that_sees_all_has_no_gap():
    found = ask(seeing)
    assert value(found, "listed_accuracy").value == 1 and value(found, "size_gap").value == 0
    assert value(found, "mention_recall", size="largest").value == 1 == value(found, "mention_recall", size="others").value
    assert value(found, "false_mentions").value == 0 and value(found, "first_listed").value == 0.5
    by_hand = np.mean([sorted(of)[0] == of[0] for of in SHOWN])
    assert value(found, "largest_first").value == pytest.approx(by_hand)
    assert value(found, "largest_first_chance").value == pytest.approx(1 / 3)


def test_a_planted_blindness_for_small_objects_is_found():
    found = ask(near_sighted)
    gap = value(found, "size_gap")
    assert gap.value == 0.5 and gap.low > 0.1  # the first option is the present one in half of the orders
    assert value(found, "mention_recall", size="others").value == 0 and value(found, "largest_first").value == 1


def test_absent_objects_that_are_mentioned_are_counted():
    found = ask(lambda row, q: ", ".join(NAMES) if q == ALL else seeing(row, q))
    assert value(found, "false_mentions").value == pytest.approx(2 / 5)


def test_the_order_of_mention_is_that_of_the_text():
    assert mention_order("Cubes, then a star; a cube", NAMES) == ["cube", "star"]
    assert mention_order("I see nothing", NAMES) == []


def test_every_scene_is_asked_five_times_with_one_present_option():
    asked = questions(TextRequest(DATASET, (), Settings(pictures=10)))
    assert len(asked) == 50 and len({q.row for q in asked}) == 10
    for q in asked:
        if q.text != ALL:
            assert sum(o in SHOWN[q.row] for o in options(q.text)) == 1


def test_scenes_without_absent_objects_are_no_reason_to_ask():
    with pytest.raises(NotApplicable, match="no picture shows several objects"):
        ask(seeing, dataset=scenes(objects=5)[1])


@pytest.mark.slow
def test_random_answers_are_flagged_in_at_most_9_percent_of_200_draws():
    rng, flagged = np.random.default_rng(1), 0
    for _ in range(200):
        gap = value(ask(lambda row, q: "" if q == ALL else options(q)[rng.integers(2)]), "size_gap")
        flagged += not gap.low <= 0 <= gap.high
    assert flagged <= 18
