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
    found: list[tuple[float, int, int]] = []
    for i in range(0, len(a), _BLOCK):
        for j in range(i if b is None else 0, len(other), _BLOCK):
            cosines = a[i : i + _BLOCK] @ other[j : j + _BLOCK].T
            rows, columns = np.nonzero(cosines >= least)
            kept = (rows + i < columns + j) if b is None else np.ones(len(rows), bool)
            found += zip(cosines[rows[kept], columns[kept]].tolist(), rows[kept] + i, columns[kept] + j, strict=True)
        if len(found) > 4 * most:
            found = sorted(found, key=lambda pair: (-pair[0], pair[1], pair[2]))[:most]
    found = sorted(found, key=lambda pair: (-pair[0], pair[1], pair[2]))[:most]
    return np.array([(x, y) for _, x, y in found], np.int64).reshape(-1, 2)
