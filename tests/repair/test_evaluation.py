"""Before and after: by hand, without false alarms, and with intervals that hold."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.findings.finding import Finding
from eyechart.probes.tasks.groups import Subgroup
from eyechart.repair.classifier_outcome import ClassifierOutcome
from eyechart.repair.evaluation import HeldOut, abstention_findings, evaluate, harm_findings
from eyechart.repair.metrics import metric_of


def outcome(right: np.ndarray) -> ClassifierOutcome:
    n = len(right)
    nothing, half = np.zeros(n, np.bool_), np.full(n, 0.5)
    return ClassifierOutcome(np.zeros(n, np.int64), right, half, half, nothing, right, np.ones(n, np.int64))


def held(labels: np.ndarray, worst: int = 1, targeted: tuple[str, ...] = ("a",), groups: tuple[Subgroup, ...] = ()) -> HeldOut:
    return HeldOut(labels, {"a": "apple"}, np.arange(len(labels)), groups, worst, targeted, 0)


def find(findings: list[Finding], metric: str, **where: object) -> Finding:
    (found,) = [f for f in findings if f.metric == metric and dict(f.slice) == where]
    return found


def test_by_hand():
    labels = np.array(["a"] * 4 + ["b"] * 6)
    before = np.array([1, 0, 0, 0, 1, 1, 1, 1, 1, 0], bool)
    after = np.array([1, 1, 1, 0, 1, 1, 1, 0, 0, 0], bool)
    group = Subgroup({"side": "left"}, np.arange(10) % 2 == 0)
    found = evaluate(outcome(before), outcome(after), held(labels, groups=(group,)))
    assert find(found, "top1", classifier="before").value == 0.6 and find(found, "top1_change").value == 0.0
    assert np.isclose(find(found, "mean_per_class_change").value, (3 / 4 + 3 / 6 - 1 / 4 - 5 / 6) / 2)
    assert find(found, "targeted_classes_change").value == 0.5 and find(found, "targeted_classes_change").n == 4
    # The worst class was a at 1/4, and is b at 3/6.
    assert find(found, "worst_at_k_change", k=1).value == 0.25
    assert find(found, "class_accuracy_change", **{"class": "apple"}).value == 0.5
    assert np.isclose(find(found, "class_accuracy_change", **{"class": "b"}).value, -2 / 6)
    assert find(found, "group_accuracy_change", side="left").n == 5
    assert find(found, "set_coverage").value == 0.6 and find(found, "set_size").value == 1.0


def test_harm_is_counted_in_all_and_by_group():
    labels = np.array(["a", "a", "b", "b"])
    group = Subgroup({"side": "left"}, np.array([True, True, False, False]))
    was, now = np.array([1, 1, 0, 1], bool), np.array([0, 1, 0, 0], bool)
    found = harm_findings(was, now, held(labels, groups=(group,)))
    assert find(found, "harm_rate_change").value == -0.5 and metric_of(find(found, "harm_rate_change")).higher_is_better is False
    assert find(found, "group_harm_rate_change", side="left").value == -0.5


def simulated(rng: np.random.Generator, lift: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six labels of 40 pictures; answers before and after go together, and the first two labels rise by `lift`."""
    labels = np.repeat(list("abcdef"), 40)
    chance = np.where(np.isin(labels, ["a", "b"]), 0.3, 0.8)
    luck, again = rng.random(240), rng.random(240)
    luck_after = np.where(rng.random(240) < 0.7, luck, again)
    return labels, luck < chance, luck_after < chance + np.where(np.isin(labels, ["a", "b"]), lift, 0.0)


def test_intervals_of_the_change_hold_the_truth():
    rng = np.random.default_rng(0)
    hits = {"top1_change": 0, "targeted_classes_change": 0, "mean_per_class_change": 0}
    truth = {"top1_change": 0.2 / 3, "targeted_classes_change": 0.2, "mean_per_class_change": 0.2 / 3}
    for _ in range(200):
        labels, was, now = simulated(rng, 0.2)
        found = _changes(was, now, labels)
        for metric, value in truth.items():
            hits[metric] += found[metric].low <= value <= found[metric].high
    assert all(179 <= count <= 198 for count in hits.values()), hits


@pytest.mark.slow
def test_false_alarms_are_rare():
    """Before and after exchanged at random, picture by picture: nothing changed, by construction."""
    rng = np.random.default_rng(1)
    alarms = {"top1_change": 0, "targeted_classes_change": 0, "worst_at_k_change": 0}
    labels, was, now = simulated(rng, 0.2)
    for _ in range(200):
        swap = rng.random(240) < 0.5
        found = _changes(np.where(swap, now, was), np.where(swap, was, now), labels)
        for metric in alarms:
            alarms[metric] += found[metric].low > 0 or found[metric].high < 0
    assert all(count <= 18 for count in alarms.values()), alarms


