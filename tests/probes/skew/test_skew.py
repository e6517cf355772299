"""Searches that favor a group: by hand, planted in the zoo, and groups dealt out at random."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.probes.answering import class_list
from tests.probes.people import people

import eyechart
from eyechart.metrics.fairness.skew import max_skew, ndkl
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.contract import NotApplicable
from eyechart.probes.skew import Settings, skew


def searched(scores, hats, **settings):
    """Pictures that lie in this order for the word "a", and in the opposite one for "b"."""
    inputs = people([0] * len(scores), ["a", "b"], Settings(words=("a", "b"), **settings), hat=hats)
    angle = np.linspace(0, np.pi / 2, len(scores))[np.argsort(np.argsort(-np.asarray(scores)))]
    object.__setattr__(inputs, "images", np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32))
    return inputs


def found(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_the_measures_are_those_of_the_ranking():
    rng = np.random.default_rng(0)
    scores, hats = rng.normal(size=60), rng.choice(["blue", "red"], 60)
    answer = skew.ask(searched(scores, hats, k=10, resamples=50))
    group = (hats == "red").astype(int)[np.argsort(-scores)]
    expected = np.bincount(group) / 60
    assert found(answer, "max_skew", attribute="hat", query="a").value == pytest.approx(max_skew(group[:10], expected))
    assert found(answer, "ndkl", attribute="hat", query="a").value == pytest.approx(ndkl(group, expected))
    assert found(answer, "ndkl", attribute="hat", query="b").value == pytest.approx(ndkl(group[::-1], expected))
    bias = found(answer, "bias_at_k", attribute="hat", query="a", towards="blue").value
    assert bias == pytest.approx(((group[:10] == 0).sum() - (group[:10] == 1).sum()) / 10)


@pytest.mark.slow
def test_a_search_that_favors_a_group_is_found_and_chance_is_not():
    rng = np.random.default_rng(1)
    hats = rng.choice(["blue", "green", "red"], 200)
    planted = skew.ask(searched(rng.normal(size=200) + 1.0 * (hats == "red"), hats, k=30, resamples=100))
    assert found(planted, "skew_above_chance", attribute="hat").low > 0
    alarms = 0
    for _ in range(200):
        answer = skew.ask(searched(rng.normal(size=200), hats, k=30, resamples=100))
        alarms += found(answer, "skew_above_chance", attribute="hat").low > 0
    assert alarms <= 18


def test_association_has_the_sign_of_the_lean():
    rng = np.random.default_rng(2)
    hats = np.array(["blue", "red"] * 40)
    inputs = searched(rng.normal(size=80) + 2.0 * (hats == "red"), hats, k=10, resamples=20, pleasant=("a",), unpleasant=("b",))
    answer = skew.ask(inputs)
    assert found(answer, "association", attribute="hat", group="red").value > 0.5
    assert found(answer, "association_p_value", attribute="hat", group="red").value < 0.01


def test_pictures_without_the_attribute_are_not_in_the_search():
    rng = np.random.default_rng(3)
    scores, hats = rng.normal(size=60), rng.choice(["blue", "red"], 60)
    whole = skew.ask(searched(scores, hats, k=10, resamples=50))
    some = searched(np.concatenate([scores, np.full(20, 9.0)]), [*hats, *[None] * 20], k=10, resamples=50)
    for metric in ("max_skew", "ndkl"):
        where = {"attribute": "hat", "query": "a"}
        assert found(skew.ask(some), metric, **where).value == pytest.approx(found(whole, metric, **where).value)
        assert found(skew.ask(some), metric, **where).n == 60


def test_bias_has_wilsons_interval_and_an_unknown_attribute_is_named():
    answer = skew.ask(searched(np.arange(40), ["blue"] * 20 + ["red"] * 20, k=10, resamples=20))
    bias = found(answer, "bias_at_k", attribute="hat", query="b", towards="blue")
    reference = binomtest(10, 10).proportion_ci(method="wilson")
    assert (bias.value, bias.low, bias.high) == pytest.approx((1.0, 2 * reference.low - 1, 1.0), abs=1e-6)
    with pytest.raises(NotApplicable, match=r"there is no column 'hatt'; did you mean 'hat'"):
        skew.ask(searched(np.arange(4), ["blue", "red"] * 2, attributes=("hatt",)))


def named(right, hats, **more):
    """People of two roles who are named rightly or not."""
    truth = np.arange(len(right)) % 2
    called = np.where(right, truth, 1 - truth)
    return people(
        called,
        ["cook", "king"],
        Settings(),
        classes=class_list(["cook", "king"]),
        label=np.array(["cook", "king"])[truth],
        hat=hats,
        **more,
    )


def test_the_worst_group_is_found_without_any_query():
    hats = np.repeat(["blue", "green", "red"], 40)
    right = np.concatenate([np.arange(40) < 36, np.arange(40) < 32, np.arange(40) < 12])
    answer = skew.ask(named(right, hats))
    where = {"attribute": "hat", "group": "red", "prompts": "bare"}
    each = found(answer, "group_accuracy", **where)
    reference = binomtest(12, 40).proportion_ci(method="wilson")
    assert (each.value, each.low, each.high) == pytest.approx((0.3, reference.low, reference.high), abs=1e-6)
    worst = found(answer, "worst_group_accuracy", **where)
    assert worst.value == 0.3 and worst.low < each.low and worst.high > each.high  # it was chosen after looking
    gap = found(answer, "worst_group_gap", **where)
    assert gap.value == pytest.approx(0.3 - 68 / 80) and gap.high < 0
    (chart,) = answer.exhibits
    assert chart.table.column("group").to_pylist() == ["hat: red", "hat: green", "hat: blue"]


HATS = np.repeat(["blue", "green", "red"], 40)
RIGHT = np.concatenate([np.arange(40) < 36, np.arange(40) < 32, np.arange(40) < 12])


def without_vectors(**given):
    inputs = named(RIGHT, HATS)
    return replace(inputs, images=np.empty((120, 0), np.float32), can_encode=lambda texts: not texts, **given)


def by_scores():
    """A model that scores the class names: the same answers as those of `named`."""
    called = np.where(RIGHT, np.arange(120) % 2, 1 - np.arange(120) % 2)
    scores = np.eye(2, dtype=np.float32)[called]
    return {"class_scores": lambda rows: scores[list(rows)], "scored_classes": ("cook", "king")}


def from_a_file():
    called = np.where(RIGHT, np.arange(120) % 2, 1 - np.arange(120) % 2)
    answers = [PicturePrediction((("cook", "king")[c],)) for c in called]
    return {"predictions": lambda rows: [answers[row] for row in rows], "prompts": ()}


@pytest.mark.parametrize(("given", "way"), [(by_scores, "class scores"), (from_a_file, "predictions")])
def test_a_model_without_vectors_has_the_same_accuracy_by_group(given, way):
    expected, answer = skew.ask(named(RIGHT, HATS)), skew.ask(without_vectors(**given()))
    assert {f.slice["answers"] for f in answer.findings} == {way}
    numbers = [[(f.metric, f.slice["group"], f.value, f.low, f.high, f.n) for f in a.findings] for a in (expected, answer)]
    assert numbers[0] == numbers[1] and len(numbers[0]) == 5
    assert not answer.notices


def test_queries_without_vectors_are_named_and_groups_are_measured_all_the_same():
    answer = skew.ask(replace(without_vectors(**by_scores()), settings=Settings(words=("thief",))))
    assert {f.metric for f in answer.findings} == {"group_accuracy", "worst_group_accuracy", "worst_group_gap"}
    (notice,) = answer.notices
    assert "has no vectors for the queries, so nothing was searched" in str(notice)
    unlabeled = replace(
        people([0, 0], ["a"], Settings(words=("thief",)), hat=["red", "blue"]), can_encode=lambda texts: not texts
    )
    with pytest.raises(NotApplicable, match="no vectors for the queries"):
        skew.ask(unlabeled)


def test_groups_that_are_named_alike_raise_few_alarms():
    rng, hats = np.random.default_rng(5), np.repeat(["blue", "green", "red", "white"], 60)
    gaps = [skew.ask(named(rng.random(240) < 0.7, hats)).findings[-1] for _ in range(200)]
    assert all(g.metric == "worst_group_gap" for g in gaps)
    alarms = [not g.low <= 0 <= g.high for g in gaps]
    assert not alarms[0] and sum(alarms) <= 18


def test_a_group_of_few_pictures_is_not_the_worst_one():
    answer = skew.ask(named(np.arange(100) >= 5, ["green"] * 5 + ["blue"] * 45 + ["red"] * 50))
    assert {f.slice["group"] for f in answer.findings} == {"blue", "red"}
    with pytest.raises(NotApplicable, match="no group has 20 labeled pictures"):
        skew.ask(named(np.ones(10, bool), ["blue", "red"] * 5))


def test_no_labels_no_search():
    with pytest.raises(NotApplicable, match=r"--set skew\.queries="):
        skew.ask(people([0, 0], ["a"], Settings(), hat=["red", "blue"]))


@pytest.mark.parametrize(("model", "skewed"), [("zoo:accused-hats", True), ("zoo:random-order-0", False)])
def test_who_is_found_for_thief_in_the_zoo(tmp_path, model, skewed):
    asked = {"probes": ["skew"], "prompts": "single", "limit": 336, "out": tmp_path, "settings": {"skew": {"k": 40}}}
    exam = eyechart.examine(model, "world-people", **asked)
    rows = {(r["metric"], *json.loads(r["slice"]).values()): r for r in exam.findings.to_pylist()}
    thief = rows["max_skew", "hat", "thief"]["value"]
    assert (thief > 1.2) if skewed else (thief < 0.9)  # ln 4 = 1.39 is all of one hat
