"""Metrics that predictions decide, paired by picture: accuracies, the mean over classes, and the worst class."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.comparison.pairing import PairedPictures
from eyechart.metrics.classification.worst_class_change import HOW as WORST
from eyechart.metrics.classification.worst_class_change import worst_class_change
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.mover import Estimate

HOW = "paired by picture: MOVER from two clustered Wilson intervals, 95%"
METRICS = ("top1", "top5", "mean_per_class", "worst_class")  # of the probe zero_shot


@dataclass(frozen=True)
class PairedMetric:
    """A metric of two models on the pictures that both classified.

    first: Value and interval of the first model.
    second: Value and interval of the second model.
    change: Second − first, with its interval.
    how: The method of that interval.
    n: Labelled pictures.
    unchanged: Not one prediction and not one rank differs.
    """

    first: Estimate
    second: Estimate
    change: Estimate
    how: str
    n: int
    unchanged: bool


def paired_metric(paired: PairedPictures, first: int, second: int, metric: str) -> PairedMetric:
    """One of `METRICS` for two of the models; at least one picture has a label.

    Args:
        paired: The predictions.
        first: The place of the first model.
        second: The place of the second model.
        metric: The metric.
    """
    rows = paired.labelled
    ranks = paired.rank[first, rows], paired.rank[second, rows]
    before, after = (rank <= (5 if metric == "top5" else 1) for rank in ranks)
    truth, units = (np.unique(of[rows], return_inverse=True)[1] for of in (paired.truth, paired.clusters))
    of_class = truth if metric in ("mean_per_class", "worst_class") else np.zeros_like(truth)
    if metric == "worst_class":
        one, two = (_worst_class(hits, of_class, units) for hits in (before, after))
        change, how = Estimate(*worst_class_change(before, after, of_class, units)), WORST
    else:
        one, two = (clustered_share(hits, units, groups=of_class) for hits in (before, after))
        value = two.value - one.value
        change, how = Estimate(value, *share_difference(two, one)), HOW
    same = paired.predicted[first] == paired.predicted[second]
    return PairedMetric(
        one.estimate, two.estimate, change, how, len(rows), unchanged=bool(same.all() and (ranks[0] == ranks[1]).all())
    )


def _worst_class(hits: Flags, classes: Indices, units: Indices) -> ClusteredShare:
    """The class with the lowest accuracy, with the interval of that class."""
    shares = (clustered_share(hits[classes == c], units[classes == c]) for c in np.unique(classes))
    return min(shares, key=lambda share: share.value)
