"""Spearman's rank correlation under many weightings at once: a resample of a bootstrap is a row of counts."""

import numpy as np

from eyechart.arrays import Doubles


def spearman(x: Doubles, y: Doubles, weights: Doubles) -> Doubles:
    """Spearman's ρ for each row of `weights` [resamples, points], whose entries say how often a point is there.

    Ranks are the middle ones of ties, as if every point were written down as often as its weight says; NaN where all points
    share one rank.
    """
    ranks_x, ranks_y = _ranks(x, weights), _ranks(y, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=1, keepdims=True)
        at_x = ranks_x - (weights * ranks_x).sum(axis=1, keepdims=True) / total
        at_y = ranks_y - (weights * ranks_y).sum(axis=1, keepdims=True) / total
        shared = (weights * at_x * at_y).sum(axis=1)
        spread = (weights * at_x**2).sum(axis=1) * (weights * at_y**2).sum(axis=1)
        found: Doubles = shared / np.sqrt(spread)
    return found


def _ranks(values: Doubles, weights: Doubles) -> Doubles:
    """The rank of each point in each resample: the weight below it and half of the weight beside it."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)[:-1]])
    beside = np.add.reduceat(weights[:, order], starts, axis=1)
    below = np.cumsum(beside, axis=1) - beside
    ranks: Doubles = (below + (beside + 1) / 2)[:, place]
    return ranks
