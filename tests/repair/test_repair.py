"""The whole repair on a model whose defect is known, and on one without any."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest
from tests.repair.made import BAD, CLASSES, DIRECTIONS, GOOD, NOTHING, inputs, unit

from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.exhibits import calibration_exhibits, candidate_exhibits, set_exhibits
from eyechart.repair.metrics import OVERALL
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.settings import Settings
from eyechart.repair.verdict import page_summary, terminal_sentences


def change(repaired: Repaired, metric: str, **where: object) -> Finding:
    (found,) = [f for f in repaired.findings if f.metric == f"{metric}_change" and where.items() <= dict(f.slice).items()]
    return found


@pytest.fixture(scope="module")
def repaired() -> Repaired:
    return repair(inputs((*GOOD, *BAD)), Settings())


def test_bad_templates_are_found_without_labels_and_the_worst_classes_rise(repaired):
    assert repaired.chosen.weighting in ("zpe", "cpe")
    kept = {t for t, w in zip(repaired.templates, repaired.chosen.weights.weights, strict=True) if w > 0.01}
    assert kept and kept <= set(GOOD)
    rise = change(repaired, "worst_at_k")
    assert rise.value > 0.3 and rise.low > 0.1
    assert change(repaired, "top1").low > 0


def test_it_is_said_who_gained_and_who_lost(repaired):
    assert change(repaired, "class_accuracy", **{"class": "thing0"}).low > 0
    assert change(repaired, "class_accuracy", **{"class": "thing1"}).low > 0
    said = " ".join(terminal_sentences(repaired))
    assert "thing0" in said and "better: " in said and "worse: " in said


def test_what_is_measured_was_not_seen(repaired):
    pictures = repaired.after.about["protocol"]["pictures"]
    assert pictures == {"fit": 300, "calibrate": 300, "held_out": 600, "unlabeled": 0}
    assert all(f.n <= 600 for f in repaired.findings) and change(repaired, "top1").n == 600


def test_prediction_sets_and_abstention_are_near_their_promise_on_held_out_pictures(repaired):
    """One split of 300 pictures; what is promised is the mean over splits (see test_fitting)."""
    covered, kept = (next(f for f in repaired.findings if f.metric == m) for m in ("set_coverage", "correct_answers_kept"))
    assert abs(covered.value - 0.9) < 0.05 and abs(kept.value - 0.95) < 0.04


def test_a_model_without_a_defect_is_left_as_it_is():
    """Templates that differ by noise alone: nothing rises or falls beyond chance."""
    healthy = repair(inputs(GOOD), Settings())
    for metric in ("top1", "mean_per_class", "worst_at_k"):
        found = change(healthy, metric)
        assert found.low <= 0 <= found.high


def test_where_nothing_does_better_that_is_said_and_elsewhere_what_was_taken(repaired):
    assert terminal_sentences(repaired)[0] == f"Selected: {repaired.chosen.name}."
    left = repair(inputs(GOOD, n=400), Settings(weights="uniform"))
    assert terminal_sentences(left)[0].startswith("No candidate was better than the original class vectors")


def test_what_was_not_shown_to_improve_is_said_first_though_a_file_is_there():
    """Templates that differ by noise alone, weighed because it was asked for."""
    healthy = repair(inputs(GOOD), Settings(weights="cpe"))
    rows = [f for f in healthy.findings if f.baseline and f.metric.removesuffix("_change") in {m.name for m in OVERALL}]
    assert rows and not any(f.low > 0 for f in rows)
    assert (
        terminal_sentences(healthy)[0]
        == "No metric improved significantly on held-out pictures. The original classifier is as good."
    )
    assert "The repaired classifier was saved anyway. Selected: cpe." in page_summary(healthy)


def test_what_became_worse_is_said_first():
    """The new word for the third thing means the last one."""
    worse = repair(inputs(GOOD), Settings(weights="uniform", change="thing2->thing9 or so"))
    first, second, *_ = terminal_sentences(worse)
    assert first.startswith("No metric improved significantly on held-out pictures, and some got worse: top-1 accuracy −")
    assert "Keep the original classifier." in first and second.endswith("prompts: uniform.")


def test_a_cost_is_said_before_what_was_taken(repaired):
    """The mean over classes as if it had fallen, by hand."""
    fallen = Finding(metric="mean_per_class_change", value=-0.1, n=600, low=-0.15, high=-0.05, slice={}, baseline="before")
    costly = replace(repaired, findings=[fallen if f.metric == fallen.metric else f for f in repaired.findings])
    assert terminal_sentences(costly)[:2] == [
        "The repair has a cost: mean per-class accuracy −10.0 points (−15.0 to −5.0).",
        f"Selected: {repaired.chosen.name}.",
    ]


def test_the_page_opens_with_who_lost_as_well(repaired):
    gained = [f.slice["class"] for f in repaired.findings if f.metric == "class_accuracy_change" and f.low > 0]
    assert f"significant changes: better: {', '.join(gained)}; worse: none." in page_summary(repaired)
    lost = Finding(
        metric="class_accuracy_change", value=-0.2, n=60, low=-0.3, high=-0.1, slice={"class": "thing5"}, baseline="before"
    )
    assert "; worse: thing5." in page_summary(replace(repaired, findings=[*repaired.findings, lost]))


def test_names_that_the_model_does_not_know_are_noticed(repaired):
    """Texts in directions that no picture has but for noise: no better than guessing, before and after."""
    deaf = replace(inputs(GOOD), texts=lambda asked: unit(np.array([NOTHING[int(text[-1])] for text in asked])))
    (said,) = [str(n) for n in repair(deaf, Settings()).notices if "above chance" in str(n)]
    assert "not above chance (10.0%) or not above that of shuffled class names, at 95% confidence" in said and "n = 600" in said
    assert not any("above chance" in str(n) for n in repaired.notices)


def test_heaps_that_are_named_by_luck_are_noticed_too():
    """Words in random directions sort pictures into heaps, and some heaps bear the right name."""
    lucky = replace(inputs(GOOD), texts=lambda asked: unit(np.array([_NOISE[int(text[-1])] for text in asked])))
    assert any("shuffled class names" in str(n) for n in repair(lucky, Settings()).notices)


_NOISE = np.random.default_rng(3).normal(size=(10, 48))


def test_classes_that_no_picture_is_labeled_with_are_noticed(repaired):
    some = inputs(GOOD)
    longer = ClassList("more", (*CLASSES, PictureClass("n77", "thing1 again")))
    noticed = repair(replace(some, dataset=replace(some.dataset, classes=longer)), Settings()).notices
    assert any("no picture is labeled with 1 of 11 classes: thing1 again" in str(n) for n in noticed)
    assert not any("labeled with" in str(n) for n in repaired.notices)


def test_whether_it_is_surer_of_the_truth_is_said_with_an_interval(repaired):
    (shown,) = calibration_exhibits(repaired)
    change = next(f for f in repaired.findings if f.metric == "nll_change")
    assert (
        change.high < 0
        and f"changed by −{-change.value:.3f} nats (−{-change.low:.3f} to −{-change.high:.3f} nats)" in shown.sentence
    )


def test_coverage_is_told_with_its_interval_and_who_surely_misses_it(repaired):
    """Of 600 pictures 540 are covered, of 60 of one class 42: Wilson's intervals by SciPy; 42 of 60 are surely below 90%."""

    def share(metric: str, hits: int, n: int, **where: object) -> Finding:
        low, high = binomtest(hits, n).proportion_ci(method="wilson")
        return Finding(metric=metric, value=hits / n, n=n, low=low, high=high, slice=where)

    rest = [f for f in repaired.findings if "set_coverage" not in f.metric]
    of_class = [share("class_set_coverage", hits, 60, **{"class": name}) for name, hits in (("a", 42), ("b", 53), ("c", 60))]
    (shown,) = set_exhibits(replace(repaired, findings=[*rest, share("set_coverage", 540, 600), *of_class]))
    assert "contain the true class for 90.0% (87.3 to 92.2%), n = 600; the target (the line) is 90.0%." in shown.sentence
    assert (
        "The lowest is a with 70.0% (57.5 to 80.1%), n = 60. Below 90.0% at 95% confidence: a 70.0% (57.5 to 80.1%), n = 60."
        in shown.sentence
    )
    (kept,) = set_exhibits(replace(repaired, findings=[*rest, share("set_coverage", 500, 600), *of_class[1:]]))
    assert "below the target at 95% confidence" in kept.sentence and "Below 90.0% at 95% confidence: none." in kept.sentence


