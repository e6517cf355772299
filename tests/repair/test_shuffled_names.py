"""Whether the names of classes say more than chance does."""

from itertools import permutations

import numpy as np
import pytest

from eyechart.repair.shuffled_names import shuffled_names_p_value

CLASSES = ("a", "b", "c", "d", "e")


def test_the_share_is_that_of_all_namings_counted_one_by_one():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, 200)
    answers = np.where(rng.random(200) < 0.3, truth, rng.integers(0, 5, 200))
    answers = np.array([1, 0, 2, 3, 4])[answers]  # two names of five are exchanged

    def accuracy(naming: tuple[int, ...]) -> float:
        return float(np.mean([np.mean(np.array(naming)[answers[truth == t]] == t) for t in range(5)]))

    exact = np.mean([accuracy(naming) >= accuracy((0, 1, 2, 3, 4)) - 1e-12 for naming in permutations(range(5))])
    assert shuffled_names_p_value(answers, np.array(CLASSES)[truth], CLASSES, 0) == pytest.approx(exact, abs=0.03)


def test_a_frequent_class_counts_no_more_than_a_rare_one():
    """Of 200 pictures of the first class 120 are called the second and 40 are right; the other classes have five pictures each,
    all right. No other of the 120 namings has as high a mean over classes; over pictures, those that call the 120 right do."""
    truth = np.r_[np.zeros(200, int), np.repeat([1, 2, 3, 4], 5)]
    answers = np.r_[np.repeat([1, 0, 2], [120, 40, 40]), np.repeat([1, 2, 3, 4], 5)]

    def accuracy(naming: tuple[int, ...]) -> float:
        return float(np.mean([np.mean(np.array(naming)[answers[truth == t]] == t) for t in range(5)]))

    exact = np.mean([accuracy(naming) >= accuracy((0, 1, 2, 3, 4)) - 1e-12 for naming in permutations(range(5))])
    assert exact == 1 / 120
    assert shuffled_names_p_value(answers, np.array(CLASSES)[truth], CLASSES, 0) == pytest.approx(exact, abs=0.008)


def test_right_names_are_no_chance_and_labels_without_a_class_do_no_harm():
    truth = np.arange(100) % 5
    labels = np.array([*np.array(CLASSES)[truth], "zebra"])
    assert shuffled_names_p_value(np.append(truth, 0), labels, CLASSES, 0) < 0.02


def test_few_false_alarms_where_names_are_random():
    """Over 200 random namings of the same heaps, the p-value is below 5% in about one of twenty."""
    rng = np.random.default_rng(2)
    truth = np.arange(300) % 5
    heaps = np.where(rng.random(300) < 0.6, truth, rng.integers(0, 5, 300))
    found = [shuffled_names_p_value(rng.permutation(5)[heaps], np.array(CLASSES)[truth], CLASSES, draw) for draw in range(200)]
    assert np.mean(np.array(found) < 0.05) <= 0.09


def test_one_answer_for_all_pictures_is_as_accurate_under_any_names():
    truth = np.arange(50) % 5
    assert shuffled_names_p_value(np.zeros(50, int), np.array(CLASSES)[truth], CLASSES, 0) == 1.0


def test_a_class_with_one_picture_counts_in_full():
    """70 of 100 pictures of the first class are called the second, 10 are right: exchanging both names would gain 0.6 in the
    first and lose 1 in the second, which has one picture. So no other naming is as accurate."""
    truth = np.r_[np.zeros(100, int), 1, 2, 3, 4]
    answers = np.r_[np.repeat([1, 0, 2], [70, 10, 20]), 1, 2, 3, 4]
    found = shuffled_names_p_value(answers, np.array(CLASSES)[truth], CLASSES, 0)
    assert found == pytest.approx(1 / 120, abs=0.005)
