from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, false_discovery_control
from tests.comparison.runs import predictions, write_run

import eyechart
from eyechart.comparison.decision import decision, outcome
from eyechart.comparison.metric_differences import UNPAIRED, MetricDifference
from eyechart.comparison.pairs import paired_difference
from eyechart.errors import DataError, UsageError
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.probes.registry import get_probe

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 4, 400)


def wrong(truth, share, rng):
    """The truth, but for this share of pictures, which get the next class."""
    return np.where(rng.random(len(truth)) < share, (truth + 1) % 4, truth)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Run a is 80% correct. Run b answers as a does, but for 40 pictures of the class cat, which it loses."""
    root = tmp_path_factory.mktemp("runs")
    first = wrong(TRUTH, 0.2, np.random.default_rng(1))
    cats = np.flatnonzero((TRUTH == 0) & (first == 0))[:40]
    second = first.copy()
    second[cats] = 3
    other = {"a": Finding(metric="mean_per_class", value=0.8, low=0.76, high=0.84, n=400, slice={"prompts": "other"})}
    other["b"] = Finding(metric="mean_per_class", value=0.7, low=0.65, high=0.75, n=400, slice={"prompts": "other"})
    a = write_run(root / "a", {"a": [predictions(TRUTH, first)]}, findings={"a": [other["a"]]})
    b = write_run(root / "b", {"b": [predictions(TRUTH, second)]}, findings={"b": [other["b"]]})
    return a, b, first, second


def test_two_equal_models_are_inseparable(folders, tmp_path):
    a, _, first, _ = folders
    again = write_run(tmp_path / "again", {"a": [predictions(TRUTH, first)]})
    comparison = eyechart.compare(a, again)
    assert comparison.models == ("a (a)", "a (again)")
    (dataset,) = comparison.datasets
    (pair,) = dataset.pairs
    assert dataset.letters == ("a", "a")
    assert (pair.top1.value, pair.top1.p, pair.flips.count) == (0.0, 1.0, 0)
    assert pair.top1.low < 0 < pair.top1.high
    assert not pair.top1.separable
    assert not any(difference.separable for difference in pair.classes.values())
    assert {check.kind: check.outcome for check in pair.thresholds} == {"precision": None, "tpr": "holds"}, "80% are correct"


def test_an_accuracy_has_the_interval_that_its_run_reports(folders, tmp_path):
    """Where the compared pictures are all of its pictures: on the page, and here, the same share has one interval."""
    _, b, first, second = folders
    cats = TRUTH == 0
    of_all = Finding(metric="top1", value=(first == TRUTH).mean(), low=0.71, high=0.93, n=400, slice={"prompts": "single"})
    of_cats = Finding(
        metric="class_accuracy", value=(first == TRUTH)[cats].mean(), low=0.6, high=0.99, n=int(cats.sum()),
        slice={"class": "cat", "prompts": "single"},
    )  # fmt: skip
    # Under other prompts, and of a group, the same number may have another interval.
    elsewhere = ({"prompts": "other"}, {"prompts": "single", "group": "north"})
    others = [replace(of_all, low=0.1, high=0.99, slice=where) for where in elsewhere]
    known = {"a": [*others, of_all, of_cats]}
    a = write_run(tmp_path / "a", {"a": [predictions(TRUTH, first)]}, findings=known)
    (dataset,) = eyechart.compare(a, b).datasets
    assert dataset.accuracies[0][1:] == dataset.pairs[0].top1.first[1:] == (0.71, 0.93)
    assert dataset.pairs[0].classes["cat"].first[1:] == (0.6, 0.99)
    # Run b reports none: the method of top-1 accuracy, by hand. 2,000 resamples of a share of 400, so about p ± 1.96 σ.
    p = (second == TRUTH).mean()
    width = 1.96 * np.sqrt(p * (1 - p) / 400)
    assert dataset.accuracies[1] == pytest.approx((p, p - width, p + width), abs=0.008)
    half = write_run(tmp_path / "half", {"a": [predictions(TRUTH[:200], first[:200])]}, findings=known)
    (of_half,) = eyechart.compare(half, b).datasets
    assert of_half.accuracies[0][1:] != (0.71, 0.93), "other pictures than those of the finding"


def test_a_planted_loss_is_found_over_all_pictures_and_in_its_class_alone(folders):
    a, b, first, second = folders
    (dataset,) = eyechart.compare(a, b).datasets
    (pair,) = dataset.pairs
    assert pair.top1.value == pytest.approx((second == TRUTH).mean() - (first == TRUTH).mean())
    assert (pair.top1.gained, pair.top1.lost) == (0, 40)
    assert pair.top1.p == pytest.approx(binomtest(0, 40, 0.5).pvalue)
    assert pair.top1.high < 0
    assert [name for name, d in pair.classes.items() if d.separable] == ["cat"]
    expected = false_discovery_control([d.p for d in pair.classes.values()])
    assert [d.q for d in pair.classes.values()] == pytest.approx(list(expected))
    assert pair.lost == tuple(f"{row:05d}.jpg" for row in np.flatnonzero(first != second))
    assert pair.gained == ()
    assert (pair.flips.count, pair.flips.classes) == (40, (("cat", "hen", 40),))
    assert dataset.letters == ("a", "b")


def test_changed_predictions_are_a_table(folders):
    a, b, _, _ = folders
    table = eyechart.compare(a, b).changed
    assert table.num_rows == 40
    row = table.to_pylist()[0]
    assert (row["class"], row["first_predicted"], row["second_predicted"], row["change"]) == ("cat", "cat", "hen", "lost")


def test_findings_without_predictions_are_compared_unpaired(folders):
    """Both runs have a finding under the prompt set `other`, and predictions under `single` alone."""
    a, b, _, _ = folders
    (difference,) = [d for d in eyechart.compare(a, b).probes["b"] if not d.paired]
    assert difference.metric.name == "mean_per_class"
    assert (difference.low, difference.high) == pytest.approx(
        difference_interval(Estimate(0.7, 0.65, 0.75), Estimate(0.8, 0.76, 0.84))
    )
    assert difference.separable
    assert difference.better is False


def test_a_change_in_either_direction_is_neither_better_nor_worse():
    """Accuracy that other prompts gain or lose says how much the wording matters, not which model is better."""
    metric = next(m for m in get_probe("prompts").metrics if m.name == "largest_top1_change")
    one, two = Estimate(-0.05, -0.06, -0.04), Estimate(0.05, 0.04, 0.06)
    found = MetricDifference("photos", "prompts", metric, "{}", one, two, 0.1, 0.08, 0.12, 1e-9, 1e-9, UNPAIRED)
    assert found.separable and found.better is None
    assert outcome(separable=found.separable, better=found.better) == "different"


def test_models_that_are_not_above_chance_are_named(tmp_path):
    """100 pictures of each of four classes: chance is 25%. Elsewhere the baseline is to predict the most frequent class."""
    even = np.repeat(np.arange(4), 100)
    useless, other, good = (np.roll(even, shift) for shift in (290, 310, 20))
    runs = {name: [predictions(even, given)] for name, given in {"one": useless, "two": other, "good": good}.items()}
    folder = write_run(tmp_path / "even", runs)
    both = eyechart.compare(folder, models=["one", "two"])
    assert decision(both.models, both.datasets[0]).endswith("Neither is above chance (25.0%)")
    one = eyechart.compare(folder, models=["one", "good"])
    assert decision(one.models, one.datasets[0]).endswith("one is not above chance (25.0%)")
    every = eyechart.compare(folder)
    assert decision(every.models, every.datasets[0]).endswith("one and two are not above chance (25.0%)")
    uneven = np.repeat([0, 1, 2, 3], [250, 50, 50, 50])
    always = {name: [predictions(uneven, np.zeros(400, int))] for name in ("one", "two")}
    same = eyechart.compare(write_run(tmp_path / "uneven", always))
    assert decision(same.models, same.datasets[0]).endswith("Neither is above always predicting cat (62.5%)")
    fine = eyechart.compare(write_run(tmp_path / "good", {name: [predictions(even, good)] for name in ("a", "b")}))
    assert "above" not in decision(fine.models, fine.datasets[0])


def test_several_models_of_one_run_get_letters(tmp_path):
    models = {name: [predictions(TRUTH, wrong(TRUTH, share, np.random.default_rng(n)))]
              for n, (name, share) in enumerate({"best": 0.05, "worse": 0.4, "good": 0.06, "useless": 0.75}.items())}  # fmt: skip
    (dataset,) = eyechart.compare(write_run(tmp_path / "run", models)).datasets
    assert dataset.letters == ("a", "b", "a", "c")
    assert len(dataset.pairs) == 6
    ranked = sorted(dataset.pairs, key=lambda pair: pair.top1.p)
    expected = np.maximum.accumulate([min(1.0, pair.top1.p * (6 - place)) for place, pair in enumerate(ranked)])
    assert [pair.top1.q for pair in ranked] == pytest.approx(list(expected)), "Holm over pairs"
    (chosen,) = eyechart.compare(tmp_path / "run", models=["best", "good"]).datasets
    assert chosen.letters == ("a", "a")


def test_pictures_are_paired_by_id_and_missing_ones_are_named(folders, tmp_path):
    a, _, first, _ = folders
    rows = np.random.default_rng(3).permutation(400)[:300]
    shuffled = predictions(TRUTH[rows], first[rows], ids=[f"{row:05d}.jpg" for row in rows])
    comparison = eyechart.compare(a, write_run(tmp_path / "b", {"b": [shuffled]}))
    assert comparison.datasets[0].n == 300
    assert comparison.datasets[0].pairs[0].flips.count == 0
    assert any("300 pictures in all runs; left out: 100 of a" in str(notice) for notice in comparison.notices)


def test_other_labels_and_other_datasets_are_refused(folders, tmp_path):
    a, _, first, _ = folders
    relabelled = write_run(tmp_path / "b", {"b": [predictions((TRUTH + 1) % 4, first)]})
    with pytest.raises(DataError, match="400 pictures have another label in the run of b"):
        eyechart.compare(a, relabelled)
    elsewhere = write_run(tmp_path / "c", {"c": [predictions(TRUTH, first)]}, dataset="other")
    with pytest.raises(DataError, match="no dataset in common"):
        eyechart.compare(a, elsewhere)
    strangers = write_run(tmp_path / "d", {"d": [predictions(TRUTH, first, ids=[f"x{i}" for i in range(400)])]})
    with pytest.raises(DataError, match="no picture in common"):
        eyechart.compare(a, strangers)
    with pytest.raises(UsageError, match="needs two models"):
        eyechart.compare(a)
    with pytest.raises(UsageError, match=r"no run has such a model"):
        eyechart.compare(a, a, models=["z"])


def test_another_class_list_and_other_files_are_named(folders, tmp_path):
    a, _, first, _ = folders
    names = ("cat", "dog", "cow", "duck")
    finding = [Finding(metric="top1", value=0.8, n=400)]
    given = {"b": [predictions(TRUTH, first, prompts=None)]}
    b = write_run(tmp_path / "b", given, findings={"b": finding}, classes=names, fingerprint="g")
    notices = [str(notice) for notice in eyechart.compare(a, b).notices]
    assert any("class list of b differs: without hen; with duck" in notice for notice in notices)
    assert any("the dataset of b differs" in notice for notice in notices)
    (prompts,) = [notice for notice in notices if "no prompt set in common (a: single, b: none)" in notice]
    assert "OOD scores by prompts (MCM), by class scores (MSP) and of free answers are of different kinds" in prompts


def test_models_without_ood_scores_have_no_ood_threshold(tmp_path):
    """A file of predicted labels has no scores: nothing is compared with NaN."""
    unknown = np.full(len(TRUTH), np.nan)
    a = write_run(tmp_path / "a", {"a": [predictions(TRUTH, TRUTH, prompts=None, ood=unknown)]})
    b = write_run(tmp_path / "b", {"b": [predictions(TRUTH, TRUTH, prompts=None, ood=unknown)]})
    (pair,) = eyechart.compare(a, b).datasets[0].pairs
    assert [check.kind for check in pair.thresholds] == ["precision"]


@pytest.mark.parametrize(
    ("first", "second", "carried"),
    [
        ("single", "openai-80", True),
        ("single", None, False),
        ("single", "likelihood of the name", False),
        ("single", "free answer", False),
        (None, "likelihood of the name", True),
        (None, "free answer", False),
        ("free answer", "free answer", False),
    ],
)
def test_an_ood_threshold_is_carried_over_between_scores_of_one_kind_only(tmp_path, first, second, carried):
    """MCM, from cosines under prompts, and MSP, from class scores or log-likelihoods, have different scales."""
    a = write_run(tmp_path / "a", {"a": [predictions(TRUTH, TRUTH, prompts=first)]})
    b = write_run(tmp_path / "b", {"b": [predictions(TRUTH, TRUTH, prompts=second)]})
    found = eyechart.compare(a, b)
    (pair,) = found.datasets[0].pairs
    assert ("tpr" in {check.kind for check in pair.thresholds}) == carried
    said = any("no OOD threshold is carried from one to the other" in str(notice) for notice in found.notices)
    assert said == (not carried and first != second)


def test_copies_of_a_picture_do_not_sharpen_the_comparison():
    rng = np.random.default_rng(5)
    first, second = rng.random(60) < 0.7, rng.random(60) < 0.5
    once = paired_difference(first, second, np.arange(60))
    copied = paired_difference(np.repeat(first, 10), np.repeat(second, 10), np.repeat(np.arange(60), 10))
    assert (copied.value, copied.p) == (pytest.approx(once.value), once.p)
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.05)


@pytest.mark.parametrize("copies", [1, 3])
def test_the_paired_interval_covers_the_true_difference(copies):
    """2,000 draws of 80 pictures; both models are right on the same pictures more often than chance."""
    rng, hits = np.random.default_rng(6), 0
    for _ in range(2000):
        easy = rng.random(80) < 0.6
        first, second = rng.random(80) < np.where(easy, 0.95, 0.4), rng.random(80) < np.where(easy, 0.9, 0.25)
        units = np.repeat(np.arange(80), copies)
        found = paired_difference(first[units], second[units], units)
        hits += found.low <= 0.6 * -0.05 + 0.4 * -0.15 <= found.high
    assert 0.93 <= hits / 2000 <= 0.97


def test_the_exact_test_keeps_its_level():
    rng = np.random.default_rng(7)
    alarms = sum(paired_difference(rng.random(60) < 0.7, rng.random(60) < 0.7, np.arange(60)).separable for _ in range(1000))
    assert alarms / 1000 <= 0.05


def test_groups_of_people_are_compared(tmp_path):
    def run(name, value):
        found = [Finding(metric="group_accuracy", value=value, low=value - 0.02, high=value + 0.02, n=50, slice={"group": "x"})]
        return write_run(tmp_path / name, {name: [predictions(TRUTH, TRUTH)]}, findings={name: found})

    (difference,) = eyechart.compare(run("a", 0.9), run("b", 0.7)).groups["b"]
    assert (difference.slice, difference.separable) == ('{"group": "x"}', True)
