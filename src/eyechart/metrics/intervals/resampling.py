"""Resampled sums: every function of sums over pictures gets its interval from one set of draws, so that two numbers of the same
pictures are compared on the same draws.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import RESAMPLES

_BLOCK = 1 << 22  # counts held at once
_MANY = 4096  # items, from which on a call for each row costs less than it saves


def clustered_sums(columns: npt.ArrayLike, clusters: Counts | None = None) -> Doubles:
    """Rows [n, m] summed within clusters: [clusters, m]."""
    columns = np.asarray(columns, np.float64)
    if clusters is None:
        return columns
    _, index = np.unique(clusters, return_inverse=True)
    return np.column_stack([np.bincount(index, column) for column in columns.T])


def resampled_sums(
    columns: npt.ArrayLike, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> npt.NDArray[np.float64]:
    """[resamples, m]: sums of the columns over clusters drawn with replacement."""
    sums = clustered_sums(columns, clusters)
    return np.concatenate([counts @ sums for counts in drawn_counts(len(sums), seed=seed, resamples=resamples)])


def drawn_counts(n: int, *, seed: int, resamples: int) -> Iterator[Doubles]:
    """Blocks [b, n]: how often each of n items comes up in n draws."""
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        yield count_draws(rng, n, min(block, resamples - start))


def count_draws(rng: np.random.Generator, n: int, size: int) -> Doubles:
    """[size, n] counts. Drawn one by one and counted, which is three times as fast as multinomial counts of equal chances. Many
    items are counted row by row, so that the counts stay in the processor's cache; the draws are the same."""
    if n < _MANY:
        drawn = rng.integers(0, n, (size, n))
        drawn += n * np.arange(size)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
    counts = np.empty((size, n))
    for of_row in counts:
        of_row[:] = np.bincount(rng.integers(0, n, n), minlength=n)
    return counts
