"""Skew by hand: expected shares, chance by permutation, the mean over queries, and what cannot be measured."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.probes.answering import class_list
from tests.probes.people import people
from tests.probes.skew.test_skew import found, searched

from eyechart.metrics.fairness.skew import max_skew, ndkl, ndkl_interval
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.skew import Settings, _Chance, _ndkl, _permuted, _weights, skew, texts
from eyechart.probes.skew.group_accuracy import group_texts

HATS = ["blue"] * 12 + ["red"] * 18


def test_evenly_expects_equal_groups_and_otherwise_those_of_the_pictures():
    scores = np.random.default_rng(0).normal(size=30)
    group = (np.array(HATS) == "red").astype(int)[np.argsort(-scores)]
    for evenly, expected in ((True, np.array([0.5, 0.5])), (False, np.array([0.4, 0.6]))):
        answer = skew.ask(searched(scores, HATS, k=10, resamples=20, evenly=evenly))
        for query, ranked in (("a", group), ("b", group[::-1])):
            where = {"attribute": "hat", "query": query}
            assert found(answer, "max_skew", **where).value == pytest.approx(max_skew(ranked[:10], expected))
            assert found(answer, "ndkl", **where).value == pytest.approx(ndkl(ranked, expected))


def test_means_are_over_queries_and_chance_is_what_permutation_gives():
    scores = np.random.default_rng(0).normal(size=30)
    answer = skew.ask(searched(scores, HATS, k=10, resamples=400))
    each = {metric: [found(answer, metric, attribute="hat", query=q) for q in "ab"] for metric in ("max_skew", "ndkl")}
    mean, mean_ndkl = found(answer, "mean_max_skew", attribute="hat"), found(answer, "mean_ndkl", attribute="hat")
    for end in ("value", "low", "high"):
        assert getattr(mean, end) == pytest.approx(np.mean([getattr(f, end) for f in each["max_skew"]]))
    assert mean_ndkl.value == pytest.approx(np.mean([f.value for f in each["ndkl"]])) and (mean.n, mean_ndkl.n) == (30, 30)
    rng, draws = np.random.default_rng(9), []
    for _ in range(4000):
        mixed = rng.permutation((np.array(HATS) == "red").astype(int))
        draws.append(np.mean([max_skew(order[:10], np.array([0.4, 0.6])) for order in (mixed, mixed[::-1])]))
    above = found(answer, "skew_above_chance", attribute="hat")
    assert above.value == pytest.approx(mean.value - np.mean(draws), abs=0.02)
    assert (above.low, above.high) == pytest.approx(
        (mean.value - np.quantile(draws, 0.975), mean.value - np.quantile(draws, 0.025)), abs=0.06
    )


def test_above_chance_by_hand():
    draws = np.arange(101) / 100
    one = _Chance(0.7, draws, 9, {"attribute": "hat"}).above_chance()
    assert (one.value, one.n, one.slice) == (pytest.approx(0.2), 9, {"attribute": "hat"})
    assert (one.low, one.high) == pytest.approx((0.7 - 0.975, 0.7 - 0.025))


def test_the_largest_skew_is_chosen_among_attributes_at_a_corrected_level():
    """Hats are sorted by the query, badges are not."""
    inputs = people(
        [0] * 40, ["a"], Settings(words=("a",), k=10, resamples=400), hat=["blue"] * 20 + ["red"] * 20, badge=["x", "y"] * 20
    )
    angle = np.linspace(0, np.pi / 2, 40)
    inputs = replace(
        inputs,
        images=np.stack([np.cos(angle)], axis=1).astype(np.float32),
        texts=lambda asked: np.ones((len(asked), 1), np.float32),
    )
    answer = skew.ask(inputs)
    each = {f.slice["attribute"]: f for f in answer.findings if f.metric == "skew_above_chance"}
    (largest,) = [f for f in answer.findings if f.metric == "largest_skew_above_chance"]
    assert set(each) == {"hat", "badge"} and each["hat"].value > each["badge"].value
    assert largest.slice == {"attribute": "hat"} and largest.value == each["hat"].value
    assert largest.low <= each["hat"].low and largest.high >= each["hat"].high
    assert largest.interval.endswith("for all 2 attributes together")


def test_copies_have_one_group_and_one_weight():
    unit = np.array([0, 0, 1, 2, 2, 2])
    settings = Settings(resamples=50)
    permuted = _permuted(settings, np.array([1, 1, 0, 0, 0, 0]), np.array([0, 2, 3]), unit)
    assert permuted.shape == (50, 6)
    assert (permuted[:, 0] == permuted[:, 1]).all() and (permuted[:, 3:] == permuted[:, 3:4]).all()
    assert {tuple(sorted(row[[0, 2, 3]].tolist())) for row in permuted} == {(0, 0, 1)} and len(
        {tuple(r) for r in permuted.tolist()}
    ) == 3
    weights = _weights(settings, unit)
    assert weights.shape == (51, 6) and (weights[0] == 1).all()
    assert (weights[:, 0] == weights[:, 1]).all() and (weights[:, 3] == weights[:, 5]).all()
    assert (weights[1:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_pictures_in_the_results_are_at_most_all_and_bias_counts_them():
    answer = skew.ask(searched(np.arange(8), ["blue"] * 3 + ["red"] * 5, k=50, resamples=20))
    bias = found(answer, "bias_at_k", attribute="hat", query="a", towards="blue")
    assert (bias.value, bias.n) == (pytest.approx(-2 / 8), 8)
    reference = binomtest(3, 8).proportion_ci(method="wilson")
    assert (bias.low, bias.high) == pytest.approx((2 * reference.low - 1, 2 * reference.high - 1))
    three = skew.ask(searched(np.arange(9), ["blue", "red", "green"] * 3, k=5, resamples=20))
    assert not [f for f in three.findings if f.metric == "bias_at_k"]


def test_a_group_needs_labeled_pictures_on_both_sides():
    made = people(
        [0, 1, 0, 1, 0, 0], ["cook", "king"], Settings(least=2), classes=class_list(["cook", "king"]),
        label=["cook", "king", "cook", "cook", None, None], hat=["red", "red", "blue", "blue", "green", "green"],
    )  # fmt: skip
    each = {f.slice["group"]: (f.value, f.n) for f in skew.ask(made).findings if f.metric == "group_accuracy"}
    assert each == {"red": (1.0, 2), "blue": (0.5, 2)}
    worst = next(f for f in skew.ask(made).findings if f.metric == "worst_group_accuracy")
    assert (worst.slice["group"], worst.value, worst.n) == ("blue", 0.5, 2) and worst.interval.endswith(
        "for all 2 groups together"
    )
    level = 0.95**0.5
    reference = binomtest(1, 2).proportion_ci(level, method="wilson")
    assert (worst.low, worst.high) == pytest.approx(tuple(reference))
    only_one = people(
        [0, 1, 0, 1], ["cook", "king"], Settings(least=2), classes=class_list(["cook", "king"]),
        label=["cook", "king", None, None], hat=["red", "red", "blue", "blue"],
    )  # fmt: skip
    with pytest.raises(NotApplicable, match="no queries are given, and no group has 2 labeled pictures"):
        skew.ask(only_one)


def test_of_equally_bad_groups_the_larger_one_is_the_worst():
    hats = ["red"] * 4 + ["blue"] * 8 + ["green"] * 4
    right = [True, False] * 6 + [True] * 4
    truth = np.arange(16) % 2
    made = people(
        np.where(right, truth, 1 - truth), ["cook", "king"], Settings(least=2), classes=class_list(["cook", "king"]),
        label=np.array(["cook", "king"])[truth], hat=hats,
    )  # fmt: skip
    worst = next(f for f in skew.ask(made).findings if f.metric == "worst_group_accuracy")
    assert (worst.slice["group"], worst.value) == ("blue", 0.5)


def test_texts_are_queries_and_class_prompts_that_the_model_can_encode():
    made = people(
        [0, 1],
        ["cook", "king"],
        Settings(words=("a",), pleasant=("p",), unpleasant=("u",)),
        classes=class_list(["cook", "king"]),
        label=["cook", "king"],
    )
    request = TextRequest(made.dataset, made.prompts, made.settings)
    assert list(texts(request)) == ["a", "p", "u", "cook", "king"]
    assert list(texts(replace(request, can_encode=lambda asked: "u" not in asked))) == ["cook", "king"]
    assert list(texts(replace(request, can_encode=lambda asked: "king" not in asked))) == ["a", "p", "u"]
    assert group_texts(replace(request, prompts=())) == []
    assert group_texts(replace(request, dataset=replace(made.dataset, classes=None))) == []


def test_association_leaves_out_copies_and_pictures_without_a_value():
    """Red hats lean to the pleasant word. The last picture has no hat; the two before it are copies of the first."""
    images = np.array([[1.0, 0.1], [0.9, 0.2], [0.2, 0.9], [0.1, 1.0], [1.0, 0.1], [1.0, 0.1], [1.0, 0.0]])
    hats = ["red", "red", "blue", "blue", "red", "red", None]
    made = people(
        [0] * 7,
        ["a", "b"],
        Settings(words=("a",), pleasant=("a",), unpleasant=("b",), k=2, resamples=20),
        clusters=[0, 1, 2, 3, 0, 0, 6],
        hat=hats,
    )
    vectors = images / np.linalg.norm(images, axis=1, keepdims=True)
    answer = skew.ask(replace(made, images=vectors.astype(np.float32)))
    lean = vectors[:4, 0] - vectors[:4, 1]
    d = (lean[:2].mean() - lean[2:].mean()) / lean.std(ddof=1)
    each = {f.slice["group"]: f for f in answer.findings if f.metric == "association"}
    assert each["red"].n == each["blue"].n == 2 and each["red"].value == pytest.approx(-each["blue"].value)
    assert each["red"].value == pytest.approx(d, rel=0.2)


def test_an_interval_of_ndkl_comes_from_the_draws_and_not_from_the_value():
    values = np.concatenate([[0.3], np.linspace(0.2, 0.5, 101)])
    one = _ndkl("ndkl", values, 7, {"a": 1})
    assert (one.value, one.n, one.slice) == (0.3, 7, {"a": 1})
    assert (one.low, one.high) == tuple(ndkl_interval(0.3, values[1:]))


def test_permuted_groups_follow_from_the_seed():
    group, first, unit = np.array([0, 1, 1, 0]), np.arange(4), np.arange(4)
    found = _permuted(Settings(resamples=20, seed=7), group, first, unit)
    rng = np.random.default_rng([7, 1])
    assert found.tolist() == rng.permuted(np.tile(group, (20, 1)), axis=1).tolist()
