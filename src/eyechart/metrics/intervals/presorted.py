"""Rows sorted once by a score, then resampled as weights: a curve over all thresholds needs no new sort."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import RESAMPLES
from eyechart.metrics.intervals.resampling import count_draws

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PLACES = 1024  # more than these are joined while resampling; the value itself is never computed from joined places
_BLOCK = 1 << 22  # numbers held at once


@dataclass(frozen=True)
class Places:
    """Positions in falling order of the score; rows with equal scores share one.

    of_row: The position of each row.
    scores: The lowest score at each position.
    """

    of_row: Counts
    scores: Doubles

    def __len__(self) -> int:
        return len(self.scores)

    def weigh(self, weights: npt.ArrayLike) -> Doubles:
        """The weights of all rows, summed at each place."""
        return np.asarray(np.bincount(self.of_row, np.asarray(weights, np.float64), minlength=len(self)), np.float64)


def sort_once(scores: npt.ArrayLike, most: int | None = None) -> Places:
    """One place a distinct score; with `most`, neighbors are joined until there are at most so many, with as many rows each as
    ties allow."""
    scores = np.asarray(scores, np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("a score is not a finite number")
    falling, of_row, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    of_row = of_row.reshape(-1)
    if most is None or len(falling) <= most:
        return Places(of_row, -falling)
    joined = (np.cumsum(sizes) - sizes) * most // len(scores)
    _, joined = np.unique(joined, return_inverse=True)
    last = np.flatnonzero(np.diff(joined, append=joined[-1] + 1))
    return Places(joined[of_row], -falling[last])


def resampled_places(
    places: Places,
    columns: Doubles,
    *,
    seed: int,
    clusters: Counts | None = None,
    strata: Counts | None = None,
    resamples: int = RESAMPLES,
) -> Iterator[Doubles]:
    """Blocks [b, m, places]: the columns [n, m] of rows, summed at their places, in resamples of the rows.

    Within each stratum as many clusters are drawn as it has; where every row is a cluster, rows of one place and equal
    columns are drawn as counts."""
    n, m = columns.shape
    strata = np.zeros(n, np.int64) if strata is None else strata
    kinds = [_kinds(places, columns, np.flatnonzero(strata == s), clusters) for s in np.unique(strata)]
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // (m * len(places) + max(len(counts) for counts, _ in kinds)))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        sums = np.zeros((m * len(places), size))
        for counts, matrix in kinds:
            sums += matrix @ _draw(rng, counts, size).T
        yield sums.T.reshape(size, m, len(places))


def _kinds(places: Places, columns: Doubles, rows: Counts, clusters: Counts | None) -> "tuple[Counts, csr_matrix]":
    """How many clusters there are of each kind, and what one adds: [columns × places, kinds]."""
    from scipy.sparse import csr_matrix  # takes a while to load

    of_row, values = places.of_row[rows], columns[rows]
    of_kind = np.arange(len(rows)) if clusters is None else np.unique(clusters[rows], return_inverse=True)[1]
    counts = np.ones(int(of_kind.max()) + 1, np.int64)
    if len(counts) == len(rows):
        key = of_row
        for column in values.T:  # unique rows, found by numbering the values: far faster than comparing rows
            different, code = np.unique(column, return_inverse=True)
            key = key * len(different) + code
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        of_row, values, of_kind = of_row[first], values[first], np.arange(len(first))
    size, m = len(places), values.shape[1]
    where = np.concatenate([of_row + c * size for c in range(m)])
    shape = (m * size, len(counts))
    return counts, csr_matrix((values.T.ravel(), (where, np.tile(of_kind, m))), shape=shape)


def _draw(rng: np.random.Generator, counts: Counts, size: int) -> Doubles:
    total = int(counts.sum())
    if len(counts) == total:
        return count_draws(rng, total, size)
    return rng.multinomial(total, counts / total, size=size).astype(np.float64)
