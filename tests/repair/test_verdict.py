"""The sentences of a verdict for changes that are given: better, worse, both and neither."""

from dataclasses import replace

import pytest
from tests.repair.made import BAD, GOOD, inputs

from eyechart.findings.finding import Finding
from eyechart.repair.prediction_set_text import coverage_sentence, low_coverage_sentence
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.sentences import change_sentence, overall_changes, overall_sentences, significant_sentences
from eyechart.repair.settings import Settings
from eyechart.repair.verdict import page_summary, selection_sentence, terminal_sentences, verdict


@pytest.fixture(scope="module")
def changed() -> Repaired:
    """A repair that changed the class vectors; its findings are replaced."""
    return repair(inputs((*GOOD, *BAD), n=240), Settings(weights="cpe"))


@pytest.fixture(scope="module")
def kept() -> Repaired:
    return repair(inputs(GOOD, n=240), Settings(weights="uniform"))


def change(metric, low, value, high, **where):
    return Finding(metric=f"{metric}_change", value=value, n=100, low=low, high=high, slice=where, baseline="before")


BETTER, SAME, WORSE = (0.01, 0.03, 0.05), (-0.02, 0.0, 0.02), (-0.05, -0.03, -0.01)


def said(repaired, *findings):
    return verdict(replace(repaired, findings=list(findings)))


def test_a_gain_names_what_was_selected_and_a_cost_comes_first(changed):
    selected = f"Selected: {changed.chosen.name}."
    assert said(changed, change("top1", *BETTER), change("worst_at_k", *SAME)) == [selected]
    cost, then = said(changed, change("top1", *BETTER), change("mean_per_class", *WORSE))
    assert cost.startswith("The repair has a cost: mean per-class accuracy ") and "top-1" not in cost and then == selected
    cost, _ = said(changed, change("top1", *BETTER), change("harm_rate", *BETTER))  # more harm is a cost
    assert cost.startswith("The repair has a cost: harmful predictions ")


def test_without_a_gain_the_original_is_kept_or_as_good(changed):
    first, saved = said(changed, change("top1", *WORSE), change("worst_at_k", *SAME))
    assert first.startswith("No metric improved significantly on ") and first.endswith("Keep the original classifier.")
    assert "some got worse: top-1" in first and "worst" not in first.partition("worse: ")[2]
    assert saved == f"The repaired classifier was saved anyway. Selected: {changed.chosen.name}."
    first, saved = said(changed, change("top1", *SAME))
    assert first.endswith("The original classifier is as good.") and saved.startswith("The repaired classifier was saved anyway.")


@pytest.mark.parametrize(("calibration", "improved"), [(WORSE, True), (SAME, False), (BETTER, False)])
def test_calibration_that_improved_alone_is_said(changed, calibration, improved):
    """A lower calibration error is better."""
    sentences = said(changed, change("top1", *SAME), change("ece", *calibration))
    assert any(s.startswith("Only its calibration improved: expected calibration error") for s in sentences) is improved
    assert len(sentences) == 2 + improved


def test_unchanged_class_vectors_are_said_whatever_the_figures(kept):
    (only,) = said(kept, change("top1", *WORSE))
    assert only == selection_sentence(kept) and only.startswith("No candidate was better than the original class vectors.")


def test_a_changed_class_list_is_named(changed):
    names = ("other", *changed.after.names[1:])
    other = replace(changed, after=replace(changed.after, names=names))
    assert selection_sentence(other) == f"Selected: the changed class list; prompts: {changed.chosen.name}."


CLASSES = [
    change("class_accuracy", *BETTER, **{"class": "cat"}),
    change("class_accuracy", -0.01, 0.02, 0.05, **{"class": "dog"}),  # better, not significantly
    change("class_accuracy", *WORSE, **{"class": "owl"}),
    change("class_accuracy", *SAME, **{"class": "fox"}),
    change("class_accuracy", None, None, None, **{"class": "elk"}),
]
GROUPS = [
    change("group_harm_rate", *WORSE, hat="red"),  # less harm is better
    change("group_harm_rate", *WORSE, hat="green"),
    change("group_harm_rate", *BETTER, hat="blue"),
]


