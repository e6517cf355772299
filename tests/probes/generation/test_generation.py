"""Generation: generators whose habit is known, read by a model whose eye is known; by hand, by a loop, planted and absent."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures, only
from tests.witness import rows

import eyechart
from eyechart.data.dataset import Dataset
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.generation import Settings, _leading, generation
from eyechart.probes.generation.presence import MODEL, NormalizedScores, Presence, _winners, by_model, by_objects
from eyechart.probes.generation.prompted_pictures import PromptGroup, prompted_pictures
from eyechart.probes.generation.shares import control_findings, share_findings

NAMES = [f"thing {letter}" for letter in "abcdefghijkl"]


def turned(rng, sets=24, n=3):
    """Names in order of mention, every set in every turn."""
    chosen = [[NAMES[i] for i in rng.permutation(len(NAMES))[:n]] for _ in range(sets)]
    return [things[k:] + things[:k] for things in chosen for k in range(n)]


def favoring(rng, mentioned, *, order=True, kept=(1.0, 0.8, 0.5), sizes=(0.2, 0.05, 0.02)):
    """Areas [picture][name] of a generator that draws the first-named largest and drops later ones; of one that does the same to
    the things in an order of its own, where `order` is False."""
    drawn = []
    for named in mentioned:
        told = list(named) if order else [named[i] for i in rng.permutation(len(named))]
        drawn.append({name: size for name, keep, size in zip(told, kept, sizes, strict=True) if rng.random() < keep})
    return drawn


def looking(rng, mentioned, drawn, *, noise=0.02, settings=None, truth=True, generators=None, clusters=None):
    """A model that sees every thing by the root of its area, in pictures that are near to all names, more or less, among names
    of which some are near to all pictures."""
    vectors = noise * rng.standard_normal((len(drawn), len(NAMES) + 1))
    for vector, things in zip(vectors, drawn, strict=True):
        for name, area in things.items():
            vector[NAMES.index(name)] += area**0.5
    vectors[:, -1] = rng.uniform(0.2, 0.6, len(drawn))
    columns = {"id": [str(i) for i in range(len(drawn))], "attr.mentioned": pa.array(mentioned)}
    if generators is not None:
        columns["attr.generator"] = generators
    if truth:
        columns["objects"] = pa.array([[{"name": n, "area": a, "x": 0.5} for n, a in of.items()] for of in drawn])
    axes = np.eye(len(NAMES) + 1)[:-1]
    axes[:, -1] = np.linspace(-0.4, 0.4, len(NAMES))
    settings = settings or Settings(template="{}")
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("drawn", pa.table(columns), NoPictures(len(drawn))),
        images=unit(vectors.astype(np.float32)),
        clusters=np.arange(len(drawn)) if clusters is None else np.asarray(clusters),
        texts=lambda texts: unit(axes[[NAMES.index(text) for text in texts]].astype(np.float32)),
        prompts=(),
        settings=settings,
    )


def exact(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_objects_by_hand():
    """Two prompts of ten sets each name the same two things; the first named is always there, the second in every other set."""
    pairs = [(NAMES[i], NAMES[i + 1]) for i in range(10)]
    mentioned = [list(order) for a, b in pairs for order in ((a, b), (b, a))]
    drawn = [
        {first: 0.1, second: 0.3} if number % 4 < 2 else {first: 0.1} for number, (first, second) in enumerate(mentioned)
    ]  # where the second named is there, it is the larger
    asked = looking(np.random.default_rng(0), mentioned, drawn, settings=Settings("{}", alarm=0.1, least=3))
    answer = generation.ask(asked)
    where = {"by": "objects", "objects": 2}
    assert [exact(answer, "present", **where, position=k).value for k in (1, 2)] == [1.0, 0.5]
    assert [exact(answer, "prominent", **where, position=k).value for k in (1, 2)] == [0.5, 0.5]
    assert exact(answer, "all_present", **where).value == 0.5
    assert exact(answer, "prominent_chance", **where).value == 0.5
    assert exact(answer, "present_chance", **where).value == 0.0
    change = exact(answer, "present_change", **where, position=1, against=2)
    assert (change.value, change.n) == (pytest.approx(0.5), 10)
    assert exact(answer, "prominent_change", **where, position=1, against=2).value == pytest.approx(0.0)


def test_the_model_s_reading_is_that_of_a_loop():
    rng = np.random.default_rng(1)
    mentioned = turned(rng)
    asked = looking(rng, mentioned, favoring(rng, mentioned), noise=0.2)
    answer = generation.ask(asked)
    scores = asked.images @ asked.texts(NAMES).T
    beyond = np.array(
        [[s - np.mean([o for name, o in zip(NAMES, of, strict=True) if name not in said]) for s in of]
         for of, said in zip(scores, mentioned, strict=True)]
    )  # fmt: skip
    present, prominent = np.zeros(3), np.zeros(3)
    for row, said in enumerate(mentioned):
        standings = []
        for turn, name in enumerate(said):
            column = NAMES.index(name)
            others = [beyond[i, column] for i, of in enumerate(mentioned) if name not in of]
            present[turn] += np.mean([other >= beyond[row, column] for other in others]) <= 0.05
            standings.append((beyond[row, column] - np.mean(others)) / np.std(others))
        prominent[int(np.argmax(standings))] += 1
    for turn in range(3):
        where = {"by": "model", "objects": 3, "position": turn + 1}
        assert exact(answer, "present", **where).value == pytest.approx(present[turn] / len(mentioned))
        assert exact(answer, "prominent", **where).value == pytest.approx(prominent[turn] / len(mentioned))
    assert 0.1 < present.min() / len(mentioned) < present.max() / len(mentioned) < 0.98  # or the test says nothing


def test_a_generator_that_favors_the_first_named_is_found():
    rng = np.random.default_rng(2)
    mentioned = turned(rng)
    answer = generation.ask(looking(rng, mentioned, favoring(rng, mentioned)))
    assert exact(answer, "first_object_prominent").low > 1 / 3
    assert exact(answer, "first_object_prominent_effect").low > 0.2
    lead = exact(answer, "first_object_present_effect")
    assert lead.low < 1 - (0.8 + 0.5) / 2 < lead.high
    assert lead.low > 0
    for by in ("model", "objects"):
        second = exact(answer, "present_change", by=by, objects=3, position=2, against=3)
        assert second.low < 0.3 < second.high
    assert [e.name for e in answer.exhibits] == ["prominent", "present", "control", "missed"]
    assert all(e.sentence.endswith(".") and e.table.num_rows for e in answer.exhibits)


def test_one_to_which_order_means_nothing_is_left_in_peace():
    rng = np.random.default_rng(3)
    mentioned = turned(rng)
    answer = generation.ask(looking(rng, mentioned, favoring(rng, mentioned, order=False)))
    for metric in ("first_object_prominent_effect", "first_object_present_effect"):
        assert exact(answer, metric).low <= 0 <= exact(answer, metric).high
    first = exact(answer, "first_object_prominent")
    assert first.low <= 1 / 3 <= first.high


@pytest.mark.slow
def test_false_alarms_are_rare():
    """200 times the same pictures under orders drawn anew: things are as they are, and turns have nothing to do with it."""
    rng, alarms, shares = np.random.default_rng(4), 0, 0
    mentioned = turned(rng, sets=30)
    for _ in range(200):
        drawn = favoring(rng, mentioned, order=False)
        present = np.array([[name in of for name in said] for said, of in zip(mentioned, drawn, strict=True)], float)
        areas = np.array([[of.get(name, 0) for name in said] for said, of in zip(mentioned, drawn, strict=True)])
        prominent = np.eye(3)[areas.argmax(axis=1)]
        objects = np.array([[NAMES.index(name) for name in said] for said in mentioned])
        sets = np.repeat(np.arange(30), 3)
        reading = Presence(MODEL, PromptGroup(None, np.arange(90), objects, sets, sets), present, prominent, 0.0, 1)
        found = {(f.metric, f.slice.get("position"), f.slice.get("against")): f for f in share_findings(reading, 10)}
        change = found["prominent_change", 1, "later"]
        alarms += not change.low <= 0 <= change.high
        share = found["prominent", 1, None]
        shares += not share.low <= 1 / 3 <= share.high
    assert alarms <= 18, alarms
    assert shares <= 18, shares


def test_what_a_thing_is_does_not_pass_for_where_it_is_named():
    """Some things are never drawn, and happen to be named last most of the time; order itself does nothing."""
    rng = np.random.default_rng(5)
    mentioned = [sorted(of) if rng.random() < 0.6 else of for of in turned(rng, sets=80)]
    drawn = [{name: 0.1 for name in said if name < "thing g"} for said in mentioned]
    answer = generation.ask(looking(rng, mentioned, drawn))
    assert exact(answer, "present", by="objects", objects=3, position=1).value > 0.7
    assert exact(answer, "present", by="objects", objects=3, position=3).value < 0.3
    change = exact(answer, "present_change", by="objects", objects=3, position=1, against=3)
    assert change.value == pytest.approx(0.0)


def test_the_control_tells_a_scorer_that_sees_large_things_only():
    rng = np.random.default_rng(6)
    mentioned = turned(rng, sets=40)
    everything = favoring(rng, mentioned, kept=(1, 1, 1))
    answer = generation.ask(looking(rng, mentioned, everything, noise=0.12))
    lead = only(answer, "present_change", by="model", position=1, against="later")
    truth = only(answer, "present_change", by="objects", position=1, against="later")
    assert truth.value == 0.0 and lead.low > 0.1  # all are drawn, and the scorer misses the small ones
    assert only(answer, "scorer_recall", thing="largest").low > only(answer, "scorer_recall", thing="smaller").high
    assert "control" in [e.name for e in answer.exhibits]


def test_without_objects_the_page_says_who_looked():
    rng = np.random.default_rng(7)
    mentioned = turned(rng)
    answer = generation.ask(looking(rng, mentioned, favoring(rng, mentioned), truth=False))
    assert not any(f.metric.startswith("scorer") or f.slice.get("by") == "objects" for f in answer.findings)
    (told,) = answer.notices
    assert "only test scores" in told.what


def test_generators_are_told_apart_and_the_first_leads():
    rng = np.random.default_rng(8)
    mentioned = turned(rng)
    drawn = favoring(rng, mentioned) + favoring(rng, mentioned, order=False)
    which = ["eager"] * len(mentioned) + ["even"] * len(mentioned)
    answer = generation.ask(looking(rng, mentioned * 2, drawn, generators=which))
    assert exact(answer, "first_object_prominent", generator="eager").n == len(mentioned)
    even = exact(answer, "present_change", generator="even", by="objects", objects=3, position=1, against=3)
    assert even.low <= 0 <= even.high
    (told,) = answer.notices
    assert "2 generators; the headline is about eager" in told.what


def test_one_order_a_set_gives_shares_and_says_what_they_cannot_tell():
    rng = np.random.default_rng(9)
    mentioned = turned(rng, sets=60)[::3]
    answer = generation.ask(looking(rng, mentioned, favoring(rng, mentioned)))
    assert not any(f.metric.endswith(("_change", "_lead")) for f in answer.findings)
    (told,) = answer.notices
    assert "are named in two orders" in told.what


def test_copies_of_a_picture_join_the_sets_that_show_it():
    rng = np.random.default_rng(10)
    mentioned = turned(rng, sets=4)
    clusters = np.arange(12)
    clusters[3] = clusters[0]
    (group,) = prompted_pictures(looking(rng, mentioned, favoring(rng, mentioned)).dataset, clusters).groups
    assert len(set(group.sets.tolist())) == 4 and len(set(group.units.tolist())) == 3
    assert group.units[0] == group.units[3] != group.units[6]


def test_standings_need_pictures_without_the_name():
    scores, mentioned = np.random.default_rng(0).random((5, 3)), np.zeros((5, 3), bool)
    mentioned[:3, 0] = True
    standings = NormalizedScores(scores, mentioned, [None] * 5, least=3)
    assert np.isnan(standings.z[:, 0]).all() and np.isfinite(standings.z[:, 1:]).all()


@pytest.mark.parametrize("sets", [3, 0])
def test_too_few_sets_are_no_answer(sets):
    rng = np.random.default_rng(11)
    mentioned = turned(rng, sets=24)
    asked = looking(rng, mentioned, favoring(rng, mentioned))
    few = asked.dataset.take(range(3 * sets)) if sets else replace(asked.dataset, table=asked.dataset.table.select(["id"]))
    rows_of = len(few)
    asked = replace(asked, dataset=few, images=asked.images[:rows_of], clusters=asked.clusters[:rows_of])
    with pytest.raises(NotApplicable, match="different sets of objects" if sets else "does not list the objects"):
        generation.ask(asked)


def test_texts_are_names_in_the_template():
    rng = np.random.default_rng(12)
    asked = looking(rng, [["thing b", "Thing_A"]], [{}])
    assert generation.texts(TextRequest(asked.dataset, (), Settings())) == ["a photo of a thing a", "a photo of a thing b"]
    for wrong in ({"template": "no place"}, {"alarm": 0.9}, {"least": 0}):
        with pytest.raises(ValueError):
            Settings(**wrong)


def test_the_whole_way_with_the_world_in_the_generator_s_place(store, tmp_path):
    """The planted habit is found by the demo model, its twin is not accused, and truth says what was planted."""
    exam = eyechart.examine("demo:", "world-prompts", limit=144, probes=["generation"], out=tmp_path / "out", store=store)
    found = {r["metric"]: r for r in rows(exam, "first_object_prominent") + rows(exam, "first_object_prominent_effect")}
    assert found["first_object_prominent"]["low"] > 1 / 3 and found["first_object_prominent_effect"]["low"] > 0.1
    changes = {r["slice"]: r for metric in ("present_change", "prominent_change") for r in rows(exam, metric)}

    def change(generator, by):
        told = {"against": "later", "by": by, "generator": generator, "objects": 3, "position": 1}
        return changes[json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))]

    assert change("no-order", "model")["low"] <= 0 <= change("no-order", "model")["high"]
    planted = {json.loads(r["slice"])["position"]: r for r in rows(exam, "present")
               if {"by": "objects", "generator": "first-largest"}.items() <= json.loads(r["slice"]).items()}  # fmt: skip
    for turn, chance in ((1, 1.0), (2, 0.8), (3, 0.5)):
        assert planted[turn]["low"] <= chance <= planted[turn]["high"]
    assert exam.report().is_file()


def test_objects_that_say_nothing_are_nobodys_reading():
    """An empty column, or one of bare words: not that no picture shows anything."""
    rng = np.random.default_rng(5)
    mentioned = turned(rng)
    asked = looking(rng, mentioned, favoring(rng, mentioned), truth=False)
    for listed in (pa.array([[]] * len(mentioned), pa.list_(pa.struct([("name", pa.string())]))), pa.array(mentioned)):
        table = asked.dataset.table.append_column("objects", listed)
        answer = generation.ask(replace(asked, dataset=replace(asked.dataset, table=table)))
        assert {f.slice.get("by") for f in answer.findings} <= {"model", None}
        assert any("only test scores" in n.what for n in answer.notices)


def test_prompts_with_a_name_that_has_too_few_negatives_are_left_out_as_a_whole():
    """Thirty prompts name the first thing, and eight do not: fewer than the ten that an alarm rate of 10% needs."""
    mentioned = [[NAMES[0], NAMES[1 + i % 11]] for i in range(30)] + [[NAMES[1 + i], NAMES[2 + i]] for i in range(8)]
    asked = looking(np.random.default_rng(0), mentioned, [dict.fromkeys(of, 0.1) for of in mentioned])
    pictures = prompted_pictures(asked.dataset, np.arange(38))
    (found,), unscored = by_model(asked, pictures, NAMES, 0.1)
    assert unscored == [NAMES[0]] and found.prompted.rows.tolist() == list(range(30, 38))
    assert found.present.tolist() == [[1, 1]] * 8 and found.prominent.sum(axis=1).tolist() == [1] * 8
    assert found.pairs == 8 * 9  # of twelve names, two are in the prompt, and the first has no score


def presence(by, rows, objects, present, prominent, units=None):
    objects = np.asarray(objects)
    group = PromptGroup(
        None, np.asarray(rows), objects, np.arange(len(objects)), np.arange(len(objects)) if units is None else units
    )
    return Presence(by, group, np.asarray(present, float), np.asarray(prominent, float), 0.1, 50)


def test_the_model_is_compared_with_what_is_there():
    """Rows 2, 5 and 7 of the dataset; the objects of row 4 are known, too, but the model did not score it."""
    objects = [[0, 1], [2, 3], [4, 5]]
    model = presence("model", [2, 5, 7], objects, [[1, 1], [0, 1], [1, 1]], [[1, 0], [0.5, 0.5], [0, 1]])
    truth = presence(
        "objects", [2, 4, 5, 7], [objects[0], [0, 1], *objects[1:]], [[1, 1], [1, 1], [1, 0], [0, 0]],
        [[0, 1], [1, 0], [1, 0], [0, 0]],
    )  # fmt: skip
    found = {(f.metric, f.slice.get("thing")): f for f in control_findings(model, truth)}
    assert {key: (f.value, f.n) for key, f in found.items()} == {
        ("scorer_recall", "largest"): (0.5, 2),  # object 1 of row 2, and object 2 of row 5, which the model misses
        ("scorer_recall", "smaller"): (1.0, 1),
        ("scorer_false_positive_rate", None): (1.0, 3),
        ("scorer_agreement", None): (0.25, 2),  # 0 in row 2, one half in row 5; row 7 shows neither
    }
    assert all(f.slice["objects"] == 2 for f in found.values())


def test_shares_by_position_and_chance_by_hand():
    objects = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [3, 4, 5]]
    present = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]]
    prominent = [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]
    one = presence("model", range(4), objects, present, prominent)
    found = list(share_findings(one, least=99))
    by_position = {(f.metric, f.slice.get("position")): f.value for f in found}
    assert by_position == {
        ("present", 1): 0.75, ("present", 2): 0.75, ("present", 3): 0.5,
        ("prominent", 1): 0.625, ("prominent", 2): 0.125, ("prominent", 3): 0.25,
        ("all_present", None): 0.25, ("present_chance", None): 0.1, ("prominent_chance", None): pytest.approx(1 / 3),
    }  # fmt: skip
    ns = {f.metric: f.n for f in found}
    assert ns == {"present": 4, "prominent": 4, "all_present": 4, "present_chance": 50, "prominent_chance": 4}


def test_effects_of_position_are_within_the_same_objects():
    """One set in all its turns: object 0 is there only where it is named first, the others always."""
    objects = np.array([[0, 1], [1, 0], [2, 3], [3, 2]])
    group = PromptGroup(None, np.arange(4), objects, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    present, prominent = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], float), np.array([[1, 0], [1, 0], [1, 0], [0, 1]], float)
    one = Presence("model", group, present, prominent, 0.1, 50)
    found = {f.metric: f for f in share_findings(one, least=2) if f.baseline}
    assert (found["present_change"].value, found["prominent_change"].value) == (pytest.approx(0.25), pytest.approx(0.5))
    assert found["present_change"].n == 2 and found["present_change"].baseline == "the same object at position 2"
    assert found["present_change"].slice == {"by": "model", "objects": 2, "position": 1, "against": 2}
    assert not [f for f in share_findings(one, least=3) if f.baseline]


def test_with_three_objects_the_first_is_compared_with_all_later_ones():
    objects = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    group = PromptGroup(None, np.arange(3), objects, np.zeros(3, int), np.zeros(3, int))
    first = np.tile([1.0, 0.0, 0.0], (3, 1))
    found = [
        f for f in share_findings(Presence("model", group, first, first, 0.1, 50), least=1) if f.metric == "prominent_change"
    ]
    assert [(f.slice["position"], f.slice["against"], f.value) for f in found] == [
        (1, 2, 1.0), (1, 3, 1.0), (2, 3, 0.0), (1, "later", 1.0),
    ]  # fmt: skip
    assert found[-1].baseline == "the same object named later"


def test_the_headline_is_of_the_first_generator_and_its_most_frequent_number_of_objects():
    def group(generator, rows, count):
        objects = np.tile(np.arange(count), (rows, 1))
        prompts = PromptGroup(generator, np.arange(rows), objects, np.zeros(rows, int), np.zeros(rows, int))
        return Presence("model", prompts, np.ones((rows, count)), np.ones((rows, count)), 0.1, 5)

    two, three, other = group("x", 4, 2), group("x", 6, 3), group("y", 9, 2)
    assert _leading([two, three, other]) is three and _leading([other, two, three]) is other


def test_pictures_are_linked_by_their_objects_and_by_copies():
    """Prompts 0 and 1 name the same two objects; the picture of 2 is a copy of that of 1; 4 names three objects."""
    mentioned = [["a", "b"], ["b", "a"], ["c", "d"], ["e", "f"], ["a", "b", "c"], ["a"], []]
    table = pa.table({"id": [str(i) for i in range(7)], "attr.mentioned": pa.array(mentioned, pa.list_(pa.string()))})
    found = prompted_pictures(Dataset("d", table, NoPictures(7)), np.array([0, 1, 1, 3, 4, 5, 6]))
    two, three = found.groups
    assert two.rows.tolist() == [0, 1, 2, 3] and three.rows.tolist() == [4] and (two.count, three.count) == (2, 3)
    assert two.objects.tolist() == [[0, 1], [1, 0], [2, 3], [4, 5]]
    assert len(set(two.sets[:2].tolist())) == 1 and len(set(two.sets.tolist())) == 3
    assert two.units[0] == two.units[1] == two.units[2] != two.units[3]
    assert found.mentioned.sum(axis=1).tolist() == [2, 2, 2, 2, 3, 1, 0] and found.names == tuple("abcdef")


def test_annotated_objects_that_no_prompt_names_are_counted():
    """Four pictures of two named objects each, among four names: two foreign ones each, of which three are there."""
    mentioned = [["thing a", "thing b"], ["thing b", "thing a"], ["thing c", "thing d"], ["thing d", "thing c"]]
    drawn = [
        {"thing a": 0.2, "thing c": 0.1},
        {"thing b": 0.1},
        {"thing c": 0.1, "thing a": 0.3, "thing b": 0.1},
        {"thing d": 0.2},
    ]
    inputs = looking(np.random.default_rng(0), mentioned, drawn)
    (found,) = by_objects(inputs, prompted_pictures(inputs.dataset, np.arange(4)))
    assert (found.alarms, found.pairs) == (3 / 8, 8)
    assert found.present.tolist() == [[1, 0], [1, 0], [1, 0], [1, 0]] == found.prominent.tolist()


def test_the_largest_value_wins_ties_share_and_nothing_wins_nothing():
    assert _winners(np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]])).tolist() == [[0, 1], [0.5, 0.5], [0, 0]]
