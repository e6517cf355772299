"""Shares and differences of shares as findings, with the intervals that probes have in common."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, share_difference
from eyechart.metrics.intervals.shared_names import HOW as HOW_NAMED
from eyechart.metrics.intervals.shared_names import named_share

ALL_ROWS: Mapping[str, object] = {}


def share_finding(
    metric: str, share: ClusteredShare, slice: Mapping[str, object] = ALL_ROWS, *, n: int | None = None, interval: str = HOW
) -> Finding:
    """A share whose rows come in clusters.

    Args:
        metric: The metric's name.
        share: The share with its interval.
        slice: The rows it is about.
        n: How many rows it rests on, where that is not the share's own number.
        interval: The method of the interval.
    """
    low, high = share.estimate.low, share.estimate.high
    n = share.n if n is None else n
    return Finding(metric=metric, value=share.value, n=n, low=low, high=high, slice=slice, interval=interval)


def difference_finding(
    metric: str,
    a: ClusteredShare,
    b: ClusteredShare,
    slice: Mapping[str, object] = ALL_ROWS,
    *,
    n: int | None = None,
    baseline: str | None = None,
    interval: str = HOW_TWO,
) -> Finding:
    """The share `a` minus the share `b`. Rows of one cluster are paired.

    Args:
        metric: The metric's name.
        a: The first share.
        b: The share that is subtracted.
        slice: The rows it is about.
        n: How many rows it rests on; those of `a` where not given.
        baseline: What `b` is.
        interval: The method of the interval.
    """
    low, high = share_difference(a, b)
    return Finding(
        metric=metric,
        value=a.value - b.value,
        n=a.n if n is None else n,
        low=low,
        high=high,
        slice=slice,
        interval=interval,
        baseline=baseline,
    )


def named_share_finding(
    metric: str,
    values: npt.ArrayLike,
    names: Indices,
    slice: Mapping[str, object] = ALL_ROWS,
    *,
    clusters: Indices | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    baseline: str | None = None,
) -> Finding:
    """A mean over scenes or captions that share object names: the interval holds for other names too.

    Args:
        metric: The metric's name.
        values: One value for each row.
        names: Numbers of the object names of each row [n, names].
        slice: The rows it is about.
        clusters: Rows of one number vary together.
        bounds: The smallest and largest value that a row can have.
        baseline: What a difference is taken against.
    """
    value, (low, high) = named_share(values, names, clusters=clusters, bounds=bounds)
    return Finding(
        metric=metric,
        value=value,
        n=len(np.asarray(values)),
        low=low,
        high=high,
        slice=slice,
        interval=HOW_NAMED,
        baseline=baseline,
    )
