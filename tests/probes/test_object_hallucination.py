"""`object_hallucination`: POPE's three kinds of absent objects, and models that look, agree to everything, or guess by habit."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import f1_score
from tests.probes.answers.answerers import answering_inputs, value

from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.object_hallucination import Settings, object_hallucination, object_questions, questions

# Fork and knife always come together; lamps are everywhere; a boat is rare.
SCENES = [["fork", "knife", "lamp"]] * 8 + [["fork", "lamp"]] * 4 + [["lamp", "dog"]] * 10 + [["dog", "lamp", "boat"]] * 2


def inputs(answer, scenes=SCENES, settings=None):
    settings = settings or Settings(objects=1)
    made = answering_inputs(answer, [0, 1] * (len(scenes) // 2), ["a", "b"], settings)
    column = pa.array([[{"name": name} for name in of] for of in scenes], pa.list_(pa.struct([("name", pa.string())])))
    return replace(made, dataset=replace(made.dataset, table=made.dataset.table.append_column("objects", column)))


def name_in(question):
    return question.partition("there a")[2].removeprefix("n").strip().partition(" in ")[0]


def looking(row, question):
    return "yes" if name_in(question) in SCENES[row] else "no"


def ask(answer, **more):
    return object_hallucination.ask(inputs(answer, **more))


def test_absent_objects_are_chosen_as_in_pope():
    asked = object_questions(inputs(looking).dataset, Settings(objects=1))
    of_row = {(q.row, q.kind): q.name for q in asked}
    assert of_row[8, "popular"] == "dog"  # 12 pictures have a dog, 8 a knife, 2 a boat; the lamp is there
    assert of_row[8, "co-occurring"] == "knife"  # with fork and lamp: 8 + 8 against the dog's 12
    assert all(name not in SCENES[row] for (row, kind), name in of_row.items() if kind != "present")
    assert all(name in SCENES[row] for (row, kind), name in of_row.items() if kind == "present")


def test_a_model_that_looks():
    found = ask(looking)
    assert value(found, "recall").value == 1
    assert all(value(found, "false_yes", negatives=k).value == 0 for k in ("random", "popular", "co-occurring"))
    assert value(found, "yes_share", negatives="random").value == 0.5


def test_a_yes_sayer_hallucinates_everything():
    found = ask(lambda row, question: "Yes, there is.")
    assert value(found, "false_yes", negatives="random").value == 1 and value(found, "accuracy", negatives="random").value == 0.5
    assert value(found, "f1", negatives="random").value == pytest.approx(2 / 3)


def test_a_model_that_adds_the_knife_to_the_fork_fails_on_co_occurring_objects_alone():
    def habit(row, question):
        return "yes" if name_in(question) == "knife" and "fork" in SCENES[row] else looking(row, question)

    found = ask(habit)
    assert value(found, "false_yes", negatives="co-occurring").value > value(found, "false_yes", negatives="popular").value == 0


def test_f1_and_precision_are_those_of_scikit_learn():
    def answer(row, question):
        return "yes" if (row + len(question)) % 3 else "no"

    made = inputs(answer)
    found = object_hallucination.ask(made)
    asked = [q for q in object_questions(made.dataset, made.settings) if q.kind in ("present", "random")]
    truth = [q.kind == "present" for q in asked]
    said = [answer(q.row, q.request.text) == "yes" for q in asked]
    assert value(found, "f1", negatives="random").value == pytest.approx(f1_score(truth, said))
    precise = sum(t and s for t, s in zip(truth, said, strict=True)) / sum(said)
    assert value(found, "precision", negatives="random").value == pytest.approx(precise)


def test_an_undecided_reply_counts_as_no_and_is_reported():
    found = ask(lambda row, question: "maybe")
    assert value(found, "recall").value == 0 and value(found, "undecided").value == 1


def test_pictures_that_all_show_everything_cannot_be_asked():
    with pytest.raises(NotApplicable, match="absent"):
        ask(looking, scenes=[["fork"]] * 4)


@pytest.mark.parametrize(
    "scenes",
    [
        [["fork"], ["lamp"], ["lamp"], ["dog"]],  # one object each
        [["fork", "knife"], ["lamp", "dog"]] * 2,  # pairs that are always complete
    ],
)
def test_without_co_occurrence_that_kind_is_left_out_with_a_notice(scenes):
    found = ask(lambda row, question: "yes", scenes=scenes)
    kinds = {f.slice["negatives"] for f in found.findings if f.metric == "false_yes"}
    assert kinds == {"random", "popular"} and "left out" in str(found.notices[0])


def test_objects_that_fill_up_the_co_occurring_ones_are_counted():
    """With boat and cup nothing else ever comes together, but with fork and knife lamp and dog do."""
    scenes = [["fork", "knife"], ["lamp", "dog"], ["lamp", "dog", "fork"], ["boat", "cup"]]
    found = ask(lambda row, question: "no", scenes=scenes, settings=Settings(objects=2))
    asked = object_questions(inputs(looking, scenes=scenes).dataset, Settings(objects=2))
    never = 0
    for q in (q for q in asked if q.kind == "co-occurring"):
        never += not any(q.name in of and set(scenes[q.row]) & set(of) for of in scenes)
    total = sum(q.kind == "co-occurring" for q in asked)
    assert 0 < never < total and f"{never} of {total} absent" in str(found.notices[0])


def test_where_all_co_occur_nothing_is_noted():
    assert not ask(looking).notices


def test_every_share_is_over_its_own_questions():
    """Yes to the first of two questions about present objects and to every absent dog; two objects of each kind."""
    found = ask(lambda row, question: "yes" if name_in(question) in ("lamp", "dog") else "no", settings=Settings(objects=2))
    asked = object_questions(inputs(looking).dataset, Settings(objects=2))
    said = {kind: [q.name in ("lamp", "dog") for q in asked if q.kind == kind] for kind in ("present", "random", "popular")}
    recall = value(found, "recall")
    assert (recall.value, recall.n) == (pytest.approx(np.mean(said["present"])), len(said["present"]))
    for kind in ("random", "popular"):
        false, both = value(found, "false_yes", negatives=kind), [*said["present"], *said[kind]]
        assert (false.value, false.n) == (pytest.approx(np.mean(said[kind])), len(said[kind]))
        assert value(found, "yes_share", negatives=kind).value == pytest.approx(np.mean(both))
        right = sum(said["present"]) + len(said[kind]) - sum(said[kind])
        accuracy = value(found, "accuracy", negatives=kind)
        assert (accuracy.value, accuracy.n) == (pytest.approx(right / len(both)), len(both))
        precision, f1 = value(found, "precision", negatives=kind), value(found, "f1", negatives=kind)
        assert (precision.value, precision.n) == (pytest.approx(sum(said["present"]) / sum(both)), sum(both))
        assert f1.n == len(both) and f1.value == pytest.approx(2 * sum(said["present"]) / (sum(both) + len(said["present"])))
    assert value(found, "undecided").n == len(asked)


def test_two_objects_of_each_kind_where_a_picture_has_and_lacks_as_many():
    asked = object_questions(inputs(looking).dataset, Settings(objects=2))
    counts = Counter((q.row, q.kind) for q in asked)
    lacking = [5 - len(of) for of in SCENES]
    assert all(n == min(2, len(SCENES[row]), lacking[row]) for (row, _), n in counts.items()) and len(counts) == 4 * len(SCENES)
    popular = [q.name for q in asked if q.row == 0 and q.kind == "popular"]
    assert popular == ["dog", "boat"]  # twelve pictures have a dog, two a boat
    near = [(q.name, q.together) for q in asked if q.row == 8 and q.kind == "co-occurring"]
    assert near == [("knife", 8 + 8), ("dog", 12)]  # with fork 8 and with lamp 8; the dog with the lamp
    assert {q.together for q in asked if q.kind == "present"} == {0}


@pytest.mark.parametrize(("pictures", "rows"), [(0, 24), (24, 24), (23, 23), (5, 5)])
def test_so_many_pictures_are_asked_about_in_their_order(pictures, rows):
    asked = [q.row for q in object_questions(inputs(looking).dataset, Settings(objects=1, pictures=pictures))]
    assert len(set(asked)) == rows and asked == sorted(asked)
    if pictures == 5:
        assert sorted(set(asked)) != list(range(5))


def test_the_dry_run_names_what_is_asked_and_articles_fit():
    made = inputs(lambda row, question: "no", scenes=[["apple"], ["dog", "Owl"]])
    planned = questions(TextRequest(made.dataset, (), made.settings))
    assert {q.text.partition("there ")[2].partition(" in ")[0] for q in planned} == {"an apple", "a dog", "an Owl"}
    assert len(planned) == len(object_questions(made.dataset, made.settings))
    without = replace(made.dataset, table=made.dataset.table.drop_columns(["objects"]))
    assert questions(TextRequest(without, (), made.settings)) == ()
    assert questions(TextRequest(inputs(looking, scenes=[["fork"]] * 4).dataset, (), made.settings)) == ()


def test_the_page_shows_the_worst_kind_and_what_was_seen():
    found = ask(lambda row, question: "yes " * 100 if name_in(question) == "dog" else "no")
    chart, seen = found.exhibits
    rates = {f.slice["negatives"]: f.value for f in found.findings if f.metric == "false_yes"}
    worst = max(rates, key=rates.get)
    assert chart.sentence == f"Of absent objects that are {worst}, {rates[worst]:.1%} are seen all the same."
    rows = seen.table.to_pylist()
    absent = [
        q for q in object_questions(inputs(looking).dataset, Settings(objects=1)) if q.kind != "present" and q.name == "dog"
    ]
    assert seen.sentence == f"{len(absent)} questions about absent objects were answered with yes."
    assert len(rows) == min(24, len(absent)) and {len(row["reply"]) for row in rows} == {302}, "300 characters and an ellipsis"
    assert [(row["id"], row["absent object"]) for row in rows] == [(str(q.row), q.kind) for q in absent[:24]]
    assert len(ask(looking).exhibits) == 1
