"""Figures as text, for a line of the terminal."""

import json
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from eyechart.verdict.evidence import Figure


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ({}, "worst@k 50.0%"),
        ({"answers": "class scores", "k": 2}, "worst@k (k = 2) 50.0%"),
        ({"half": "held-out", "class": "tabby cat"}, "worst@k (held-out, tabby cat) 50.0%"),
    ],
)
def test_a_number_of_a_slice_has_its_name_and_the_way_of_predicting_is_left_out(where, shown):
    figure = Figure("photos", "worst", "worst_at_k", "worst@k", "worst@k", json.dumps(where), 0.5, None, None, 60, "fraction")
    assert figure.line == f"{shown}, n = 60"


@pytest.mark.parametrize(
    ("value", "pictures", "originals", "few"),
    [(1.0, 36, 12, True), (1.0, 36, 36, False), (0.8, 300, 40, False), (0.5, 30, 30, False), (0.0, 29, 29, True)],
)
def test_versions_of_few_pictures_are_few_pictures(value, pictures, originals, few):
    """The interval is that of the originals; the minimum is 30."""
    low, high = binomtest(round(value * originals), originals).proportion_ci(method="wilson")
    figure = Figure("d", "zero_shot", "top1", "", "", "{}", round(value * originals) / originals, low, high, pictures, "fraction")
    assert figure.has_fewer_than(30) is few
    assert figure.independent == pytest.approx(min(originals, pictures))


def test_the_independent_pictures_of_a_difference_are_not_read_from_its_interval():
    assert Figure("d", "shift", "drop", "", "", "{}", 0.1, -0.2, 0.4, 50, "points").independent == 50


def test_a_wide_interval_of_another_kind_does_not_make_pictures_few():
    """An AUROC of 60 pictures, two of them errors, has a wide interval although no picture is a version of another."""
    auroc = Figure("d", "calibration", "confidence_auroc", "", "", "{}", 0.7, 0.3, 0.93, 60, "fraction", interval="DeLong, 95%")
    assert auroc.independent == 60 and not auroc.has_fewer_than(30)
    assert replace(auroc, interval="Wilson, 95%").has_fewer_than(30)


@pytest.mark.parametrize(
    ("low", "high"), [(0.5, 0.5), (float("nan"), 0.6), (0.4, float("nan")), (None, 0.6), (-0.1, 0.6), (0.6, 0.9)]
)
def test_the_independent_pictures_of_a_damaged_interval_are_its_n(low, high):
    figure = Figure("d", "zero_shot", "top1", "", "", "{}", 0.5, low, high, 50, "fraction")
    assert figure.independent == 50 and figure.has_fewer_than(51) and not figure.has_fewer_than(50)


@pytest.mark.parametrize(("originals", "few"), [(29, True), (30, False), (None, False)])
def test_a_known_number_of_different_pictures_counts_exactly(originals, few):
    """Of 40 pictures 29 are different: close to n, but fewer than 30."""
    gap = Figure("d", "shift", "drop", "", "", "{}", 0.1, -0.2, 0.4, 40, "points", originals=originals)
    assert gap.has_fewer_than(30) is few
    low, high = binomtest(20, 40).proportion_ci(method="wilson")
    share = replace(gap, unit="fraction", value=0.5, low=low, high=high)
    assert share.has_fewer_than(30) is few and share.independent == pytest.approx(originals or 40)
