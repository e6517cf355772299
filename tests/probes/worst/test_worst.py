"""The worst classes: published figures, by hand, planted and by chance alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, gmean, hmean
from tests.found import table_of
from tests.probes.answering import answering, class_list, only

from eyechart.findings.finding import Finding
from eyechart.probes import zero_shot as first
from eyechart.probes.contract import NotApplicable
from eyechart.probes.worst import Settings, _notices_of, curve_sizes, worst

NAMES = ["ant", "bee", "cat", "dog"]


def after(inputs, findings):
    table = table_of(findings, model="test", dataset="test", probe="zero_shot", protocol="p", version=1)
    return replace(inputs, upstream={"zero_shot": table})


def found_of(names, shares):
    """Findings of zero_shot with these accuracies."""
    of_classes = [
        Finding(metric="class_accuracy", value=s, n=4, slice={"class": n, "prompts": "bare"})
        for n, s in zip(names, shares, strict=True)
    ]
    return [
        *of_classes,
        Finding(metric="mean_per_class", value=float(shares.mean()), n=len(names), low=0.0, high=1.0, slice={"prompts": "bare"}),
    ]


def asked(answers, truth, names, settings=None, **more):
    """The whole way: zero_shot first, and its findings handed on."""
    inputs = answering(answers, truth, class_list(names), first.Settings(resamples=50), **more)
    return worst.ask(replace(after(inputs, first.zero_shot.ask(inputs).findings), settings=settings or Settings(resamples=200)))


@pytest.mark.refdata
def test_published_figures_of_oxford_pets(refdata):
    """21 models' published accuracies of 37 classes, handed in as zero_shot would have found them."""
    published = json.loads((refdata / "per-class" / "oxfordpets_ensemble_results.json").read_text())
    for figures in published.values():
        names, shares = list(figures["classwise"]), np.array(list(figures["classwise"].values())) / 100
        truth = np.repeat(np.arange(37), 4)
        found = [
            Finding(metric="class_accuracy", value=s, n=4, slice={"class": n, "prompts": "bare"})
            for n, s in zip(names, shares, strict=True)
        ]
        found.append(
            Finding(metric="mean_per_class", value=float(shares.mean()), n=148, low=0.0, high=1.0, slice={"prompts": "bare"})
        )
        answer = worst.ask(after(answering(truth, truth, class_list(names), Settings(resamples=20)), found))
        assert only(answer, "worst_at_k", k=4).value == pytest.approx(np.sort(shares)[:4].mean())
        assert only(answer, "harmonic_mean").value == pytest.approx(hmean(shares) if shares.all() else 0)
        assert only(answer, "geometric_mean_smoothed").value == pytest.approx(gmean(np.maximum(shares, 0.01)))


def test_by_hand():
    """ant is right once of four, taken for bee twice and for cat once; bee is never right; cat and dog always."""
    truth = [0] * 4 + [1] * 2 + [2] * 4 + [3] * 4
    answers = [0, 1, 1, 2, 3, 3] + [2] * 4 + [3] * 4
    answer = asked(answers, truth, NAMES, Settings(k=2, epsilon=0.05, resamples=200))
    assert only(answer, "worst_at_k").value == pytest.approx(0.125)
    assert (only(answer, "worst_at_k").n, only(answer, "harmonic_mean").n) == (6, 14)  # pictures of bee and ant, and all
    assert only(answer, "harmonic_mean").value == only(answer, "geometric_mean").value == 0
    assert only(answer, "harmonic_mean_smoothed", epsilon=0.05).value == pytest.approx(4 / (20 + 4 + 1 + 1))
    assert only(answer, "geometric_mean_smoothed").value == pytest.approx((0.05 * 0.25) ** 0.25)
    assert only(answer, "zero_accuracy_share").value == 0.25
    taken = only(answer, "confusion", **{"class": "ant"})
    reference = binomtest(2, 4).proportion_ci(method="wilson")
    assert (taken.slice["predicted"], taken.value, taken.n) == ("bee", 0.5, 4)
    assert (taken.low, taken.high) == pytest.approx((reference.low, reference.high))
    (shown,) = [e for e in answer.exhibits if e.kind == "pictures"]
    assert shown.table.column("class").to_pylist() == ["bee", "ant"]
    assert shown.table.column("predicted as").to_pylist() == ["dog (100.0%)", "bee (50.0%), cat (25.0%)"]
    assert shown.table.column("ids").to_pylist() == [["test-4", "test-5"], ["test-1", "test-2"]]


