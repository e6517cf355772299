"""A part of a dataset: seeded, every class in proportion, the same on every machine."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt


def stratified_sample(ids: Sequence[str], strata: Sequence[str | None], size: int, seed: int) -> npt.NDArray[np.int64]:
    """`size` rows in ascending order. Within a class, rows are drawn by a hash of seed and id, which depends neither on the order
    of rows nor on a library's random numbers. The k-th of a class of m rows has the priority (k + ½)/m and the lowest ones are
    taken, so that classes share in proportion; a hash of the class settles ties."""
    if size >= len(ids):
        return np.arange(len(ids))
    draws = np.array([_draw(seed, "row", name) for name in ids])
    names, codes = np.unique([stratum or "" for stratum in strata], return_inverse=True)
    ties = np.array([_draw(seed, "class", str(name)) for name in names])[codes]
    order = np.lexsort((draws, codes))
    counts = np.bincount(codes, minlength=len(names))
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    priority = np.empty(len(ids))
    priority[order] = (np.arange(len(ids)) - begins[codes[order]] + 0.5) / counts[codes[order]]
    return np.sort(np.lexsort((ties, priority))[:size]).astype(np.int64)


def paired_sample(ids: Sequence[str], pairs: Sequence[tuple[str, str]], size: int, seed: int) -> npt.NDArray[np.int64]:
    """Up to `size` rows in ascending order that make whole pairs, drawn by a hash of seed and ids: half a pair shows nothing."""
    chosen: set[str] = set()
    for pair in sorted(set(pairs), key=lambda pair: _draw(seed, "pair", "\n".join(pair))):
        if len(chosen | {*pair}) <= size:
            chosen |= {*pair}
    return np.array([row for row, name in enumerate(ids) if name in chosen], np.int64)


def filmed_sample(ids: Sequence[str], around: Sequence[Sequence[str]], size: int, seed: int) -> npt.NDArray[np.int64]:
    """Up to `size` rows in ascending order that make whole pieces of film: a frame with all the frames `around` it, drawn by a
    hash of seed and id; at least one piece."""
    anchors = sorted((row for row, near in enumerate(around) if near), key=lambda row: _draw(seed, "film", ids[row]))
    chosen: set[str] = set()
    for row in anchors:
        piece = {ids[row], *around[row]}
        if not chosen or len(chosen | piece) <= size:
            chosen |= piece
    return np.array([row for row, name in enumerate(ids) if name in chosen], np.int64)


def _draw(seed: int, role: str, name: str) -> int:
    return int.from_bytes(sha256(f"{seed}\n{role}\n{name}".encode()).digest()[:8], "big") >> 1
