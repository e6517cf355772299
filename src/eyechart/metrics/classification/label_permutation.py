"""Labels that look permuted: swapped, or off by one."""

import numpy as np

from eyechart.arrays import Counts, Indices
from eyechart.metrics.intervals import wilson

MOST = 0.5  # of a class must be predicted as the other


def permuted_labels(matrix: Counts) -> Indices:
    """[C]: for each class the class that its pictures seem to belong to: mostly itself.

    The assignment of labels to predicted classes with the highest mean share of each class (Hungarian algorithm). A class counts
    as moved only where more than half of its pictures are predicted as the other class, at 95% confidence, and the classes that
    are moved form a permutation among themselves.

    Args:
        matrix: [C, C] pictures by true and predicted class.
    """
    n = matrix.sum(axis=1)
    shares = matrix / np.maximum(n, 1)[:, None]
    from scipy.optimize import linear_sum_assignment  # takes a while to load

    _, assigned = linear_sum_assignment(-shares)
    classes = np.arange(len(matrix))
    low, _ = wilson(matrix[classes, assigned], n)
    moved = (assigned != classes) & (n > 0) & (np.nan_to_num(low) > MOST)
    # Drop classes whose new place is that of a class that stays: they are confused, not permuted.
    while True:
        leaving = moved & ~np.isin(assigned, np.flatnonzero(moved))
        if not leaving.any():
            break
        moved &= ~leaving
    return np.where(moved, assigned, classes)


def constant_shift(permutation: Indices) -> int:
    """By how many places all labels are shifted along the class list, cyclically; 0 where they are not.

    >>> constant_shift(np.array([1, 2, 3, 0])), constant_shift(np.array([1, 0, 2, 3]))
    (1, 0)
    """
    shifts = np.unique((permutation - np.arange(len(permutation))) % len(permutation))
    if len(shifts) != 1 or len(permutation) < 3:
        return 0
    shift = int(shifts[0])
    return shift if shift <= len(permutation) // 2 else shift - len(permutation)