def test_k_is_a_tenth_below_a_hundred_classes():
    truth = np.repeat(np.arange(18), 3)
    assert only(asked(truth, truth, [f"c{i}" for i in range(18)]), "worst_at_k").slice["k"] == 2


def drawn(rng, right, each=20):
    truth = np.repeat(np.arange(len(right)), each)
    hit = rng.random(len(truth)) < np.asarray(right)[truth]
    return np.where(hit, truth, (truth + 1) % len(right)), truth, [f"c{i:02}" for i in range(len(right))]


def test_planted_bad_classes_are_found():
    answers, truth, names = drawn(np.random.default_rng(0), [0.9] * 14 + [0.3] * 4)
    answer = asked(answers, truth, names)
    (said,) = answer.notices
    assert "the 2 worst classes are at" in said.what
    assert set(answer.exhibits[1].table.column("class").to_pylist()) <= {"c14", "c15", "c16", "c17"}
    assert only(answer, "worst_at_k").high < only(answer, "worst_at_k_chance").value


@pytest.mark.slow
def test_classes_that_are_alike_raise_no_alarm():
    rng, alarms = np.random.default_rng(1), []
    for _ in range(200):
        answers, truth, names = drawn(rng, [0.8] * 12, 15)
        shares = np.bincount(truth, answers == truth) / 15
        inputs = answering(answers, truth, class_list(names), Settings(resamples=300))
        alarms.append(bool(worst.ask(after(inputs, found_of(names, shares))).notices))
    assert not alarms[0]
    assert sum(alarms) <= 18


def test_copies_of_a_picture_count_once():
    truth, answers = np.repeat([0, 1, 2, 3], 10), np.repeat([0, 0, 2, 3], 10)
    once = only(asked(answers, truth, NAMES), "confusion", **{"class": "bee"})
    copied = only(asked(answers, truth, NAMES, clusters=np.repeat(np.arange(8), 5)), "confusion", **{"class": "bee"})
    assert (once.value, copied.value) == (1.0, 1.0)
    assert copied.low < once.low


def test_it_needs_what_zero_shot_found():
    with pytest.raises(NotApplicable, match="fewer than two classes"):
        worst.ask(answering([0, 1], [0, 1], class_list(NAMES), Settings()))


