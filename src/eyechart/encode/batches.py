"""Batches on their way through the network: decoded ahead by threads, computed, and checked."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Floats
from eyechart.encode.engine import Compute, PictureWork
from eyechart.encode.preparation import Preparation, Prepared, PreparingBatch
from eyechart.encode.shelf import Key
from eyechart.encode.validate import as_vectors, faults

AHEAD = 2  # batches in preparation while the network runs


@dataclass(frozen=True)
class ComputedBatch:
    """A batch that went through the network.

    keys: The keys of pictures with a valid vector.
    vectors: [n, d] their vectors.
    broken: Pictures that can never have one, with the reason.
    encoded: How many pictures went through the network.
    """

    keys: list[Key]
    vectors: Floats
    broken: dict[Key, str]
    encoded: int


def compute_batch(prepared: Prepared, compute: Compute, spec: str) -> ComputedBatch:
    """Run the network on a prepared batch. Pictures with an invalid vector are broken ones."""
    keys, broken = prepared.keys, prepared.broken
    if prepared.pictures is None:
        return ComputedBatch([], np.empty((0, 0), np.float32), broken, 0)
    vectors = as_vectors(compute(prepared.pictures), len(keys), spec)
    encoded = len(keys)
    if bad := faults(vectors):
        broken = {**broken, **{keys[row]: reason for row, reason in bad.items()}}
        vectors = np.delete(vectors, list(bad), axis=0)
        keys = [key for row, key in enumerate(keys) if row not in bad]
    return ComputedBatch(keys, vectors, broken, encoded)


def prepared_batches(
    preparation: Preparation, batches: Sequence[Sequence[PictureWork]], ahead: int = AHEAD
) -> Iterator[tuple[PreparingBatch, Prepared]]:
    """The batches in order, each prepared while the ones before it are used. A batch is valid until the next one is taken."""
    waiting: deque[PreparingBatch] = deque()
    for number in range(len(batches) + ahead):
        if number < len(batches):
            waiting.append(preparation.start(batches[number]))
        if number >= ahead and waiting:
            batch = waiting.popleft()
            yield batch, batch.finish()
            batch.release()
