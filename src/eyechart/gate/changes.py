"""How much a metric changed against a baseline: paired by picture where predictions decide it, else from two findings."""

from dataclasses import dataclass

import numpy as np

from eyechart.comparison.pairing import PairedPictures, matching_groups, pair_pictures
from eyechart.comparison.sides import Side
from eyechart.metrics.classification.worst_class_change import HOW as WORST
from eyechart.metrics.classification.worst_class_change import worst_class_change
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.metrics.intervals.mover import Estimate, difference_interval

PAIRED = "paired by picture: MOVER from two clustered Wilson intervals, 95%"
UNPAIRED = "unpaired: MOVER from two intervals, 95%"
UNCHANGED = "paired by picture: not one prediction changed"
METRICS = ("top1", "top5", "mean_per_class", "worst_class")  # of the probe zero_shot, which the predictions decide


@dataclass(frozen=True)
class MetricChange:
    """A metric minus that of the baseline.

    change: The difference with its interval; None where there is none.
    value: The difference.
    how: The method.
    n: Pictures that were paired; None where it is unpaired.
    notices: Pictures that were left out.
    """

    value: float
    change: Estimate | None
    how: str
    n: int | None = None
    notices: tuple[str, ...] = ()


def paired_change(baseline: Side, run: Side, metric: str, dataset: str, prompts: str | None) -> MetricChange | None:
    """The change of a metric of zero_shot from the predictions of both; None where one of them has no such predictions."""
    for groups in matching_groups([baseline, run]):
        if groups[1].dataset == groups[1].of == dataset and groups[1].prompts == prompts:
            paired, notices = pair_pictures([baseline, run], groups)
            if len(paired.labelled):
                return _of_metric(paired, metric, tuple(map(str, notices)))
    return None


def _of_metric(paired: PairedPictures, metric: str, notices: tuple[str, ...]) -> MetricChange:
    rows = paired.labelled
    rank, truth, clusters = paired.rank[:, rows], paired.truth[rows], paired.clusters[rows]
    if (paired.predicted[0] == paired.predicted[1]).all() and (rank[0] == rank[1]).all():
        return MetricChange(0.0, Estimate(0.0, 0.0, 0.0), UNCHANGED, len(rows), notices)
    first, second = rank <= (5 if metric == "top5" else 1)
    if metric == "worst_class":
        change = worst_class_change(first, second, truth, clusters)
        return MetricChange(change.value, Estimate(*change), WORST, len(rows), notices)
    groups = np.unique(truth, return_inverse=True)[1] if metric == "mean_per_class" else None
    units = np.unique(clusters, return_inverse=True)[1]
    one, two = clustered_share(first, units, groups=groups), clustered_share(second, units, groups=groups)
    value = two.value - one.value
    return MetricChange(value, Estimate(value, *share_difference(two, one)), PAIRED, len(rows), notices)


def unpaired_change(before: Estimate | float, now: Estimate | float) -> MetricChange:
    """The change between two findings; without an interval where one of them has none."""
    if isinstance(before, Estimate) and isinstance(now, Estimate):
        value = now.value - before.value
        return MetricChange(value, Estimate(value, *difference_interval(now, before)), UNPAIRED)
    values = [given.value if isinstance(given, Estimate) else given for given in (before, now)]
    return MetricChange(values[1] - values[0], None, "no interval")
