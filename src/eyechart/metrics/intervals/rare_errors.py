"""Intervals of rankings that a handful of pictures decide: resamples of two mistakes, or of none, show too little of what might
be, so there the interval is at least Wilson's."""

import numpy as np

from eyechart.arrays import Counts, Doubles, Flags
from eyechart.metrics.intervals import FEW, Interval, wilson
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.presorted import sort_once


def alarm_share(value: float, scores: Doubles, units: Counts, groups: Counts | None, interval: Interval) -> Interval:
    """Of a share of rows whose scores reach a threshold, `value` being the share: all of them weigh the same, or, with `groups`,
    all groups do. At least Wilson's at the variance of clusters where fewer than `FEW` rows reach it, or fall short of it."""
    groups = np.zeros(len(scores), np.int64) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(groups)
    places = sort_once(scores)
    reached = np.cumsum(places.weigh(1 / (sizes[groups] * len(sizes))))[places.of_row] <= value + 1e-9
    if FEW <= reached.sum() <= len(reached) - FEW:
        return interval
    _, low, high = clustered_share(reached, np.unique(units, return_inverse=True)[1], groups=groups).estimate
    return Interval(min(low, interval.low), max(high, interval.high))


def ordered_share(value: float, scores: Doubles, inside: Flags, units: Counts, interval: Interval, level: float) -> Interval:
    """Of a measure that is 1 where all inside rows lie above all outside ones. Where fewer than `FEW` rows of either group lie
    among the other, at least Wilson's for as many clusters as the smaller group has."""
    among = (scores[inside] <= scores[~inside].max()).sum(), (scores[~inside] >= scores[inside].min()).sum()
    if min(among) >= FEW:
        return interval
    smaller = min(len(np.unique(units[inside])), len(np.unique(units[~inside])))
    low, high = wilson(value * smaller, smaller, level)
    return Interval(min(float(low), interval.low), max(float(high), interval.high))
