"""Shares of several kinds in several groups at once, with the intervals of `clustered_share`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.metrics.intervals import FEW, wilson
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.metrics.intervals.mover import Estimate


@dataclass(frozen=True, eq=False)
class KindShares:
    """The share of each kind in each group.

    value: [groups, kinds].
    low: Lower ends of the 95% intervals.
    high: Upper ends.
    n: [groups] pictures.
    """

    value: Doubles
    low: Doubles
    high: Doubles
    n: Indices


def accuracy_share(correct: Flags, units: Indices) -> ClusteredShare:
    """The share of correct pictures, where equal numbers in `units` mark copies and versions of one original.

    Where fewer than ten originals are right or fewer than ten are wrong, the variance between originals is hardly known: the
    interval is Wilson's over the number of originals, as that of `top1` in the probe `zero_shot`.
    """
    share = clustered_share(correct, units)
    _, of_row = np.unique(units, return_inverse=True)
    right = float((np.bincount(of_row, correct) / np.bincount(of_row)).sum())
    if min(right, share.units - right) >= FEW:
        return share
    low, high = wilson(share.value * share.units, share.units)
    return replace(share, estimate=Estimate(share.value, float(low), float(high)))


def kind_shares(kind: Indices, kinds: int, groups: Sequence[Indices], units: Indices, *, distinct: bool) -> KindShares:
    """The shares of kinds 0 … kinds − 1 among the rows of each group.

    Where no two rows show the same picture (`distinct`), the clustered interval is Wilson's of the counts, so that one pass over
    the rows gives them all.
    """
    n = np.array([len(rows) for rows in groups], np.int64)
    counts = np.array([np.bincount(kind[rows], minlength=kinds)[:kinds] for rows in groups], np.float64).reshape(-1, kinds)
    if distinct:
        low, high = wilson(counts, n[:, None])
        with np.errstate(invalid="ignore"):
            return KindShares(counts / n[:, None], low, high, n)
    estimates = np.array(
        [[clustered_share(kind[rows] == k, units[rows]).estimate for k in range(kinds)] for rows in groups], np.float64
    ).reshape(len(groups), kinds, 3)
    return KindShares(estimates[..., 0], estimates[..., 1], estimates[..., 2], n)
