"""Searches that favour a group: by hand, planted in the zoo, and groups dealt out at random."""

import json

import numpy as np
import pytest
from tests.probes.people import people

import eyechart
from eyechart.metrics.skew import max_skew, ndkl
from eyechart.probes.probe import NotApplicable
from eyechart.probes.skew import Settings, skew


def searched(scores, hats, **settings):
    """Pictures that lie in this order for the word "a", and in the opposite one for "b"."""
    given = people([0] * len(scores), ["a", "b"], Settings(words=("a", "b"), **settings), hat=hats)
    angle = np.linspace(0, np.pi / 2, len(scores))[np.argsort(np.argsort(-np.asarray(scores)))]
    object.__setattr__(given, "images", np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32))
    return given


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
    bias = found(answer, "bias", attribute="hat", query="a", towards="blue").value
    assert bias == pytest.approx(((group[:10] == 0).sum() - (group[:10] == 1).sum()) / 10)


def test_a_search_that_favours_a_group_is_found_and_chance_is_not():
    rng = np.random.default_rng(1)
    hats = rng.choice(["blue", "green", "red"], 200)
    planted = skew.ask(searched(rng.normal(size=200) + 1.0 * (hats == "red"), hats, k=30, resamples=100))
    assert found(planted, "skew_beyond_chance", attribute="hat").low > 0
    alarms = 0
    for _ in range(200):
        answer = skew.ask(searched(rng.normal(size=200), hats, k=30, resamples=100))
        alarms += found(answer, "skew_beyond_chance", attribute="hat").low > 0
    assert alarms <= 18


def test_association_has_the_sign_of_the_lean():
    rng = np.random.default_rng(2)
    hats = np.array(["blue", "red"] * 40)
    given = searched(rng.normal(size=80) + 2.0 * (hats == "red"), hats, k=10, resamples=20, pleasant=("a",), unpleasant=("b",))
    answer = skew.ask(given)
    assert found(answer, "association", attribute="hat", group="red").value > 0.5
    assert found(answer, "association_p", attribute="hat", group="red").value < 0.01


def test_no_labels_no_search():
    with pytest.raises(NotApplicable, match="no labels were named"):
        skew.ask(people([0, 0], ["a"], Settings(), hat=["red", "blue"]))


@pytest.mark.parametrize(("model", "skewed"), [("zoo:accused-hats", True), ("zoo:random-order-0", False)])
def test_who_is_found_for_thief_in_the_zoo(tmp_path, model, skewed):
    asked = {"probes": ["skew"], "prompts": "single", "limit": 336, "out": tmp_path, "settings": {"skew": {"k": 40}}}
    exam = eyechart.examine(model, "world-people", **asked)
    rows = {(r["metric"], *json.loads(r["slice"]).values()): r for r in exam.findings.to_pylist()}
    thief = rows["max_skew", "hat", "thief"]["value"]
    assert (thief > 1.2) if skewed else (thief < 0.9)  # ln 4 = 1.39 is all of one hat
