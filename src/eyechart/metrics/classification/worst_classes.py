"""What an average over classes hides: the mean of the k worst classes, and means that one failed class pulls down.

All of them depend on the lowest accuracies, and the lowest of many measured accuracies is biased downwards: the class was
selected because chance was against it as well. A plain bootstrap would add that bias a second time, so the intervals come from
draws of the true accuracies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles
from eyechart.metrics.intervals import RESAMPLES, Interval, percentile
from eyechart.metrics.intervals.resampling import drawn_counts

Summary = Callable[[Doubles], Doubles]  # over the last axis

HOW_SUMMARY = "draws of true accuracies, each class alone and pooled, 95% or more"
HOW_WORST = "draws of true accuracies, corrected for selecting the worst, 95% or more"
MORE = 10  # times the weight of the prior that all classes together suggest
EVEN = 1e4  # pictures that the prior weighs at most, where classes are not seen to differ


def worst_count(classes: int) -> int:
    """10, or a tenth of the classes, rounded up, where there are fewer than 100.

    >>> [worst_count(n) for n in (1000, 100, 47, 18, 2)]
    [10, 10, 5, 2, 1]
    """
    return 10 if classes >= 100 else -(-classes // 10)


def worst_mean(accuracies: Doubles, k: int) -> Doubles:
    """Worst@k: the mean of the k lowest, over the last axis."""
    return np.asarray(np.partition(accuracies, min(k, accuracies.shape[-1]) - 1, axis=-1)[..., :k].mean(axis=-1))


def harmonic_mean(accuracies: Doubles, least: float = 0.0) -> Doubles:
    """C / Σ 1/a, over the last axis; 0 as soon as one a is 0. A class below `least` counts as `least`.

    >>> float(harmonic_mean(np.array([0.2, 0.5, 1.0])))
    0.375
    """
    raised = np.maximum(accuracies, least)
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(raised.shape[-1] / (1 / raised).sum(axis=-1))


def geometric_mean(accuracies: Doubles, least: float = 0.0) -> Doubles:
    """(Π a)^(1/C), over the last axis; 0 as soon as one a is 0. A class below `least` counts as `least`."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(np.maximum(accuracies, least)).mean(axis=-1)))


@dataclass(frozen=True)
class DrawnAccuracies:
    """Draws of the true class accuracies given the measured ones, [resamples, C] each.

    alone: Each class from its own pictures: Beta(hits + ½, misses + ½), Jeffreys' prior.
    pooled: Shrunk towards the other classes (empirical Bayes).
    """

    alone: Doubles
    pooled: Doubles


def drawn_accuracies(accuracies: Doubles, pictures: Doubles, *, seed: int, resamples: int = RESAMPLES) -> DrawnAccuracies:
    """From accuracies [C] measured on `pictures` [C] of each class, all above 0.

    Pooled: true accuracies are taken as draws from one Beta distribution with the mean and variance of the measured ones (less
    the sampling variance); a class with share a of n is then Beta(α + a·n, β + (1−a)·n). The uncertainty of that distribution
    is included: each draw estimates it from a resample of the classes (Laird and Louis, 1987). A resample of few classes may
    miss all weak ones, and would then outweigh their pictures; so the prior weighs at most MORE times what all classes say."""
    rng = np.random.default_rng(seed)
    classes, hits, misses = len(accuracies), accuracies * pictures, (1 - accuracies) * pictures
    noise = accuracies * (1 - accuracies) / np.maximum(pictures - 1, 1)
    columns = np.column_stack([accuracies, accuracies**2, noise])
    counts = np.concatenate(list(drawn_counts(classes, seed=seed, resamples=resamples)))
    mean, square, chance = (counts @ columns / classes).T
    middle = np.clip(mean, 1e-3, 1 - 1e-3)
    variance = np.maximum((square - mean**2) * classes / max(classes - 1, 1) - chance, 1e-12)
    weight = np.clip(middle * (1 - middle) / variance - 1, 0.1, EVEN)
    weight = np.minimum(weight, MORE * _prior_weight(accuracies, noise))
    return DrawnAccuracies(
        rng.beta(hits + 0.5, misses + 0.5, (resamples, classes)),
        rng.beta((weight * middle)[:, None] + hits, (weight * (1 - middle))[:, None] + misses),
    )


def _prior_weight(accuracies: Doubles, noise: Doubles) -> float:
    """The pictures that the prior weighs, estimated from all classes."""
    middle = float(np.clip(accuracies.mean(), 1e-3, 1 - 1e-3))
    variance = max(float(accuracies.var(ddof=1) if len(accuracies) > 1 else 0.0) - float(noise.mean()), 1e-12)
    return float(np.clip(middle * (1 - middle) / variance - 1, 0.1, EVEN))


def summary_interval(summary: Summary, accuracies: Doubles, drawn: DrawnAccuracies, level: float = 0.95) -> Interval:
    """Interval of a summary of the true accuracies.

    It contains the intervals of both kinds of draws, the first reflected around the measured value (noise lowers these means
    when measuring and when drawing alike), and the measured value itself, since a true accuracy of 0 cannot be excluded for a
    class that was never correct."""
    value, alone = float(summary(accuracies)), summary(drawn.alone)
    return _holding(value, [alone, np.clip(2 * value - alone, 0, 1), summary(drawn.pooled)], level)


def worst_interval(
    k: int, accuracies: Doubles, pictures: Doubles, drawn: DrawnAccuracies, *, seed: int, level: float = 0.95
) -> Interval:
    """Interval of the true worst@k. It contains three intervals: of the k classes measured as worst, from their own pictures
    (right where they stand apart); of the pooled draws (right where accuracies are spread); and of worst@k minus the selection
    bias (right where the worst classes are not significantly different from each other)."""
    worst = np.argsort(accuracies, kind="stable")[:k]
    found = float(worst_mean(accuracies, k))
    luck = _selection_bias(k, accuracies, pictures, np.random.default_rng(seed), len(drawn.pooled))
    return _holding(found, [drawn.alone[:, worst].mean(axis=1), worst_mean(drawn.pooled, k), np.clip(found - luck, 0, 1)], level)


def _selection_bias(k: int, accuracies: Doubles, pictures: Doubles, rng: np.random.Generator, resamples: int) -> Doubles:
    """[resamples]: measured minus true worst@k, if classes within 2.5 standard errors of the worst k were equally accurate."""
    guarded = (accuracies * pictures + 0.5) / (pictures + 1)  # avoids a zero variance at 0%
    variance = guarded * (1 - guarded) / pictures
    worst = np.argsort(accuracies, kind="stable")[:k]
    near = accuracies - accuracies[worst].mean() <= 2.5 * np.sqrt(variance + variance[worst].mean() / k)
    near[worst] = True
    even = float((accuracies * pictures)[near].sum() / pictures[near].sum())
    return drawn_worst(k, even, pictures[near], rng, resamples) - even


def drawn_worst(k: int, share: float, pictures: Doubles, rng: np.random.Generator, resamples: int = RESAMPLES) -> Doubles:
    """[resamples]: worst@k by chance, where every class has the same true accuracy `share`."""
    return worst_mean(rng.binomial(pictures.astype(np.int64), share, (resamples, len(pictures))) / pictures, k)


def _holding(value: float, draws: Sequence[Doubles], level: float) -> Interval:
    ends = [value, *(end for of in draws for end in percentile(of, level))]
    return Interval(min(ends), max(ends))