@pytest.mark.parametrize("settings", [{"k": -1}, {"epsilon": 0.0}, {"resamples": 0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        Settings(**settings)


def test_chance_draws_every_class_from_the_accuracy_of_all_pictures():
    """80 pictures of one class all right, 4 of each other class all wrong: 80 of 92 are right, one class in four."""
    truth = np.repeat(np.arange(4), [80, 4, 4, 4])
    answer = asked(np.where(truth == 0, 0, (truth + 1) % 4), truth, NAMES, Settings(k=2, resamples=4000))
    rng = np.random.default_rng(1)
    shares = np.stack([rng.binomial(n, 80 / 92, 40_000) / n for n in (80, 4, 4, 4)])
    assert only(answer, "worst_at_k_chance", k=2).value == pytest.approx(np.sort(shares, axis=0)[:2].mean(), abs=0.01)


def test_only_a_class_without_a_correct_answer_is_never_right():
    """One class is right once in 200 pictures, which is below the smoothing of the means."""
    truth = np.repeat(np.arange(4), 200)
    answers = np.where(truth < 2, truth, (truth + 1) % 4)
    answers[400] = 2
    found = only(asked(answers, truth, NAMES), "zero_accuracy_share")
    assert (found.value, found.n) == (1 / 4, 4)


def test_a_class_that_is_surely_never_right_has_a_narrow_interval_beside_few_others():
    """Of four classes two are always right: a resample of the classes that misses the other two must not speak for them."""
    truth = np.repeat(np.arange(4), 200)
    answer = asked(np.where(truth < 2, truth, (truth + 1) % 4), truth, NAMES)
    assert only(answer, "worst_at_k").high < 0.05
    assert only(answer, "harmonic_mean_smoothed").high < 0.2


def test_of_classes_that_tie_the_one_with_more_pictures_is_the_worst():
    truth = np.repeat(np.arange(4), [10, 40, 10, 20])
    answer = asked(np.where(truth == 3, 3, 3 - truth), truth, NAMES, Settings(k=1, resamples=50))
    assert only(answer, "worst_at_k", k=1).n == 40
    assert {f.slice["class"] for f in answer.findings if f.metric == "confusion"} == {"bee"}


def test_the_curve_is_the_mean_of_the_k_lowest_for_every_k():
    """Twelve classes of ten pictures, class c right in c − 1 of ten (the first two never)."""
    truth = np.repeat(np.arange(12), 10)
    right = np.concatenate([np.arange(10) < max(c - 1, 0) for c in range(12)])
    answers = np.where(right, truth, (truth + 1) % 12)
    answer = asked(answers, truth, [f"c{c}" for c in range(12)])
    lowest = sorted(max(c - 1, 0) / 10 for c in range(12))
    curve = {f.slice["k"]: f for f in answer.findings if f.metric == "worst_curve"}
    assert {k: f.value for k, f in curve.items()} == {k: pytest.approx(np.mean(lowest[:k])) for k in (1, 2, 5, 10, 12)}
    assert curve[12].n == 120 and curve[2].n == 20 and all(f.low <= f.value <= f.high for f in curve.values())
    (shown,) = [e for e in answer.exhibits if e.name.startswith("worst-curve")]
    assert shown.table.column("k").to_pylist() == [1, 2, 5, 10, 12]


@pytest.mark.parametrize(
    ("classes", "sizes"),
    [
        (1, [1]),
        (2, [1, 2]),
        (5, [1, 2, 5]),
        (9, [1, 2, 5, 9]),
        (10, [1, 2, 5, 10]),
        (11, [1, 2, 5, 10, 11]),
        (100, [1, 2, 5, 10, 20, 50, 100]),
    ],
)
def test_the_curve_ends_with_all_classes(classes, sizes):
    assert curve_sizes(classes) == sizes


def test_the_curve_and_chance_by_hand():
    """Accuracies of 1/4, 0, 1 and 1 with 4, 2, 4 and 4 pictures: equally accurate classes would have 9/14."""
    truth = [0] * 4 + [1] * 2 + [2] * 4 + [3] * 4
    answers = [0, 1, 1, 2, 3, 3] + [2] * 4 + [3] * 4
    answer = asked(answers, truth, NAMES, Settings(k=2, resamples=4000))
    curve = {f.slice["k"]: (f.value, f.n) for f in answer.findings if f.metric == "worst_curve"}
    assert curve == {1: (0.0, 2), 2: (0.125, 6), 4: (pytest.approx(2.25 / 4), 14)}
    chance = only(answer, "worst_at_k_chance")
    rng = np.random.default_rng(1)
    shares = np.sort(rng.binomial([4, 2, 4, 4], 9 / 14, (20000, 4)) / [4, 2, 4, 4], axis=1)[:, :2].mean(axis=1)
    assert chance.value == pytest.approx(shares.mean(), abs=0.01) and (chance.n, chance.slice["k"]) == (14, 2)
    assert (chance.low, chance.high) == pytest.approx(tuple(np.quantile(shares, [0.025, 0.975])), abs=0.07)
    never = only(answer, "zero_accuracy_share")
    reference = binomtest(1, 4).proportion_ci(method="wilson")
    assert (never.n, never.low, never.high) == (4, pytest.approx(reference.low), pytest.approx(reference.high))
    assert never.interval == "Wilson over classes, 95%"


def test_of_classes_with_equal_accuracy_the_one_with_more_pictures_is_worse():
    truth = [0] * 2 + [1] * 4 + [2] * 4
    answer = asked([1, 0, 0, 0, 1, 1, 2, 2, 2, 2], truth, NAMES[:3], Settings(k=1, resamples=50))
    assert only(answer, "confusion").slice["class"] == "bee" and only(answer, "worst_at_k").n == 4


def noticed(value, low, worst=("ant",), under=None):
    findings = [
        Finding(metric="worst_at_k", value=value, n=9), Finding(metric="worst_at_k_chance", value=0.5, n=9, low=low, high=0.9),
    ]  # fmt: skip
    made = answering([0, 1], [0, 1], class_list(NAMES[:2]), Settings())
    return [notice.what for notice in _notices_of(made, under or {"prompts": "bare"}, findings, list(worst))]


def test_a_warning_is_about_less_than_chance_explains():
    assert noticed(0.3, 0.3) == noticed(None, 0.3) == noticed(0.2, None) == []
    assert noticed(0.29, 0.3) == [
        "test with prompts bare: the 1 worst class is at 29.0%, where equally accurate classes would give 50.0%: ant"
    ]
    two = noticed(0.29, 0.3, ("ant", "bee"), {"answers": "class scores"})
    assert two == ["test: the 2 worst classes are at 29.0%, where equally accurate classes would give 50.0%: ant; bee"]
