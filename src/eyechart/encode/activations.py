"""Activations such as patch tokens and attention: computed on demand, batch by batch, and not stored."""

from collections.abc import Iterator, Sequence

import numpy as np

from eyechart.arrays import Floats
from eyechart.encode.batches import prepared_batches
from eyechart.encode.cores import usable_cores
from eyechart.encode.engine import Compute, Decode, PictureWork
from eyechart.encode.preparation import Preparation, Prepared
from eyechart.errors import DataError, ModelError
from eyechart.models.encoder import EncodesImages


class PictureLost(DataError):
    """A picture that has a vector but cannot be decoded now: its file is missing or has changed."""


def compute_activations(
    encoder: EncodesImages, pictures: Sequence[PictureWork], *, compute: Compute, decode: Decode, batch_size: int
) -> Floats:
    """[n, …]: the result of `compute` for the prepared pictures, in order.

    While the network runs one batch, threads decode the next; memory holds the result and two batches. PictureLost names the
    first missing picture."""
    parts = []
    for prepared in _prepared(encoder, pictures, decode, batch_size):
        assert prepared.pictures is not None
        computed = compute(prepared.pictures)
        if len(computed) != len(prepared.keys):
            raise ModelError(f"{encoder.spec}: gave an array of shape {computed.shape} for {len(prepared.keys)} pictures")
        parts.append(np.array(computed, dtype=np.float32, order="C"))  # a copy: the network may reuse its output buffer
    return np.concatenate(parts) if parts else np.empty((0,), np.float32)


def _prepared(encoder: EncodesImages, pictures: Sequence[PictureWork], decode: Decode, batch_size: int) -> Iterator[Prepared]:
    preparation = Preparation(decode, encoder.prepare, batch_size=batch_size, workers=max(2, usable_cores()))
    batches = [pictures[start : start + batch_size] for start in range(0, len(pictures), batch_size)]
    try:
        for batch, prepared in prepared_batches(preparation, batches, ahead=1):
            _refuse_lost(batch.works, prepared)
            yield prepared
    finally:
        preparation.stop()


def _refuse_lost(works: Sequence[PictureWork], prepared: Prepared) -> None:
    lost = {**prepared.broken, **prepared.unread}
    for work in works:
        if work.key in lost:
            raise PictureLost(f"{work.place()}: {lost[work.key]}")
