"""Slices of a dataset compared with the whole, and the worst slice with an interval that accounts for its selection."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles, Flags
from eyechart.metrics.intervals import FEW, RESAMPLES, Interval, percentile, wilson
from eyechart.metrics.intervals.block_permutation import permute_blocks
from eyechart.metrics.special import betaincinv

_BLOCK = 1 << 22  # numbers held in memory at once while permuting


@dataclass(frozen=True)
class SliceShare:
    """The share of hits on a slice and on all rows.

    clusters: Number of clusters in the slice. right: Number of them that are hits. draws: [B, 2] both shares on the same
    resamples, so that difference and ratio are paired."""

    n: int
    share: float
    of_all: float
    clusters: int
    clusters_of_all: int
    right: float
    draws: Doubles

    @property
    def gap(self) -> float:
        return self.share - self.of_all

    def gap_interval(self, level: float = 0.95) -> tuple[Interval, str]:
        """Bootstrap over clusters; by Wilson's interval where the slice has fewer than `FEW` hits or misses."""
        if self._few:
            return self.score_gap_interval(level), f"Wilson, {level:.0%}"
        return percentile(self.draws[:, 0] - self.draws[:, 1], level), f"bootstrap over pictures, {level:.0%}"

    def score_gap_interval(self, level: float) -> Interval:
        """Wilson's interval of the share, for the n that gives the variance of a gap (1/k = 1/k_slice − 1/k_all), minus the share
        of all. It stays honest at levels near 1, where percentiles of draws do not, and for a handful of misses."""
        part = 1 - self.clusters / self.clusters_of_all
        if part <= 0:
            return Interval(0.0, 0.0)
        k = self.clusters / part
        low, high = wilson(self.share * k, k, level)
        return Interval(float(low) - self.of_all, float(high) - self.of_all)

    @property
    def _few(self) -> bool:
        return min(self.right, self.clusters - self.right) < FEW


def slice_share(
    hits: npt.ArrayLike, members: Flags, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> SliceShare:
    """`members` marks the rows of the slice, at least one. Rows of one cluster are resampled together; equal clusters are
    resampled as counts, so that 50,000 pictures cost no more than their distinct kinds."""
    hits, inside = np.asarray(hits, float), members.astype(float)
    columns = np.column_stack([hits * inside, inside, hits, np.ones(len(hits))])
    if clusters is not None:
        _, index = np.unique(clusters, return_inverse=True)
        columns = np.column_stack([np.bincount(index, column) for column in columns.T])
    kinds, counts = _kinds(columns)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(columns), counts / len(columns), size=resamples).astype(float) @ kinds
    part = columns[:, 1] > 0
    share, of_all = columns[:, 0].sum() / columns[:, 1].sum(), float(hits.mean())
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.column_stack([drawn[:, 0] / drawn[:, 1], drawn[:, 2] / drawn[:, 3]])
    return SliceShare(
        n=int(members.sum()),
        share=float(share),
        of_all=of_all,
        clusters=int(part.sum()),
        clusters_of_all=len(columns),
        right=float((columns[part, 0] / columns[part, 1]).sum()),
        draws=np.where(np.isnan(draws), share, draws),
    )


def _kinds(columns: Doubles) -> tuple[Doubles, Counts]:
    """Distinct rows of a table of small whole numbers, and how often each occurs."""
    widths = columns.max(axis=0) + 1
    if widths.prod() > 2**52 or (columns % 1).any():
        return np.unique(columns, axis=0, return_counts=True)
    steps = np.append(widths[::-1].cumprod()[-2::-1], 1.0)
    _, first, counts = np.unique(columns @ steps, return_index=True, return_counts=True)
    return columns[first], counts


def sidak_level(level: float, looked_at: int) -> float:
    """The level of each of `looked_at` intervals at which all hold together with probability `level`: level^(1/looked_at)
    (Šidák, 1967).

    The largest of many values needs an interval of that level.
    """
    return float(level ** (1 / max(looked_at, 1)))