def test_what_was_tried_is_told_with_n_and_intervals(repaired):
    tried = next(e for e in candidate_exhibits(repaired) if e.name == "candidates").table
    assert tried.column_names[1:] == [
        f"{what}, {half}" for half in ("fitting part (n = 300)", "held out (n = 600)") for what in ("accuracy", "worst")
    ]
    row = next(r for r in tried.to_pylist() if "(selected)" in r["candidate"])
    after = next(f for f in repaired.findings if f.metric == "top1" and f.slice["classifier"] == "after")
    assert row["accuracy, held out (n = 600)"] == f"{after.value:.1%} ({100 * after.low:.1f} to {100 * after.high:.1f}%)"


def test_descriptions_mend_the_classes_that_are_taken_for_the_worst():
    """All templates are bad; only a description says the two wrong classes rightly, and only the worst two get one."""
    wrong = inputs(BAD)
    settings = Settings(weights="uniform", worst=2, find="labels")
    repaired = repair(wrong, settings, lambda names: {name: ["the '{}'"] for name in names})
    assert set(repaired.targeted) == {"n0", "n1"}
    assert change(repaired, "targeted_classes").low > 0.2
    assert repaired.after.about["protocol"]["descriptions"] == {"thing0": ["the 'thing0'"], "thing1": ["the 'thing1'"]}


