"""Intervals of ranking metrics that few pictures decide.

Resamples with two errors, or none, underestimate the uncertainty, so the interval is at least Wilson's there.
"""

import numpy as np

from eyechart.arrays import Counts, Doubles, Flags
from eyechart.metrics.intervals import FEW, Interval, wilson
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.presorted import sort_once


def false_positive_interval(value: float, scores: Doubles, units: Counts, groups: Counts | None, interval: Interval) -> Interval:
    """Interval of the share `value` of rows with scores above a threshold. Rows weigh the same or, with `groups`, groups do. At
    least Wilson's at the clustered variance where fewer than `FEW` rows are above the threshold, or below it."""
    groups = np.zeros(len(scores), np.int64) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(groups)
    places = sort_once(scores)
    reached = np.cumsum(places.weigh(1 / (sizes[groups] * len(sizes))))[places.of_row] <= value + 1e-9
    if FEW <= reached.sum() <= len(reached) - FEW:
        return interval
    _, low, high = clustered_share(reached, np.unique(units, return_inverse=True)[1], groups=groups).estimate
    return Interval(min(low, interval.low), max(high, interval.high))


def separation_interval(
    value: float, scores: Doubles, inside: Flags, units: Counts, interval: Interval, level: float
) -> Interval:
    """Interval of a metric that is 1 where all inside rows are above all outside rows. Where fewer than `FEW` rows of either
    group are among the other, in this order or in the reverse one, at least Wilson's for the number of clusters of the smaller
    group."""
    a, b = scores[inside], scores[~inside]
    among = (a <= b.max()).sum(), (b >= a.min()).sum()
    reversed_among = (a >= b.min()).sum(), (b <= a.max()).sum()
    if min(*among, *reversed_among) >= FEW:
        return interval
    smaller = min(len(np.unique(units[inside])), len(np.unique(units[~inside])))
    low, high = wilson(value * smaller, smaller, level)
    return Interval(min(float(low), interval.low), max(float(high), interval.high))