def worst_gap_interval(
    hits: npt.ArrayLike, members: Flags, *, looked_at: int, clusters: Counts | None = None, level: float = 0.95
) -> Interval:
    """Interval of (share of hits on a slice − share on all rows) for the lowest of `looked_at` slices.

    At the level at which the intervals of all of them hold together with probability `level` (`sidak_level`). So near 1 neither
    draws nor Wilson's interval can be trusted for a handful of misses, and Jeffreys' can (Brown, Cai and DasGupta, 2001):
    quantiles of Beta(h + ½, k − h + ½), for the k that gives the variance of a gap, k = k_slice / (1 − part of the rows that the
    slice is), minus the share of all. Clusters count as one row each; a cluster with rows inside and outside, such as a scene
    that is shown with a factor and without, is counted as if its rows were independent, which makes the interval no shorter.
    The slice is not empty.
    """
    hits = np.asarray(hits, float)
    inside = int(members.sum()) if clusters is None else len(np.unique(clusters[members]))
    if members.all():
        return Interval(0.0, 0.0)
    share, k = hits[members].mean(), inside / (1 - float(members.mean()))
    tail = (1 - sidak_level(level, looked_at)) / 2
    low = betaincinv(share * k + 0.5, (1 - share) * k + 0.5, tail) if share > 0 else 0.0
    high = betaincinv(share * k + 0.5, (1 - share) * k + 0.5, 1 - tail) if share < 1 else 1.0
    return Interval(float(low - hits.mean()), float(high - hits.mean()))


def lowest_slice_p_values(
    hits: npt.ArrayLike, members: Flags, *, seed: int, scenes: Counts | None = None, permutations: int = 1000
) -> Doubles:
    """[S] p-values of "this slice has fewer hits than under the null hypothesis", corrected for testing all of `members` [n, S].

    Hits are permuted among the rows, and z = (share of the slice − share of all) / its standard deviation over permutations.
    The p-value of a slice is the share of permutations, the observed one included, in which the lowest z of any slice is no
    higher than its own. This controls the family-wise error for any overlap of slices (Westfall and Young, 1993).

    Rows are independent, and the deviation is √(p(1−p)(1/n_s − 1/n)); or rows with equal numbers in `scenes` vary together,
    hits are permuted by scene (`permute_blocks`), and the deviation is that of the permutations. Rows that are in the same
    slices are drawn as counts, so that 50,000 pictures cost no more than their distinct kinds."""
    hits = np.asarray(hits, bool)
    n, total = len(hits), int(hits.sum())
    if members.shape[1] == 0 or total in (0, n):
        return np.ones(members.shape[1])
    _, first, kind = np.unique(_row_keys(members), return_index=True, return_inverse=True)
    kinds, counts = members[first].astype(float), np.bincount(kind)
    size = members.sum(axis=0)
    by_scene = scenes is not None and len(np.unique(scenes)) < n

    def gaps(hits_of_kinds: npt.NDArray[np.number[Any]]) -> Doubles:
        found: Doubles = hits_of_kinds @ kinds / size - hits_of_kinds.sum(axis=-1, keepdims=True) / n
        return found

    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // max(*kinds.shape, n if by_scene else 1))
    permuted = []
    for start in range(0, permutations, block):
        rows = min(block, permutations - start)
        if scenes is not None and by_scene:
            permuted.append(gaps(permute_blocks(hits, kind, scenes, permutations=rows, rng=rng)))
        else:
            permuted.append(gaps(rng.multivariate_hypergeometric(counts, total, size=rows, method="marginals")))
    by_chance, real = np.concatenate(permuted), gaps(np.bincount(kind, hits))
    if by_scene:
        deviation = np.sqrt(((by_chance**2).sum(axis=0) + real**2) / (permutations + 1))
    else:
        deviation = np.sqrt(total / n * (1 - total / n) * (1 / size - 1 / n))
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    ordered = np.sort((by_chance * scale).min(axis=1))
    at_most = np.searchsorted(ordered, real * scale + 1e-9, side="right")
    p_values: Doubles = (1 + at_most) / (1 + permutations)
    return p_values


def _row_keys(members: Flags) -> npt.NDArray[np.uint64]:
    """A number a row, the same where rows are equal. Sums of random 64-bit words: two different rows share one with probability
    2⁻⁶⁴, and sorting numbers is far faster than sorting rows."""
    words = np.random.default_rng(0).integers(0, 2**64, size=(members.shape[1],), dtype=np.uint64)
    keys = np.zeros(len(members), np.uint64)
    for column, word in zip(members.T, words, strict=True):
        keys[column] += word
    return keys
