import numpy as np
import pytest

from eyechart.metrics.classification.worst_class_change import worst_class_change


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
