"""Which pictures a model is asked about, and random draws for each that do not depend on the other pictures.

A reply is kept by picture and question. Draws follow from the picture's id alone, so that a picture that is added or set aside
leaves the questions about the others as they are.
"""

import hashlib
from collections.abc import Sequence

import numpy as np

from eyechart.arrays import Indices


def rng_of(id: str, seed: int, purpose: str = "") -> np.random.Generator:
    """A generator for one picture."""
    digest = hashlib.sha256(f"{seed}/{purpose}/{id}".encode("utf-8", "surrogateescape")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def asked_rows(ids: Sequence[str], truth: Indices, most: int, seed: int) -> Indices:
    """At most `most` labeled rows (0 for all), in their order: a sample with as equal numbers of each class as there are."""
    labeled = [int(row) for row in np.flatnonzero(truth >= 0)]
    if not most or len(labeled) <= most:
        return np.array(labeled, np.int64)
    order = sorted(labeled, key=lambda row: hashlib.sha256(f"{seed}/{ids[row]}".encode("utf-8", "surrogateescape")).digest())
    rank: dict[int, int] = {}
    turns = []
    for row in order:
        label = int(truth[row])
        rank[label] = rank.get(label, -1) + 1
        turns.append((rank[label], row))
    turns.sort(key=lambda turn: turn[0])  # stable: within a turn in random order
    return np.array(sorted(row for _, row in turns[:most]), np.int64)
