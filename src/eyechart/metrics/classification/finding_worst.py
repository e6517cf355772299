"""How well a signal finds the worst classes: rank correlation with accuracy, and overlap of the k worst."""

import numpy as np

from eyechart.arrays import Doubles
from eyechart.metrics.intervals import RESAMPLES, percentile, wilson
from eyechart.metrics.intervals.mover import Estimate
from eyechart.metrics.intervals.resampling import drawn_counts
from eyechart.metrics.ranking.rank_correlation import spearman
from eyechart.metrics.special import ndtri

HOW_RANKS = "Fisher's z over classes, 95%"
HOW_OVERLAP = "Wilson over the worst classes, 95%"
HOW_DIFFERENCE = "bootstrap over classes, paired, 95%"


def rank_agreement(signal: Doubles, accuracies: Doubles, level: float = 0.95) -> Estimate:
    """Spearman's ρ over C > 3 classes; NaN where one of the two is the same for all.

    Interval: tanh(atanh ρ ± z √((1 + ρ²/2) / (C − 3))) (Bonett and Wright, 2000)."""
    rho = float(spearman(signal, accuracies, np.ones((1, len(signal))))[0])
    half = float(ndtri(0.5 + level / 2)) * np.sqrt((1 + rho**2 / 2) / (len(signal) - 3))
    center = np.arctanh(np.clip(rho, -1 + 1e-12, 1 - 1e-12))
    return Estimate(rho, float(np.tanh(center - half)), float(np.tanh(center + half)))


def agreement_difference(
    a: Doubles, accuracies: Doubles, b: Doubles, *, seed: int, resamples: int = RESAMPLES, level: float = 0.95
) -> Estimate:
    """Spearman's ρ of a with the accuracies less that of b, over the same classes, which are resampled together."""
    once = np.ones((1, len(a)))
    value = float((spearman(a, accuracies, once) - spearman(b, accuracies, once))[0])
    draws = np.concatenate(
        [
            spearman(a, accuracies, counts) - spearman(b, accuracies, counts)
            for counts in drawn_counts(len(a), seed=seed, resamples=resamples)
        ]
    )
    draws = draws[np.isfinite(draws)]
    if not len(draws):
        return Estimate(value, np.nan, np.nan)
    low, high = percentile(draws, level)
    return Estimate(value, min(low, value), max(high, value))  # of a dozen classes resamples have ties that the classes have not


def among_worst(values: Doubles, k: int) -> Doubles:
    """[C], sum k: 1 for the k lowest; those that tie for the last places share them.

    >>> among_worst(np.array([0.0, 0.5, 0.5, 0.9]), 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    last = np.partition(values, k - 1)[k - 1]
    below, tied = values < last, values == last
    return np.asarray(below + tied * (k - below.sum()) / tied.sum())


def worst_overlap(signal: Doubles, accuracies: Doubles, k: int, level: float = 0.95) -> Estimate:
    """The share of the k worst classes that are among the signal's k worst; places that tie are shared, as drawing lots for them
    would do on average. A signal that knows nothing gets k/C."""
    value = float(among_worst(signal, k) @ among_worst(accuracies, k)) / k
    low, high = wilson(value * k, k, level)
    return Estimate(value, float(low), float(high))
