"""Selective prediction: the error rate among the most confident answers."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import FEW, RESAMPLES, Interval, percentile
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.influence import log_interval, standard_error
from eyechart.metrics.intervals.presorted import PLACES, resampled_places, sort_once
from eyechart.metrics.ranking.auroc import thinned

AURC_HOW = "normal on the log scale, from influences, at least Wilson's of the error where few err, 95%"
AURC_CHANGE_HOW = "normal from influences, 95%"
RISK_HOW = "bootstrap over pictures, at least Wilson's where few err, 95%"


def risk_coverage(confidence: npt.ArrayLike, wrong: npt.ArrayLike, points: int = 200) -> tuple[Doubles, Doubles]:
    """Coverage and the error rate of the covered pictures, from the most confident on; ties are covered together."""
    places = sort_once(confidence)
    answered, errors = np.cumsum(places.weigh(np.ones(len(places.of_row)))), np.cumsum(places.weigh(wrong))
    return thinned(answered / answered[-1], errors / answered, points)


def aurc(confidence: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    """Area under the risk–coverage curve (Geifman and El-Yaniv, 2017).

    The mean over pictures of the error rate among those at least as confident. 0 is best; an uninformative confidence gives the
    overall error rate.

    >>> round(aurc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1]), 6)
    0.333333
    """
    return aurc_influence(confidence, wrong)[0]


def aurc_influence(confidence: npt.ArrayLike, wrong: npt.ArrayLike) -> tuple[float, Doubles]:
    r"""AURC and each row's influence on it.

    With S(s) the share of pictures at least as sure as s and r(s) their error, AURC = mean_i r(s_i); row i moves it by
    (r(s_i) − AURC + mean_j 1[s_j ≤ s_i] · (w_i − r(s_j)) / S(s_j)) / n: by its own place, and in every risk that counts it."""
    wrong = np.asarray(wrong, np.float64)
    places, n = sort_once(confidence), len(wrong)
    sizes = places.weigh(np.ones(n))
    coverage = np.cumsum(sizes) / n
    risk = np.cumsum(places.weigh(wrong)) / (coverage * n)
    value = float(sizes @ risk / n)

    def at_or_below(per_place: Doubles) -> Doubles:
        return np.asarray(np.cumsum((sizes * per_place)[::-1])[::-1][places.of_row] / n)

    counted = wrong * at_or_below(1 / coverage) - at_or_below(risk / coverage)
    return value, (risk[places.of_row] - value + counted) / n


def aurc_interval(confidence: npt.ArrayLike, wrong: npt.ArrayLike, clusters: Counts | None = None) -> tuple[float, Interval]:
    """Normal interval on the log scale, from influences.

    With fewer than ten errors, or fewer than ten correct answers, it also contains what Wilson's interval of the error rate
        e leaves
    open: from min(1, AURC/e) · low to max(1, AURC/e) · high, since the ranks of so few errors are chance."""
    value, influence = aurc_influence(confidence, wrong)
    wrong = np.asarray(wrong, np.float64)
    error = standard_error(influence, clusters)
    near = log_interval(value, error) if value > 0 and np.isfinite(error) else Interval(value, value)
    if not FEW <= wrong.sum() <= len(wrong) - FEW:
        units = np.arange(len(wrong)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
        errors, low, high = clustered_share(wrong, units).estimate
        ratio = value / errors if errors > 0 else 1.0
        near = Interval(min(near.low, min(ratio, 1.0) * low), max(near.high, max(ratio, 1.0) * high))
    return value, Interval(max(near.low, 0.0), min(near.high, 1.0))


def selective_risks(
    confidence: npt.ArrayLike,
    wrong: npt.ArrayLike,
    coverages: Sequence[float],
    *,
    seed: int,
    clusters: Counts | None = None,
    resamples: int = RESAMPLES,
) -> list[tuple[float, Interval]]:
    """The error rate among the most confident share of all pictures, and those tied with the last of them, for each share in
    `coverages`. All of them use the same resamples.

    The threshold is found again in every resample. With fewer than ten errors, or fewer than ten correct answers, the interval
    is at least Wilson's at the clustered variance."""
    wrong = np.asarray(wrong, np.float64)
    columns = np.column_stack([np.ones(len(wrong)), wrong])
    exact, joined = sort_once(confidence), sort_once(confidence, PLACES)
    values, near = (_risks_at(np.stack([p.weigh(c) for c in columns.T]), coverages) for p in (exact, joined))
    blocks = resampled_places(joined, columns, seed=seed, clusters=clusters, resamples=resamples)
    draws = np.concatenate([_risks_at(block, coverages) for block in blocks])
    answered, errors = (np.cumsum(exact.weigh(c)) for c in columns.T)
    found = []
    for place, coverage in enumerate(coverages):
        value = float(values[place])
        interval = percentile(np.clip(draws[:, place] + (value - float(near[place])), 0, 1), 0.95)
        last = int((answered >= coverage * answered[-1] - 1e-9).argmax())
        if not FEW <= errors[last] <= answered[last] - FEW:
            units = np.arange(len(wrong)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
            covered = exact.of_row <= last
            _, low, high = clustered_share(wrong[covered], units[covered]).estimate
            interval = Interval(min(low, interval.low), max(high, interval.high))
        found.append((value, interval))
    return found


def _risks_at(weights: Doubles, coverages: Sequence[float]) -> Doubles:
    """weights [..., 2, places], pictures and errors → [..., coverages]."""
    both = np.cumsum(weights, axis=-1)
    return np.stack([_risk_at(both[..., 0, :], both[..., 1, :], coverage) for coverage in coverages], axis=-1)


def _risk_at(answered: Doubles, errors: Doubles, coverage: float) -> Doubles:
    last = (answered >= coverage * answered[..., -1:] - 1e-9).argmax(axis=-1)[..., None]
    risk = np.take_along_axis(errors, last, axis=-1) / np.take_along_axis(answered, last, axis=-1)
    return np.asarray(risk[..., 0])