def test_classes_and_groups_that_gained_or_lost_are_counted(changed):
    some = replace(changed, findings=[*CLASSES, *GROUPS])
    classes, groups = change_sentence(some, "class_accuracy_change"), change_sentence(some, "group_harm_rate_change")
    assert ": 2 classes better, 1 worse, 2 unchanged. Significant: better: cat; worse: owl." in classes
    assert classes.endswith("about 0.2 of 5 would be significant.")  # 0.25
    assert ": 2 groups better, 1 worse, 0 unchanged. Significant: better: hat: red, hat: green; worse: hat: blue." in groups
    assert terminal_sentences(some)[-2:] == [classes, groups]
    assert [s.partition(", significant changes: ")[2] for s in significant_sentences(some)] == [
        "better: cat; worse: owl.", "better: hat: red, hat: green; worse: hat: blue.",
    ]  # fmt: skip
    assert all(s in page_summary(some) for s in significant_sentences(some))


def test_overall_changes_are_in_their_order_with_both_values(changed):
    values = [
        Finding(metric=metric, value=value, n=100, slice={"classifier": which})
        for metric, pair in (("top1", (0.7, 0.73)), ("targeted_classes", (0.2, 0.4)))
        for which, value in zip(("before", "after"), pair, strict=True)
    ]
    changes = [change("targeted_classes", 0.1, 0.2, 0.3), change("nll", *WORSE), change("top1", *BETTER)]
    some = replace(changed, findings=[*values, *changes], targeted=("n0", "n1"))
    assert [f.metric for f in overall_changes(some)] == ["top1_change", "targeted_classes_change"]
    first, second = overall_sentences(some)
    assert first.startswith("Top-1 accuracy: 70.0% before, 73.0% after, a change of 3.0 points (1.0 to 5.0")
    assert "(thing0, thing1): 20.0% before, 40.0% after" in second


def covered(low, value, high, **where):
    return Finding(metric="class_set_coverage" if where else "set_coverage", value=value, n=100, low=low, high=high, slice=where)


def test_coverage_below_its_target_is_said(changed):
    size = Finding(metric="set_size", value=1.5, n=100)
    some = replace(changed, findings=[size], after=replace(changed.after, coverage=0.9))
    missed = "The coverage is below the target at 95% confidence."
    assert missed in coverage_sentence(some, covered(0.7, 0.8, 0.89))
    for high in (0.9, 0.95, None):
        assert missed not in coverage_sentence(some, covered(0.7, 0.8, high))
    assert "the target (the line) is 90.0%." in coverage_sentence(some, covered(0.7, 0.8, 0.89))


def test_the_class_with_the_lowest_coverage_and_all_below_the_target_are_named(changed):
    some = replace(changed, after=replace(changed.after, coverage=0.9))
    found = [
        covered(0.7, 0.8, 0.89, **{"class": "cat"}),
        covered(0.5, 0.7, 0.95, **{"class": "dog"}),
        covered(0.9, 0.95, 0.99, **{"class": "owl"}),
    ]
    sentence = low_coverage_sentence(some, found)
    assert "The lowest is dog with 70.0%" in sentence
    assert (
        "Below 90.0% at 95% confidence: cat 80.0% (70.0 to 89.0%), n = 100. By chance alone, about 0.1 of 3 would be." in sentence
    )


def test_a_class_that_is_never_covered_is_the_lowest(changed):
    found = [covered(0.5, 0.7, 0.95, **{"class": "dog"}), covered(0.0, 0.0, 0.2, **{"class": "cat"})]
    assert "The lowest is cat with 0.0%" in low_coverage_sentence(changed, found)
