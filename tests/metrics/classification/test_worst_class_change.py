import numpy as np
import pytest

from eyechart.metrics.classification.worst_class_change import worst_class_change
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference


def test_the_value_is_the_difference_of_the_lowest_accuracies():
    classes = np.repeat([0, 1], 100)
    first = np.concatenate([np.arange(100) < 90, np.arange(100) < 50])
    second = np.concatenate([np.arange(100) < 40, np.arange(100) < 70])
    change = worst_class_change(first, second, classes, np.arange(200))
    assert change.value == pytest.approx(0.4 - 0.5)
    assert change.low < -0.1 < change.high


def test_a_clear_drop_of_one_class_is_sure():
    classes = np.repeat([0, 1, 2], 300)
    first = np.tile(np.arange(300) < 270, 3)
    second = first.copy()
    second[:300] = np.arange(300) < 150
    change = worst_class_change(first, second, classes, np.arange(900))
    assert change.value == pytest.approx(-0.4)
    assert change.high < 0.05
    assert change.low < -0.4


@pytest.mark.parametrize("after", [(0.9, 0.8, 0.7), (0.5, 0.8, 0.7), (0.7, 0.7, 0.7)])
def test_the_interval_covers_the_true_change(after):
    """400 draws of 60 pictures of each class; the interval is conservative."""
    before, rng, hits = (0.9, 0.8, 0.7), np.random.default_rng(0), 0
    classes = np.repeat([0, 1, 2], 60)
    for _ in range(400):
        ease = rng.random(180)
        first = ease < np.array(before)[classes]
        second = np.where(rng.random(180) < 0.5, ease, rng.random(180)) < np.array(after)[classes]
        change = worst_class_change(first, second, classes, np.arange(180))
        hits += change.low <= min(after) - min(before) <= change.high
    assert hits >= 0.95 * 400


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize(
    ("before", "after"),
    [((45, 41, 20), (44, 25, 38)), ((40, 39, 38), (41, 38, 30)), ((10, 45, 45), (45, 44, 20)), ((50, 50, 50), (50, 50, 50))],
)
def test_bounds_are_those_of_the_classes_that_may_be_the_worst(before, after, copies):
    """Three classes of fifty pictures, by the definition: 1.25% for each model's accuracies, 2.5% for the differences."""
    rng = np.random.default_rng(0)
    classes = np.repeat([2, 5, 9], 50 * copies)
    clusters = np.arange(150).repeat(copies) + 11
    first, second = (np.concatenate([rng.permutation(50) < hits for hits in counts]).repeat(copies) for counts in (before, after))
    of = [(classes == c, np.arange(50).repeat(copies)) for c in (2, 5, 9)]

    def shares(hits, spent):
        return [clustered_share(hits[rows], units, level=1 - spent / 3) for rows, units in of]

    differences = [share_difference(b, a) for a, b in zip(shares(first, 0.025), shares(second, 0.025), strict=True)]
    ends = []
    for hits in (first, second):
        estimates = [share.estimate for share in shares(hits, 0.0125)]
        least = min(e.high for e in estimates)
        ends.append((min(e.low for e in estimates), least, [c for c in range(3) if estimates[c].low <= least]))
    (low_1, high_1, may_1), (low_2, high_2, may_2) = ends
    value = (min(after) - min(before)) / 50
    low = max(min(differences[c].low for c in may_2), low_2 - high_1)
    high = min(max(differences[c].high for c in may_1), high_2 - low_1)
    found = worst_class_change(first, second, classes, clusters)
    assert found == pytest.approx((value, min(low, value), max(high, value)))
