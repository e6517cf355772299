"""AUROC, AUPR and FPR95: how well a score separates in-distribution (inside) from out-of-distribution (outside) pictures.

Higher scores mean inside. Everything is computed from weights at sorted positions (`presorted`), so that the same code gives the
value and, for a batch of resampled weights, its bootstrap. Arrays are [..., places], in falling order of the score.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.metrics.intervals.presorted import Places, sort_once

Convention = Literal["id-quantile", "mcm", "openood"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

LEVEL = 0.95  # the recall that FPR95 is read at


class Sides(NamedTuple):
    """Both groups on one list of positions."""

    places: Places
    inside: Doubles
    outside: Doubles


def sides(inside: npt.ArrayLike, outside: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Sides:
    """Scores of both groups, sorted together; `weights` of the outside ones, all 1 where not given."""
    inside, outside = np.asarray(inside, np.float64), np.asarray(outside, np.float64)
    if not len(inside) or not len(outside):
        raise ValueError("both groups need a score")
    places = sort_once(np.concatenate([inside, outside]))
    belongs = np.repeat([1.0, 0.0], [len(inside), len(outside)])
    others = np.concatenate([np.zeros(len(inside)), np.ones(len(outside)) if weights is None else np.asarray(weights, float)])
    return Sides(places, places.weigh(belongs), places.weigh(others))


def auroc(inside: npt.ArrayLike, outside: npt.ArrayLike) -> float:
    """The chance that an inside score is above an outside one, a tie counting half; exact.

    >>> auroc([3, 2, 2], [2, 1])
    0.8333333333333334
    """
    high, low = np.sort(np.asarray(inside, np.float64)), np.sort(np.asarray(outside, np.float64))
    if not len(high) or not len(low) or np.isnan(high[-1]) or np.isnan(low[-1]):
        raise ValueError("both groups need scores, and no score may be NaN")
    below = np.searchsorted(low, high, "left").sum() + np.searchsorted(low, high, "right").sum()
    return float(below / (2 * len(high) * len(low)))


def auroc_at(inside: Doubles, outside: Doubles) -> Doubles:
    """Σ_p inside_p · (outside below p + ½ outside_p), over the product of both sums."""
    above = np.cumsum(outside, axis=-1)
    whole = above[..., -1:]
    area = (inside * (whole - above + outside / 2)).sum(axis=-1)
    return np.asarray(np.clip(area / (inside.sum(axis=-1) * whole[..., 0]), 0, 1))  # weights round below 0


def aupr(inside: npt.ArrayLike, outside: npt.ArrayLike, positive: Literal["in", "out"] = "in") -> float:
    """Average precision of finding the inside group by high scores ("in"), or the outside one by low scores ("out")."""
    _, high, low = sides(inside, outside)
    return float(aupr_at(high, low, positive))


def aupr_at(inside: Doubles, outside: Doubles, positive: Literal["in", "out"] = "in") -> Doubles:
    """Σ_p (gain of recall at p) · (precision down to p): the step-wise area, without interpolation."""
    wanted, others = (inside, outside) if positive == "in" else (outside[..., ::-1], inside[..., ::-1])
    found, taken = np.cumsum(wanted, axis=-1), np.cumsum(wanted + others, axis=-1)
    precision = np.divide(found, taken, out=np.zeros_like(found), where=taken > 0)
    return np.asarray((wanted * precision).sum(axis=-1) / found[..., -1])


def fpr95(inside: npt.ArrayLike, outside: npt.ArrayLike, convention: Convention = "id-quantile") -> float:
    """The false positive rate at 95% true positive rate, in one of three conventions, which differ by tens of points.

    `id-quantile`: the threshold is the 5% quantile of the inside scores; the share of outside scores that reach it.
    `mcm`: among all scores as thresholds, the one with inside recall nearest to 95%; the share of outside scores that reach
        it (Ming et al., 2022, after Hendrycks et al.). `openood`: the outside group is the positive one, detected by low
        scores; the share of inside scores at or below the first threshold that detects 95% of it (Yang et al., 2022)."""
    places, high, low = sides(inside, outside)
    return float(fpr95_at(places, high, low, convention))


def fpr95_at(places: Places, inside: Doubles, outside: Doubles, convention: Convention = "id-quantile") -> Doubles:
    if convention == "id-quantile":
        return _at_quantile(places, inside, outside)
    if convention == "mcm":
        return _at_nearest_recall(inside, outside)
    if convention == "openood":
        return _outside_found(inside, outside)
    raise ValueError(f"{convention!r} is not one of {', '.join(CONVENTIONS)}")


def _at_quantile(places: Places, inside: Doubles, outside: Doubles) -> Doubles:
    """The quantile is interpolated between the two order statistics around it, as NumPy does by default."""
    rising = np.cumsum(inside[..., ::-1], axis=-1)
    position = 0.05 * (rising[..., -1] - 1)
    rank = np.floor(position)
    scores = places.scores[::-1]
    last = len(scores) - 1
    lower, upper = (scores[np.minimum((rising < (rank + k)[..., None]).sum(axis=-1), last)] for k in (1, 2))
    threshold = lower + (position - rank) * (upper - lower)
    reached = np.searchsorted(-places.scores, -threshold, "right")  # so many places lie at the threshold or above
    above = np.concatenate([np.zeros((*outside.shape[:-1], 1)), np.cumsum(outside, axis=-1)], axis=-1)
    share = np.take_along_axis(above, np.asarray(reached)[..., None], axis=-1)[..., 0] / above[..., -1]
    return np.asarray(share)


def _at_nearest_recall(inside: Doubles, outside: Doubles) -> Doubles:
    """Among thresholds of equal recall the lowest counts, but for full recall the highest, as in the code of both papers."""
    found = np.cumsum(inside, axis=-1)
    whole = found[..., -1:]
    distance = np.abs(found / whole - LEVEL)
    distance[(found - inside) >= whole] = np.inf
    last = distance.shape[-1] - 1 - distance[..., ::-1].argmin(axis=-1)
    alarms = np.cumsum(outside, axis=-1)
    return np.asarray(np.take_along_axis(alarms, last[..., None], axis=-1)[..., 0] / alarms[..., -1])


def _outside_found(inside: Doubles, outside: Doubles) -> Doubles:
    found, alarms = np.cumsum(outside[..., ::-1], axis=-1), np.cumsum(inside[..., ::-1], axis=-1)
    first = (found / found[..., -1:] >= LEVEL).argmax(axis=-1)
    return np.asarray(np.take_along_axis(alarms, first[..., None], axis=-1)[..., 0] / alarms[..., -1])


def roc_curve(inside: npt.ArrayLike, outside: npt.ArrayLike, points: int = 200) -> tuple[Doubles, Doubles]:
    """Shares of outside and of inside scores above each threshold, from (0, 0) to (1, 1): the corners of the curve, thinned to
    `points` evenly spaced ones."""
    _, high, low = sides(inside, outside)
    wrong, right = (np.concatenate([[0.0], np.cumsum(side) / side.sum()]) for side in (low, high))
    return thinned(wrong, right, points)


def thinned(x: Doubles, y: Doubles, points: int) -> tuple[Doubles, Doubles]:
    """At most `points` points of a curve, both ends included, evenly spaced along it."""
    if len(x) <= points:
        return x, y
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    kept = np.unique(np.searchsorted(way, np.linspace(0, way[-1], points)).clip(0, len(x) - 1))
    kept = np.unique(np.concatenate([[0], kept, [len(x) - 1]]))
    return x[kept], y[kept]
