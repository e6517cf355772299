"""Intervals of AUROC, AUPR and FPR95: DeLong's where there is a formula, the bootstrap over presorted weights elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import RESAMPLES, Interval, percentile, wilson
from eyechart.metrics.intervals.influence import logit_interval
from eyechart.metrics.intervals.presorted import PLACES, Places, resampled_places, sort_once
from eyechart.metrics.intervals.rare_errors import false_positive_interval, separation_interval
from eyechart.metrics.intervals.resampling import clustered_sums
from eyechart.metrics.ranking.auroc import CONVENTIONS, aupr_at, auroc_at, fpr95_at

DELONG = "DeLong on the logit scale, 95%"
WILSON = "Wilson for the smaller group, 95%"
BOOTSTRAP = "bootstrap of pictures within groups, at least Wilson's where few are out of order, 95%"


@dataclass(frozen=True)
class Scored:
    """Scores of pictures, and which of them are inside.

    clusters: Equal numbers mark rows that vary together. kinds: The kind of an outside picture, where the mean over kinds is
    wanted instead of the mean over pictures (inside rows: any number)."""

    scores: Doubles
    inside: npt.NDArray[np.bool_]
    clusters: Counts | None = None
    kinds: Counts | None = None

    @property
    def weights(self) -> Doubles:
        """Inside rows get 1/n; outside rows 1/m, or equal weight per kind."""
        groups, index = np.unique(self.strata, return_inverse=True)
        sizes = np.bincount(index)
        of_group = np.where(groups < 0, 1.0, 1.0 / (groups >= 0).sum())
        return np.asarray((of_group / sizes)[index])

    @property
    def strata(self) -> Counts:
        """-1 inside; outside 0, or the kind."""
        kinds = np.zeros(len(self.scores), np.int64) if self.kinds is None else np.asarray(self.kinds, np.int64)
        return np.where(self.inside, -1, kinds)


def auroc_influence(scored: Scored) -> tuple[float, Doubles]:
    r"""AUROC and every row's influence on it: w_i · (V_i − V̄), with V_i the probability that an inside row is above the
    outside ones, or that an outside row is below the inside ones, and V̄ the mean of V in the row's group, or kind.

    Σ of its squares is DeLong's variance (DeLong et al., 1988), up to n−1 for n, which is corrected here for each group; summed
    within clusters first, it is Obuchowski's (1997) for clustered data."""
    places, weights, inside = sort_once(scored.scores), scored.weights, scored.inside
    high, low = places.weigh(weights * inside), places.weigh(weights * ~inside)
    above_others = 1 - np.cumsum(low) + low / 2
    below_others = np.cumsum(high) - high / 2
    placement = np.where(inside, above_others[places.of_row], below_others[places.of_row])
    value = min(1.0, max(0.0, float(high @ above_others)))  # a sum of weights may round to just above 1
    _, group = np.unique(scored.strata, return_inverse=True)
    sizes = np.bincount(group)
    if scored.clusters is not None:
        numbers, row = np.unique(scored.clusters, return_inverse=True)
        sizes = np.bincount(np.unique(group * len(numbers) + row) // len(numbers))
    # A group of one picture shows no variance of its own: it is set against the mean of all.
    center = np.where(sizes > 1, np.bincount(group, placement) / np.bincount(group), value)
    unbiased = np.sqrt(sizes / np.maximum(sizes - 1, 1))
    return value, weights * (placement - center[group]) * unbiased[group]


def delong(scored: Scored, level: float = 0.95) -> tuple[float, Interval, str]:
    """AUROC, its interval, and the method's name.

    Where no pair, or every pair, is in order DeLong's variance is 0: there Wilson's interval for as many pictures as the smaller
    group has, whose variance A(1−A)/n is the largest that AUROC can have (Birnbaum and Klose, 1957)."""
    value, influence = auroc_influence(scored)
    rows = np.arange(len(influence)) if scored.clusters is None else scored.clusters
    error = float(np.linalg.norm(clustered_sums(influence[:, None], rows)))
    if error > 1e-12 and 0 < value < 1:
        return value, logit_interval(value, error, level), DELONG
    smaller = min(len(np.unique(rows[scored.inside])), len(np.unique(rows[~scored.inside])))
    low, high = wilson(value * smaller, smaller, level)
    return value, Interval(float(low), float(high)), WILSON


@dataclass(frozen=True)
class Ranked:
    """One measure of a ranking."""

    metric: str  # "auroc", "aupr_in", "aupr_out", "fpr95"
    convention: str | None = None  # of fpr95

    def at(self, places: Places, inside: Doubles, outside: Doubles) -> Doubles:
        if self.metric == "auroc":
            return auroc_at(inside, outside)
        if self.metric == "fpr95":
            return fpr95_at(places, inside, outside, self.convention)  # type: ignore[arg-type]
        return aupr_at(inside, outside, "in" if self.metric == "aupr_in" else "out")


FPR95 = tuple(Ranked("fpr95", convention) for convention in CONVENTIONS)
ALL = (Ranked("auroc"), Ranked("aupr_in"), Ranked("aupr_out"), *FPR95)


def bootstrap_ranking(
    scored: Scored, measures: Sequence[Ranked] = ALL, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> dict[Ranked, tuple[float, Interval]]:
    """Every measure with a percentile interval, all from the same resamples.

    Inside and outside pictures (and outside ones of each kind, where kinds weigh the same) are resampled apart, clusters as
    wholes. With more than 1,024 different scores, neighboring ones share a place while resampling, and the interval is moved
    by what that does to the value, which is exact. Where few pictures are out of order it is at least Wilson's
    (`rare_mistakes`)."""
    size = int(scored.inside.sum())
    # Inside rows weigh 1, so that their sums are the counts that quantiles need; AUPR needs both groups on one scale.
    weights = scored.weights * np.where(scored.inside, size, len(scored.inside) - size)
    columns = np.column_stack([weights * scored.inside, weights * ~scored.inside])
    exact, joined = sort_once(scored.scores), sort_once(scored.scores, PLACES)

    def measured(places: Places) -> list[float]:
        inside, outside = (places.weigh(column) for column in columns.T)
        return [float(measure.at(places, inside, outside)) for measure in measures]

    values, shifts = measured(exact), np.subtract(measured(exact), measured(joined))
    blocks = resampled_places(joined, columns, seed=seed, clusters=scored.clusters, strata=scored.strata, resamples=resamples)
    draws = np.concatenate([np.stack([m.at(joined, b[:, 0], b[:, 1]) for m in measures], axis=1) for b in blocks])
    intervals = [percentile(np.clip(draw + shift, 0, 1), level) for draw, shift in zip(draws.T, shifts, strict=True)]
    held = [_held(scored, m, v, i, level) for m, v, i in zip(measures, values, intervals, strict=True)]
    # Where the score does not separate the groups, all resamples of AUPR are above its value: repeated rows make precision steps.
    held = [Interval(min(i.low, v), max(i.high, v)) for v, i in zip(values, held, strict=True)]
    return dict(zip(measures, zip(values, held, strict=True), strict=True))


def _held(scored: Scored, measure: Ranked, value: float, interval: Interval, level: float) -> Interval:
    units = np.arange(len(scored.scores)) if scored.clusters is None else scored.clusters
    if measure.metric != "fpr95":
        return separation_interval(value, scored.scores, scored.inside, units, interval, level)
    if measure.convention == "openood":  # its wrong alarms are inside rows of low scores
        return false_positive_interval(value, -scored.scores[scored.inside], units[scored.inside], None, interval)
    kinds = None if scored.kinds is None else scored.kinds[~scored.inside]
    return false_positive_interval(value, scored.scores[~scored.inside], units[~scored.inside], kinds, interval)
