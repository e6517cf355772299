"""Batches on their way through the network: decoded ahead by threads, computed, and checked."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from eyechart.arrays import Floats
from eyechart.encode.engine import Compute, PictureWork
from eyechart.encode.preparation import Preparation, Prepared, PreparingBatch
from eyechart.encode.shelf import Key
from eyechart.encode.validate import as_vectors, faults
from eyechart.models.abilities import has_members
from eyechart.models.encoder import EncodesImages, StartsImages

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


class Passes:
    """The batches of one run on their way through the network.

    A model with `start_images` takes several batches before it returns the vectors of the first: on a GPU they are computed
    together, and copied while others are computed. Every other model computes a batch at once.

    Args:
        encoder: The model.
        compute: What is computed; None for `encoder.encode_images`.
    """

    def __init__(self, encoder: EncodesImages, compute: Compute | None) -> None:
        self._encoder, self._compute = encoder, compute or encoder.encode_images
        # A method is equal to itself, however it was looked up.
        self._starts = has_members(encoder, "start_images") and self._compute == encoder.encode_images

    @property
    def in_flight(self) -> int:
        """How many pictures may be started before the first ones are collected."""
        return cast(StartsImages, self._encoder).in_flight if self._starts else 0

    def start(self, prepared: Prepared) -> Callable[[], ComputedBatch]:
        """Start a prepared batch, and return what collects it. Its array can be used again when this returns."""
        if prepared.pictures is None:
            return lambda: ComputedBatch([], np.empty((0, 0), np.float32), prepared.broken, 0)
        if self._starts:
            collect = cast(StartsImages, self._encoder).start_images(prepared.pictures)
            return lambda: _checked(prepared, collect(), self._encoder.spec)
        computed = _checked(prepared, self._compute(prepared.pictures), self._encoder.spec)
        return lambda: computed


def computed_batches(passes: Passes, batches: Iterable[Prepared]) -> Iterator[tuple[Prepared, ComputedBatch]]:
    """The batches in order, as many in flight as the model takes."""
    started: deque[tuple[Prepared, Callable[[], ComputedBatch]]] = deque()
    flying = 0
    for prepared in batches:
        started.append((prepared, passes.start(prepared)))
        flying += len(prepared.keys)
        while started and flying > passes.in_flight:
            first, collect = started.popleft()
            flying -= len(first.keys)
            yield first, collect()
    yield from ((prepared, collect()) for prepared, collect in started)


def _checked(prepared: Prepared, computed: Floats, spec: str) -> ComputedBatch:
    """Pictures with an invalid vector are broken ones."""
    keys, broken = prepared.keys, prepared.broken
    vectors = as_vectors(computed, len(keys), spec)
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
