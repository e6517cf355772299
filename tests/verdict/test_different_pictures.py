"""How many different pictures a figure rests on."""

import json
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from eyechart.findings import skip
from eyechart.findings.finding import empty_table
from eyechart.findings.run import Run
from eyechart.verdict.different_pictures import with_originals
from eyechart.verdict.evidence import Bounds, Figure
from eyechart.verdict.sample_size import what_would_decide

DROP = Figure("photos", "shift", "drop", "", "", "{}", 0.1, 0.0, 0.3, 1584, "points", bounds=Bounds(high=0.1))
FPR95 = replace(DROP, probe="ood", metric="ood_fpr95", unit="fraction", interval="bootstrap, 95%")


def run_of(**protocol):
    return Run(empty_table(), skip.to_table([]), (), protocol)


def count(probe, value, dataset="photos", **where):
    return Figure(dataset, probe, "different_pictures", "", "", json.dumps(where), value, None, None, 1584, "count")


def only(metric, figures, run):
    (found,) = [f for f in with_originals(figures, run) if f.metric == metric]
    return found


def test_the_exam_counts_the_pictures_of_a_dataset():
    found = only("drop", [DROP, count("exam", 12.0), count("exam", 400.0, "other")], run_of())
    assert (found.originals, found.originals_of) == (12, "") and found.has_fewer_than(30)
    assert not only("drop", [DROP, count("exam", 12.0, "other")], run_of()).has_fewer_than(30)


@pytest.mark.parametrize(("inside", "outside", "smaller"), [(20, 60, "in-distribution"), (400, 12, "out-of-distribution")])
def test_of_two_sets_that_are_compared_the_smaller_counts(inside, outside, smaller):
    sets = [count("ood", float(inside), set="in-distribution"), count("ood", float(outside), set="out-of-distribution")]
    found = only("ood_fpr95", [FPR95, count("exam", 500.0), *sets], run_of())
    assert (found.originals, found.originals_of) == (min(inside, outside), smaller)
    assert what_would_decide([found], 30) == (
        f"Fewer than 30 different pictures decide nothing: {min(inside, outside)} are {smaller}. Add others."
    )


def test_the_reader_sees_how_many_different_pictures_there_are():
    """1,584 copies of 12 pictures."""
    figure = replace(DROP, value=0.15, low=0.05, high=0.25)
    said = what_would_decide([only("drop", [figure, count("exam", 12.0)], run_of())], 30)
    assert said.startswith("Fewer than 30 different pictures decide nothing: 12 of photos. About ")
    # n grows with ((z₀.₉₇₅ + z₀.₈) / z₀.₉₇₅ · half-width / distance)² = (2.8016 / 1.96 · 0.1 / 0.05)² = 8.17; 12 · 8.17 = 98.1
    assert "About 99 different ones would decide it at 80% power" in said


def test_a_number_that_is_read_from_an_interval_is_approximate():
    """36 pictures of a class that are versions of 12, in a dataset with more pictures."""
    low, high = binomtest(6, 12).proportion_ci(method="wilson")
    share = Figure("photos", "p", "m", "", "", "{}", 0.5, low, high, 36, "fraction", bounds=Bounds(low=0.3), originals=400.0)
    assert what_would_decide([share], 30).startswith("Fewer than 30 different pictures decide nothing: about 12 of photos. About")
    known = replace(share, originals=20.0)
    assert "decide nothing: 20 of photos. " in what_would_decide([known], 30)


def test_a_probe_of_texts_alone_does_not_count_pictures():
    run = run_of(probes={"first_object": {"needs": ["texts"]}, "shift": {"needs": ["pictures", "labels"]}})
    texts = replace(DROP, probe="first_object", metric="first_object_lead")
    assert only("first_object_lead", [texts, count("exam", 12.0)], run).originals is None
    assert only("drop", [DROP, count("exam", 12.0)], run).originals == 12


def test_a_dataset_without_pictures_has_no_count():
    assert only("drop", [DROP, count("exam", 0.0)], run_of()).originals is None


@pytest.mark.parametrize(("originals", "few"), [(12, True), (40, False)])
def test_results_without_a_count_take_it_from_the_interval_of_accuracy(originals, few):
    low, high = binomtest(originals, originals).proportion_ci(method="wilson")
    top1 = Figure("photos", "zero_shot", "top1", "", "", "{}", 1.0, low, high, 10 * originals, "fraction", interval="Wilson, 95%")
    of_d, elsewhere, _ = with_originals([FPR95, replace(FPR95, dataset="e"), top1], run_of())
    assert of_d.independent == pytest.approx(originals) and of_d.has_fewer_than(30) is few
    assert elsewhere.independent == 1584 and not elsewhere.has_fewer_than(30)


def test_an_interval_that_shows_nearly_n_pictures_shows_n():
    """Not every interval of an accuracy is Wilson's: one that is a little wider is no sign of copies."""
    low, high = binomtest(25, 25).proportion_ci(method="wilson")
    top1 = Figure("photos", "zero_shot", "top1", "", "", "{}", 1.0, low, high, 32, "fraction", interval="Wilson, 95%")
    found, _ = with_originals([replace(DROP, n=64), top1], run_of())
    assert found.originals == 32 and not found.has_fewer_than(30)
