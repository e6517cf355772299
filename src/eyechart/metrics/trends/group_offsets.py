"""Which groups of models leave a trend: the mean distance of each group from it, with an interval and a permutation test.

The distance of a model is its effective robustness, y − expected(x), and the offset of a group the mean of its models'. Families
are the units: the interval resamples the families of each group, the test permutes the group labels among the families (Fisher,
1935, §21).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.metrics.intervals import Interval
from eyechart.metrics.multiplicity import holm
from eyechart.metrics.trends.axes import from_axis, to_axis
from eyechart.metrics.trends.line_fits import fit_lines
from eyechart.metrics.trends.lines import (
    RESAMPLES,
    SETTLED,
    Labels,
    Trend,
    effective_robustness,
    family_weights,
    quantiles,
    widened,
)

PERMUTATIONS = 5000
_BLOCK = 1 << 22


@dataclass(frozen=True)
class GroupOffset:
    """`p` is Holm's, corrected for the number of groups that were tested; the interval is NaN for a group of one family."""

    group: int
    value: float
    interval: Interval
    n: int
    families: int
    p: float


@dataclass(frozen=True)
class Offsets:
    """`p` tests all groups at once: do any of them differ?"""

    groups: tuple[GroupOffset, ...]
    p: float


def group_offsets(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    groups: Labels,
    families: Labels,
    trend: Trend,
    *,
    in_trend: npt.NDArray[np.bool_],
    strata: Labels | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
) -> Offsets:
    """Offsets of `groups` from `trend`, which was fitted to the models where `in_trend`.

    A family with models in several groups counts as one family in each. `strata` limits the permutations: for prompt sets,
    labels are permuted among the rows of one model; None permutes among all."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    _, units = np.unique(np.column_stack([families, groups]), axis=0, return_inverse=True)
    units = units.reshape(-1)
    rng = np.random.default_rng(seed)
    distances = effective_robustness(x, y, trend.line)
    names = np.unique(groups)
    values = np.array([distances[groups == g].mean() for g in names])
    draws = _resampled(x, y, groups, units, trend, in_trend, resamples, rng)
    ps, p = _permuted(distances, groups, units, strata, permutations, rng)
    found = []
    for place, g in enumerate(names):
        count = len(np.unique(units[groups == g]))
        spread = widened(values[place], draws[:, place], count - 1, trend.level)
        interval = quantiles(spread, trend.level)
        found.append(GroupOffset(int(g), float(values[place]), interval, int((groups == g).sum()), count, float(ps[place])))
    return Offsets(tuple(found), p)


def _resampled(
    x: Doubles,
    y: Doubles,
    groups: Labels,
    units: Labels,
    trend: Trend,
    in_trend: npt.NDArray[np.bool_],
    resamples: int,
    rng: np.random.Generator,
) -> Doubles:
    """[resamples, groups]: offsets from the line of each resample. Families are drawn within their group: none goes missing."""
    weights = np.empty((resamples, len(x)))
    for g in np.unique(groups):
        mine = groups == g
        weights[:, mine] = family_weights(units[mine], resamples, rng)
    at_x, at_y = to_axis(x, trend.line.x_axis), to_axis(y, trend.line.y_axis)
    slopes, intercepts = fit_lines(at_x[in_trend], at_y[in_trend], weights[:, in_trend], trend.fit, settled=SETTLED)
    weighted = weights * (y - from_axis(at_x * slopes[:, None] + intercepts[:, None], trend.line.y_axis))
    return np.column_stack(
        [weighted[:, groups == g].sum(axis=1) / weights[:, groups == g].sum(axis=1) for g in np.unique(groups)]
    )


def _permuted(
    distances: Doubles, groups: Labels, units: Labels, strata: Labels | None, permutations: int, rng: np.random.Generator
) -> tuple[Doubles, float]:
    """p of each group (Holm) and p of all at once: how often permuted labels give an offset, or a spread of offsets, as large.

    Offsets are taken from the mean of all models, so that a trend fitted elsewhere does not make every group differ.
    """
    _, first = np.unique(units, return_index=True)
    label = groups[first]
    layer = np.zeros(len(first)) if strata is None else np.unique(strata, return_inverse=True)[1][first]
    sums = np.bincount(units, distances - distances.mean()).astype(np.float64)
    sizes = np.bincount(units)
    names = np.unique(label)
    seen = _statistics(label[None], names, sums, sizes)
    if len(names) == 1 or len(first) == len(names):
        return np.ones(len(names)), 1.0
    rows = max(1, _BLOCK // len(first))
    order = np.argsort(layer, kind="stable")
    exceeded, exceeded_all = np.zeros(len(names)), 0.0
    for start in range(0, permutations, rows):
        drawn = rng.random((min(rows, permutations - start), len(first))) + layer
        permuted = np.empty(drawn.shape, label.dtype)
        np.put_along_axis(permuted, np.argsort(drawn, axis=1), np.broadcast_to(label[order], drawn.shape), axis=1)
        offsets, spread = _statistics(permuted, names, sums, sizes)
        exceeded += (np.abs(offsets) >= np.abs(seen[0]) * (1 - 1e-12)).sum(axis=0)
        exceeded_all += float((spread >= seen[1] * (1 - 1e-12)).sum())
    return holm((1 + exceeded) / (1 + permutations)), (1 + exceeded_all) / (1 + permutations)


def _statistics(label: Labels, names: Labels, sums: Doubles, sizes: npt.NDArray[np.int64]) -> tuple[Doubles, Doubles]:
    """[permutations, groups] offsets and [permutations] Σ models · offset², the sum of squares between groups."""
    offsets, counts = np.empty((len(label), len(names))), np.empty((len(label), len(names)))
    for place, g in enumerate(names):
        mine = (label == g).astype(np.float64)
        counts[:, place] = mine @ sizes
        offsets[:, place] = mine @ sums / counts[:, place]
    return offsets, (counts * offsets**2).sum(axis=1)