def _changes(was: np.ndarray, now: np.ndarray, labels: np.ndarray) -> dict[str, Finding]:
    from eyechart.repair.evaluation import _before_after, _class_means

    where = held(labels, worst=2, targeted=("a", "b"))
    everyone = np.ones(len(labels), np.bool_)
    found = [*_before_after("top1", was, now, where, everyone, {}), *_class_means(outcome(was), outcome(now), where)]
    return {f.metric: f for f in found}


def test_the_size_of_prediction_sets_and_its_error_by_hand():
    """Ten sets of one class and ten of three: the mean is 2, its standard error √(20/19 · 20) / 20 = 0.2294."""
    labels, right = np.repeat(["a", "b"], 10), np.ones(20, bool)
    sizes = np.tile([1, 3], 10)
    found = evaluate(outcome(right), replace(outcome(right), set_sizes=sizes), held(labels))
    size = find(found, "set_size")
    assert (size.value, size.low, size.high) == pytest.approx((2.0, 2 - 1.96 * 0.22942, 2 + 1.96 * 0.22942), abs=1e-3)


def test_empty_prediction_sets_are_counted():
    """Three of twenty sets are empty, and these do not hold their class: 15% and a coverage of 85%."""
    labels, right = np.repeat(["a", "b"], 10), np.ones(20, bool)
    sizes = np.r_[0, 0, 0, np.full(17, 2)]
    found = evaluate(outcome(right), replace(outcome(right), set_sizes=sizes, covered=sizes > 0), held(labels))
    assert find(found, "empty_set_share").value == pytest.approx(0.15)
    assert find(found, "set_coverage").value == pytest.approx(0.85)
    assert find(found, "class_set_coverage", **{"class": "apple"}).value == pytest.approx(0.7)


def test_abstention_by_hand():
    """Of twenty pictures sixteen are correct; twelve are answered, of which eleven are correct. The group is the first ten."""
    labels, right = np.repeat(["a", "b"], 10), np.arange(20) < 16
    abstained = np.ones(20, bool)
    abstained[[*range(11), 19]] = False
    first = np.arange(20) < 10
    group = Subgroup({"hat": "red"}, first)
    found = list(abstention_findings(replace(outcome(right), abstained=abstained), held(labels, groups=(group,))))
    for metric, where, hits, n in (
        ("answered_share", {}, 12, 20),
        ("selective_accuracy", {}, 11, 12),
        ("correct_answers_kept", {}, 11, 16),
        ("group_answered_share", {"hat": "red"}, 10, 10),
    ):
        share = find(found, metric, **where)
        reference = binomtest(hits, n).proportion_ci(method="wilson")
        assert (share.value, share.n) == (pytest.approx(hits / n), n)
        assert (share.low, share.high) == pytest.approx((reference.low, reference.high), abs=1e-4)


def test_without_an_answer_or_without_a_correct_one_there_is_no_share_of_them():
    labels, right = np.repeat(["a", "b"], 10), np.ones(20, bool)
    silent = list(abstention_findings(replace(outcome(right), abstained=right), held(labels)))
    assert {f.metric: f.value for f in silent} == {"answered_share": 0, "correct_answers_kept": 0}
    wrong = list(abstention_findings(outcome(~right), held(labels)))
    assert {f.metric: f.value for f in wrong} == {"answered_share": 1, "selective_accuracy": 0}


def test_labels_that_a_list_dropped_have_no_likelihood_to_compare():
    labels, right = np.repeat(["a", "b"], 10), np.ones(20, bool)
    gone = replace(outcome(right), label_probability=np.where(np.arange(20) < 5, 0.0, 0.5))
    for before, after in ((outcome(right), gone), (gone, outcome(right))):
        assert find(evaluate(before, after, held(labels)), "nll_change").n == 15


@pytest.mark.parametrize(("known", "reported"), [(0, 0), (1, 0), (2, 1)])
def test_the_change_of_the_likelihood_needs_two_pictures_with_one(known, reported):
    nothing = np.zeros(4, bool)
    p = np.where(np.arange(4) < known, 0.5, 0.0)
    before, after = (
        ClassifierOutcome(np.zeros(4, int), ~nothing, np.full(4, 0.5), p * factor, nothing, None, None) for factor in (1.0, 0.5)
    )
    held_out = HeldOut(np.array(["a"] * 4), {}, np.arange(4), (), 1, (), 0)
    found = [f for f in evaluate(before, after, held_out) if f.metric == "nll_change"]
    assert len(found) == reported
    if found:
        assert (found[0].value, found[0].n) == (pytest.approx(np.log(2)), 2)
