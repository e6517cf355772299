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


def test_every_share_is_over_its_own_questions():
    """Of 40 scenes with three objects each: the model takes the first option, and mentions the smallest object and the cube."""
    found = ask(lambda row, q: f"{SHOWN[row][2]}, cube" if q == ALL else options(q)[0])
    assert value(found, "listed_accuracy").value == 0.5 and value(found, "first_listed").value == 1.0
    numbers = {
        ("size_gap",): 40, ("listed_accuracy", "largest"): 80, ("listed_accuracy", "others"): 80, ("listed_accuracy",): 160,
        ("first_listed",): 160, ("undecided",): 160, ("mention_recall", "largest"): 40, ("mention_recall", "others"): 80,
    }  # fmt: skip
    table = {(f.metric, *f.slice.values()): f for f in found.findings}
    assert {key: table[key].n for key in numbers} == numbers
    said = [dict.fromkeys([of[2], "cube"]) for of in SHOWN]
    assert table["mention_recall", "largest"].value == pytest.approx(
        np.mean([of[0] in s for of, s in zip(SHOWN, said, strict=True)])
    )
    others = [name in s for of, s in zip(SHOWN, said, strict=True) for name in of[1:]]
    assert table["mention_recall", "others"].value == pytest.approx(np.mean(others))
    false = [name not in of for of, s in zip(SHOWN, said, strict=True) for name in s]
    assert (table["false_mentions",].value, table["false_mentions",].n) == (pytest.approx(np.mean(false)), len(false))
    assert (table["largest_first",].value, table["largest_first",].n) == (0.0, 40)
    assert (table["size_gap",].value, table["size_gap",].baseline) == (0.0, "others")


def test_only_scenes_with_a_mention_have_a_first_one_and_chance_is_one_of_their_objects():
    two, three = scenes(count=6, objects=2), scenes(count=9, objects=3)
    columns = [of.table.column("objects").to_pylist() for _, of in (two, three)]
    table = pa.table({"id": [str(i) for i in range(15)], "objects": [*columns[0], *columns[1]]})
    shown = [*two[0], *three[0]]
    both = Dataset("both", table, NoPictures(15), None)
    found = ask(lambda row, q: (shown[row][0] if row % 2 else "nothing") if q == ALL else "?", dataset=both, pictures=0)
    odd = [len(shown[row]) for row in range(15) if row % 2]
    chance = value(found, "largest_first_chance")
    assert (chance.value, chance.n) == (pytest.approx(np.mean([1 / n for n in odd])), 7)
    assert (value(found, "largest_first").value, value(found, "largest_first").n) == (1.0, 7)
    assert not [f for f in found.findings if f.metric == "first_listed"]  # every choice is undecided


def test_the_sentence_compares_the_largest_with_the_others():
    (shown,) = ask(near_sighted).exhibits
    assert shown.sentence == "The largest object is found 50.0 points more often than the others (100.0% and 50.0%)."

    def far_sighted(row, question):
        if question == ALL:
            return SHOWN[row][1]
        return next((o for o in options(question) if o in SHOWN[row][1:]), "nothing")

    (shown,) = ask(far_sighted).exhibits
    assert shown.sentence == "The largest object is found 100.0 points less often than the others (0.0% and 100.0%)."
    assert shown.table.column("object").to_pylist() == ["largest", "others"] * 2


@pytest.mark.parametrize(("pictures", "rows"), [(0, 40), (40, 40), (39, 39), (7, 7)])
def test_so_many_scenes_are_asked_about_in_their_order(pictures, rows):
    asked = [q.row for q in questions(TextRequest(DATASET, (), Settings(pictures=pictures)))]
    assert len(asked) == 5 * rows and asked == sorted(asked)


def test_two_objects_must_be_absent():
    assert len(questions(TextRequest(scenes(objects=3)[1], (), Settings(pictures=0)))) == 200
    assert questions(TextRequest(scenes(objects=4)[1], (), Settings(pictures=0))) == ()
    assert len(questions(TextRequest(scenes(objects=2)[1], (), Settings(pictures=0)))) == 200
