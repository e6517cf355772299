"""How evenly a query retrieves groups: MaxSkew@k, NDKL of the whole ranking, bias@k and association (WEAT)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import Interval, percentile, wilson
from eyechart.metrics.intervals.mover import Estimate, ratio_interval
from eyechart.metrics.intervals.resampling import resampled_sums
from eyechart.metrics.intervals.slices import sidak_level

_BLOCK = 1 << 22  # numbers held at once


def max_skew(first: Counts, expected: Doubles) -> float:
    r"""MaxSkew@k = max_g ln(p_g / q_g) (Geyik et al., 2019). `first`: the groups of the first k; p_g is their share, 1/k where a
    group is absent, q_g what is `expected`.

    >>> round(max_skew(np.array([0, 0, 0, 1]), np.array([0.5, 0.5])), 4)
    0.4055
    """
    k = len(first)
    counts = np.bincount(first, minlength=len(expected)).astype(float)
    share = np.where(counts > 0, counts, 1.0) / k
    return float(np.log(share / expected).max())


def max_skew_interval(first: Counts, expected: Doubles, pictures: int, of: int | None = None, level: float = 0.95) -> Interval:
    """Interval of MaxSkew@k: max_g ln(low_g) to max_g ln(high_g), with intervals of p_g/q_g by MOVER from two Wilson intervals
    (Donner and Zou, 2012).

    `pictures`: how many different ones are among the first k. `of`: how many pictures q was measured on, the first k among
    them; None where q is a choice. The lower end is that of the largest of G − 1 ratios, at the level at which they hold
    together; a skew is never below 0. A bootstrap of a maximum covers only 60 to 90%."""
    share = np.bincount(first, minlength=len(expected)) / len(first)
    low = _ratios(share, expected, pictures, of, sidak_level(level, len(expected) - 1))
    high = _ratios(share, expected, pictures, of, level)
    value = max_skew(first, expected)  # which is held whatever rounding does, as where the first k are all there are
    with np.errstate(divide="ignore"):
        ends = float(np.log([r.low for r in low]).max()), float(np.log([r.high for r in high]).max())
    return Interval(min(max(0.0, ends[0]), value), max(ends[1], value))


def _ratios(share: Doubles, expected: Doubles, pictures: int, of: int | None, level: float) -> list[Interval]:
    """Intervals of every group. The first k are a part of all pictures, q = (k/n) p + …, so the two are correlated."""
    ends = np.array(wilson(share * pictures, pictures, level))
    shares = [Estimate(float(v), float(low), float(high)) for v, low, high in zip(share, *ends, strict=True)]
    if of is None:
        return [Interval(p.low / q, p.high / q) for p, q in zip(shares, expected, strict=True)]
    ends = np.array(wilson(expected * of, of, level))
    wanted = [Estimate(float(v), float(low), float(high)) for v, low, high in zip(expected, *ends, strict=True)]
    spread = np.sqrt(expected * (1 - expected) / of)
    together_by = np.minimum(np.sqrt(share * (1 - share) / pictures) / spread * pictures / of, 1.0)
    return [ratio_interval(p, q, float(r)) for p, q, r in zip(shares, wanted, together_by, strict=True)]


def ndkl_interval(value: float, draws: Doubles, level: float = 0.95) -> Interval:
    """From a bootstrap. Draws with repeats are more uneven than the sample, so only their spread is used: the distance of their
    percentiles from their mean, around the value. It covers the expected NDKL of as many pictures.
    """
    low, high = percentile(draws, level)
    middle = float(draws.mean())
    return Interval(max(0.0, value + low - middle), value + high - middle)


def ndkl(ranking: Counts, expected: Doubles) -> float:
    """(1/Z) Σ_i KL(p_{top i} ‖ q) / log₂(i + 1), Z = Σ_i 1/log₂(i + 1) (Geyik et al., 2019): 0 for a ranking with the expected
    shares in every top i."""
    n, groups = len(ranking), len(expected)
    seen = np.cumsum(np.asarray(ranking)[:, None] == np.arange(groups), axis=0) / np.arange(1, n + 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.where(seen > 0, seen * np.log(seen / expected), 0.0).sum(axis=1)
    weight = 1 / np.log2(np.arange(2, n + 2))
    return float((divergence * weight).sum() / weight.sum())


def bias_at_k(first: Counts, one: int, other: int) -> float:
    """(m − f) / (m + f) of the first k, for two groups (Wang et al., 2021); 0 where neither is present."""
    m, f = int((first == one).sum()), int((first == other).sum())
    return (m - f) / (m + f) if m + f else 0.0


class Skews(NamedTuple):
    """MaxSkew@k and NDKL, one value per weighting."""

    max_skew: Doubles
    ndkl: Doubles


def weighted_skews(ranking: Counts, weights: npt.NDArray[np.float64], expected: Doubles, k: int) -> Skews:
    """MaxSkew@k and NDKL for many weightings [w, n] of one ranking, or of one ranking each: a weight of 2 is a picture that
    occurs twice.
    """
    total = np.cumsum(weights, axis=1)
    beneath = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, int(total[:, -1].max()) + 3)))])
    places = np.rint(total).astype(np.int64)
    weight = beneath[places] - beneath[np.rint(total - weights).astype(np.int64)]
    end = np.minimum((total < k).sum(axis=1), total.shape[1] - 1)
    skew, divergence = np.full(len(weights), -np.inf), np.zeros_like(total)
    for group, share in enumerate(expected):
        counted = np.cumsum(weights * (ranking == group), axis=1)
        first = counted[np.arange(len(weights)), end]
        reached = total[np.arange(len(weights)), end]
        skew = np.maximum(skew, np.log(np.maximum(first, 1.0) / reached / share))
        part = counted / np.maximum(total, 1.0)
        divergence += np.where(part > 0, part * np.log(np.where(part > 0, part, 1.0) / share), 0.0)
    return Skews(skew, np.asarray((divergence * weight).sum(axis=1) / weight.sum(axis=1)))


class Effect(NamedTuple):
    """Effect size d with interval and p-value. `low`, `high`: None where a group has one picture, or all are equal."""

    d: float
    p: float
    low: float | None = None
    high: float | None = None


def association(first: Doubles, second: Doubles, *, seed: int, permutations: int = 2000, resamples: int = 1000) -> Effect:
    """WEAT effect size d = (mean X − mean Y) / standard deviation of both (Caliskan et al., 2017).

    X and Y: how much closer each picture of two groups is to one set of words than to another. Two-sided p-value by permutation
    of the groups; interval by a bootstrap within each group. Neither group is empty."""
    both = np.concatenate([first, second])
    spread = float(both.std(ddof=1)) if len(both) > 1 else 0.0
    if spread == 0:
        return Effect(0.0, 1.0)
    observed = float(first.mean() - second.mean())
    extreme = sum(
        int((np.abs(drawn) >= abs(observed) - 1e-12).sum()) for drawn in _permuted_means(both, len(first), seed, permutations)
    )
    p = (extreme + 1) / (permutations + 1)
    if min(len(first), len(second)) < 2:
        return Effect(observed / spread, p)
    draws = _drawn_effects(first, second, seed, resamples)
    low, high = percentile(draws[np.isfinite(draws)], 0.95)
    return Effect(observed / spread, p, float(low), float(high))


def _permuted_means(both: Doubles, size: int, seed: int, permutations: int) -> Iterator[Doubles]:
    """Differences of the two groups' means under random permutations of the groups, in blocks."""
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(both))
    for start in range(0, permutations, block):
        rows = min(block, permutations - start)
        sums = rng.permuted(np.broadcast_to(both, (rows, len(both))), axis=1)[:, :size].sum(axis=1)
        yield sums / size - (both.sum() - sums) / (len(both) - size)


def _drawn_effects(first: Doubles, second: Doubles, seed: int, resamples: int) -> Doubles:
    """[resamples]: the effect size of pictures resampled within each group."""
    sums = [
        resampled_sums(np.column_stack([group, group**2]), seed=seed + number, resamples=resamples)
        for number, group in enumerate((first - first.mean(), second - first.mean()))  # about 0, so that squares keep digits
    ]
    n = len(first) + len(second)
    mean = sums[0][:, 0] / len(first) - sums[1][:, 0] / len(second)
    total, square = (sums[0] + sums[1]).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(mean / np.sqrt((square - total**2 / n) / (n - 1)))
