"""Samples of a dataset: seeded, stratified by class, the same on every machine."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt


def stratified_sample(ids: Sequence[str], strata: Sequence[str | None], size: int, seed: int) -> npt.NDArray[np.int64]:
    """A stratified sample of `size` rows, in ascending order.

    Within a class, rows are ordered by a hash of seed and id, which depends neither on the order of rows nor on a library's
    random numbers. The k-th of m rows of a class has the priority (k + ½)/m, and the lowest priorities are taken, so that
    classes keep their proportions; a hash of the class breaks ties."""
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
    """A sample of up to `size` rows that consists of whole pairs, ordered by a hash of seed and ids."""
    chosen: set[str] = set()
    for pair in sorted(set(pairs), key=lambda pair: _draw(seed, "pair", "\n".join(pair))):
        if len(chosen | {*pair}) <= size:
            chosen |= {*pair}
    return np.array([row for row, name in enumerate(ids) if name in chosen], np.int64)


def filmed_sample(ids: Sequence[str], around: Sequence[Sequence[str]], size: int, seed: int) -> npt.NDArray[np.int64]:
    """A sample of up to `size` rows that consists of frames with all frames `around` them, ordered by a hash of seed and id.

    At least one frame with its neighbors is taken."""
    anchors = sorted((row for row, near in enumerate(around) if near), key=lambda row: _draw(seed, "film", ids[row]))
    chosen: set[str] = set()
    for row in anchors:
        piece = {ids[row], *around[row]}
        if not chosen or len(chosen | piece) <= size:
            chosen |= piece
    return np.array([row for row, name in enumerate(ids) if name in chosen], np.int64)


def _draw(seed: int, role: str, name: str) -> int:
    return int.from_bytes(sha256(f"{seed}\n{role}\n{name}".encode()).digest()[:8], "big") >> 1
