"""How many more pictures: checked by drawing that many."""

import json
import math
from dataclasses import replace

import numpy as np
from scipy.stats import binomtest

from eyechart.verdict.evidence import Bounds, Figure
from eyechart.verdict.sample_size import AT_LIMIT, needed_n, what_would_decide


def scipys_wilson(hits, n):
    """Wilson's intervals by SciPy: (low, high) for each number of hits."""
    known = {int(k): binomtest(int(k), n).proportion_ci(method="wilson") for k in np.unique(hits)}
    found = np.array([known[int(k)] for k in np.atleast_1d(hits)]).T
    return found if np.ndim(hits) else found[:, 0]


LIMIT = Bounds(low=0.55)


def figure(value, n, *, low=None, high=None, bounds=LIMIT, unit="fraction", where="{}"):
    if low is None:
        low, high = scipys_wilson(round(value * n), n)
    return Figure("photos", "p", "m", "metric", "metric", where, value, low, high, n, unit, bounds=bounds)


def test_drawing_as_many_pictures_as_said_decides_in_four_of_five():
    n = math.ceil(needed_n(figure(0.6, 100), 30))
    low, _ = scipys_wilson(np.random.default_rng(0).binomial(n, 0.6, 4000), n)
    assert 0.76 <= (low > 0.55).mean() <= 0.86
    assert "n ≈" in what_would_decide([figure(0.6, 100)], 30) and "80% power" in what_would_decide([figure(0.6, 100)], 30)


def test_few_pictures_need_at_least_the_least():
    assert needed_n(figure(1.0, 12), 30) == 30
    assert what_would_decide([figure(1.0, 12)], 30).startswith("Fewer than 30 pictures decide nothing. n ≈ 30 would decide it")


def test_between_two_limits_both_must_be_excluded_and_beyond_one_only_that_one():
    two = Bounds(-0.05, 0.05)
    inside = figure(0.04, 100, low=-0.06, high=0.14, bounds=two, unit="points")
    nearer = replace(inside, bounds=Bounds(high=0.05))
    assert needed_n(inside, 30) == needed_n(nearer, 30)
    beyond = figure(0.06, 100, low=-0.04, high=0.16, bounds=two, unit="points")
    assert needed_n(beyond, 30) == needed_n(replace(beyond, bounds=Bounds(high=0.05)), 30)


def test_a_value_at_the_limit_is_said_so():
    assert what_would_decide([figure(0.55, 100)], 30) == AT_LIMIT


def test_a_sentence_about_another_figure_than_the_first_names_it():
    """The first figure is not at its limit; a second dataset is, or has no interval."""
    two = Bounds(-0.05, 0.05)
    first = figure(-0.035, 600, low=-0.054, high=-0.015, bounds=two, unit="points")
    alone = what_would_decide([first], 30)
    assert alone.startswith("n ≈")
    at_limit = replace(first, dataset="other", value=0.05, low=0.03, high=0.07)
    said = what_would_decide([first, at_limit], 30)
    assert said == f"Hardest to decide: other 5.0 points (3.0 to 7.0), n = 600. {AT_LIMIT}"
    without = replace(first, dataset="tiny", low=None, high=None, n=8)
    said = what_would_decide([first, without], 30)
    assert said.startswith("Hardest to decide: tiny ") and "no 95% interval" in said and AT_LIMIT not in said
    easier = replace(first, dataset="easy", value=-0.03, low=-0.051, high=-0.009)
    assert what_would_decide([first, easier], 30) == alone


def test_classes_are_named_with_the_pictures_that_each_needs():
    limits = {"cat": 0.3, "dog": 0.4}
    classes = [figure(0.6, 10, where=json.dumps({"class": name}), bounds=Bounds(low=limit)) for name, limit in limits.items()]
    said = what_would_decide(classes, 10)
    more = {f.where["class"]: math.ceil(needed_n(f, 10)) - 10 for f in classes}
    assert f"cat {more['cat']} more" in said and f"dog {more['dog']} more" in said and more["dog"] > more["cat"] > 0


def test_a_class_that_is_never_right_needs_what_bonferroni_s_correction_asks():
    """0 of n is below 27.5% among ten classes where the upper end of Wilson's interval at 99.5% is; SciPy gives that n."""
    names = ("dress", "pants", "hat")
    classes = [
        figure(value, 12, where=json.dumps({"class": name}), bounds=Bounds(low=0.275, tests=10))
        for name, value in zip(names, (0.0, 0.0, 4 / 12), strict=True)
    ]
    upper = {n: binomtest(0, n).proportion_ci(0.995, method="wilson").high for n in range(12, 40)}
    first = min(n for n, high in upper.items() if high < 0.275)
    said = what_would_decide(classes, 10)
    assert f"any one of these classes would decide it (80% power): dress {first - 12} more; pants {first - 12} more." in said


def test_one_class_is_named_alone():
    below, above = (
        figure(value, 12, where=json.dumps({"class": name}), bounds=Bounds(low=0.275, tests=10))
        for name, value in (("dress", 0.0), ("hat", 0.4))
    )
    more = math.ceil(needed_n(below, 10)) - 12
    assert what_would_decide([below, above], 10) == f"{more} more labeled pictures of dress would decide it (80% power)."


def test_drawing_as_many_pictures_of_a_class_as_said_shows_that_it_is_bad():
    n = math.ceil(needed_n(figure(0.1, 20, bounds=Bounds(low=0.275, tests=10)), 10))
    hits = np.random.default_rng(0).binomial(n, 0.1, 4000)
    high = np.array([binomtest(int(k), n).proportion_ci(0.995, method="wilson").high for k in range(n + 1)])[hits]
    assert 0.76 <= (high < 0.275).mean() <= 0.9


def of_classes(**values):
    return [figure(v, 20, where=json.dumps({"class": name}), bounds=Bounds(low=0.5, tests=2)) for name, v in values.items()]


def test_a_bad_class_at_its_limit_is_not_listed():
    """One class that is surely below the limit decides; the other would need millions of pictures."""
    said = what_would_decide(of_classes(near=0.49999, below=0.3), 10)
    assert "of below would decide it" in said and "near" not in said


def test_a_class_at_its_limit_leaves_the_ruling_open():
    """All classes must be above the limit: more pictures of the others decide nothing."""
    assert what_would_decide(of_classes(near=0.5, above=0.7), 10) == AT_LIMIT
    assert what_would_decide(of_classes(near=0.5, too=0.5), 10) == AT_LIMIT
