"""Pairs of vectors that are almost equal."""

import numpy as np

from eyechart.arrays import Floats, Indices

_BLOCK = 2048  # rows on either side whose products are held at once


def near_pairs(a: Floats, b: Floats | None, least: float, most: int) -> Indices:
    """[m, 2]: the pairs of rows with a cosine of at least `least`, the highest first, at most `most`.

    Args:
        a: [n, d] unit vectors.
        b: [m, d] unit vectors; None for pairs within `a`, each once.
        least: The lowest cosine.
        most: The number of pairs that are kept.
    """
    other = a if b is None else b
    values, pairs = np.empty(0, np.float32), np.empty((0, 2), np.int64)
    for i in range(0, len(a), _BLOCK):
        for j in range(i if b is None else 0, len(other), _BLOCK):
            cosines = a[i : i + _BLOCK] @ other[j : j + _BLOCK].T
            # Where vectors are all alike, nearly all pairs are near: what cannot be among the highest is not listed.
            lowest = least if len(values) < most else max(least, float(values.min(initial=np.inf)))
            near = cosines >= lowest
            if b is None and i == j:
                near &= np.arange(near.shape[0])[:, None] < np.arange(near.shape[1])
            rows, columns = np.nonzero(near)
            values = np.concatenate([values, cosines[rows, columns]])
            pairs = np.concatenate([pairs, np.column_stack([rows + i, columns + j])])
            if len(values) > most:
                high = values >= np.partition(values, len(values) - most)[len(values) - most]
                values, pairs = values[high], pairs[high]
                order = _order(values, pairs)[:most]
                values, pairs = values[order], pairs[order]
    return np.asarray(pairs[_order(values, pairs)])


def _order(values: Floats, pairs: Indices) -> Indices:
    """The highest first, equal ones by their rows."""
    return np.asarray(np.lexsort((pairs[:, 1], pairs[:, 0], -values)))
