import numpy as np
import pytest

from eyechart.metrics.classification.label_permutation import constant_shift, permuted_labels


def matrix(permutation, right=0.9, n=40):
    found = np.zeros((len(permutation), len(permutation)), np.int64)
    for true, seen in enumerate(permutation):
        found[true, seen] = round(right * n)
        found[true, (seen + 1) % len(permutation)] += n - round(right * n)
    return found


@pytest.mark.parametrize("permutation", [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 3, 0], [3, 0, 1, 2], [0, 2, 3, 1]])
def test_a_permutation_of_labels_is_recovered(permutation):
    assert permuted_labels(matrix(permutation)).tolist() == permutation


def test_a_class_that_is_taken_for_another_is_confused_and_not_swapped():
    found = matrix([0, 1, 2, 3])
    found[0] = [4, 36, 0, 0]
    assert permuted_labels(found).tolist() == [0, 1, 2, 3]


def test_few_pictures_prove_nothing():
    assert permuted_labels(matrix([1, 0, 2, 3], right=1.0, n=2)).tolist() == [0, 1, 2, 3]
    assert permuted_labels(matrix([1, 0, 2, 3], right=0.5)).tolist() == [0, 1, 2, 3]


def test_a_shift_along_the_list():
    assert constant_shift(np.array([1, 2, 3, 0])) == 1 and constant_shift(np.array([3, 0, 1, 2])) == -1
    assert constant_shift(np.array([0, 1, 2, 3])) == 0 and constant_shift(np.array([1, 0])) == 0


def test_two_swapped_classes_stay_swapped_beside_one_that_is_confused():
    """0 and 1 are swapped. 2 is taken for 3, and 3 for 4: those two are confused."""
    found = matrix([1, 0, 3, 4, 4], right=1.0)
    assert permuted_labels(found).tolist() == [1, 0, 2, 3, 4]


def test_classes_of_different_sizes_weigh_the_same():
    """0 and 1 are swapped, with 12 pictures each; 400 pictures of class 2 are predicted as 0 slightly more often than as 2. By
    counts the assignment with most pictures would be 2 → 0; by shares it is the swap."""
    found = np.array([[0, 12, 0], [12, 0, 0], [210, 0, 190]])
    assert permuted_labels(found).tolist() == [1, 0, 2]
    rare = np.array([[3, 9, 0], [11, 1, 0], [0, 150, 250]])
    assert permuted_labels(rare).tolist() == [0, 1, 2]  # 9 of 12: less than half is not excluded


def test_a_class_without_pictures_stays():
    found = matrix([1, 0, 2, 3])
    found[3] = 0
    assert permuted_labels(found).tolist() == [1, 0, 2, 3]


@pytest.mark.parametrize(("shift", "n"), [(1, 3), (2, 5), (-2, 5), (3, 6), (-1, 3)])
def test_the_shorter_way_round_is_the_shift(shift, n):
    assert constant_shift((np.arange(n) + shift) % n) == shift