@pytest.mark.parametrize("weighting", ["zpe", "cpe"])
def test_either_way_of_weighing_finds_the_bad_templates(weighting):
    repaired = repair(inputs((*GOOD, *BAD)), Settings(weights=weighting))
    assert repaired.chosen.name == weighting
    weight = dict(zip(repaired.templates, repaired.chosen.weights.weights, strict=True))
    assert sum(weight[template] for template in BAD) < 0.05 and change(repaired, "targeted_classes").low > 0


def test_one_template_cannot_be_weighed_and_that_is_said():
    said = [str(notice) for notice in repair(inputs(GOOD[:1], n=200), Settings(weights="cpe")).notices]
    assert any("there is only one template" in text for text in said)


def test_what_is_asked_for_is_done_even_if_it_does_not_pay():
    assert repair(inputs(GOOD), Settings(weights="zpe")).chosen.name == "zpe"


def test_the_first_prompt_set_is_what_it_was_and_all_are_weighed():
    both = replace(inputs(BAD), prompts=(PromptSet("old", BAD, "a test"), PromptSet("new", GOOD, "a test")))
    repaired = repair(both, Settings())
    assert repaired.after.about["protocol"]["before"]["prompts"] == "old"
    assert set(repaired.scores) == {"as before", "new", "uniform", "zpe", "cpe"} and change(repaired, "worst_at_k").low > 0.1


def test_the_file_tells_everything(repaired, tmp_path):
    loaded = Classifier.load(repaired.after.save(tmp_path / "c.safetensors"))
    about = json.loads((tmp_path / "c.json").read_text())
    assert loaded.card == about
    assert about["protocol"]["settings"]["seed"] == 0 and about["protocol"]["weighting"] == repaired.chosen.name
    metrics = {f["metric"] for f in about["findings"]}
    assert {
        "top1_change",
        "class_accuracy_change",
        "targeted_classes_change",
        "set_coverage",
        "correct_answers_kept",
        "ece_change",
    } <= metrics
    held = inputs((*GOOD, *BAD), n=50, seed=9)
    assert (loaded(held.images).labels == held.dataset.table.column("label").to_pylist()).mean() > 0.8


def test_groups_are_told_apart():
    side = ["left", "right", "right"] * 400
    repaired = repair(inputs((*GOOD, *BAD), **{"attr.side": side}), Settings())
    found = [f for f in repaired.findings if f.metric == "group_accuracy_change"]
    assert {f.slice["side"] for f in found} == {"left", "right"} and sum(f.n for f in found) == 600
    assert {f.slice["side"] for f in repaired.findings if f.metric == "group_set_coverage"} == {"left", "right"}


def test_two_runs_give_the_same_classifier(repaired):
    again = repair(inputs((*GOOD, *BAD)), Settings())
    np.testing.assert_array_equal(again.after.vectors, repaired.after.vectors)
    assert again.findings == repaired.findings


def test_unlabeled_pictures_help_to_weigh_and_are_never_measured():
    some = inputs((*GOOD, *BAD))
    labels = [label if i % 3 else None for i, label in enumerate(some.dataset.table.column("label").to_pylist())]
    table = some.dataset.table.set_column(1, "label", pa.array(labels, pa.string()))
    repaired = repair(replace(some, dataset=replace(some.dataset, table=table)), Settings())
    assert repaired.after.about["protocol"]["pictures"]["unlabeled"] == 400
    assert change(repaired, "top1").n == 400


def test_without_labels_nothing_can_be_measured():
    some = inputs(GOOD)
    bare = replace(some.dataset, table=some.dataset.table.drop_columns(["label"]))
    with pytest.raises(DataError, match="40 pictures with labels"):
        repair(replace(some, dataset=bare), Settings())


def test_a_notice_says_why_no_temperature_was_fitted():
    """Pictures that are their class's direction are all correct; pictures of nothing are unrelated to their labels."""
    made = inputs(GOOD, n=200)
    truth = np.arange(200) % len(CLASSES)
    noise = np.random.default_rng(3).normal(size=(200, 48))
    for images, why in (
        (unit(DIRECTIONS[truth]), "every answer is correct"),
        (unit(DIRECTIONS[(truth + 1) % len(CLASSES)] + 0.01 * noise), "the scores are unrelated to the labels"),
    ):
        done = repair(replace(made, images=images), Settings(weights="uniform"))
        (said,) = [n.what for n in done.notices if "temperature" in n.what]
        assert said == f"no temperature could be fitted: {why}" and done.after.temperature == 1
    done = repair(made, Settings(weights="uniform"))
    assert not [n for n in done.notices if "temperature" in n.what] and done.after.temperature != 1


def test_harm_is_reported_only_where_a_class_is_harmful():
    assert not [f for f in repair(inputs(GOOD, n=120), Settings(weights="uniform")).findings if "harm" in f.metric]
