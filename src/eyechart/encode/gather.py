"""Vectors from a shelf, as the arrays that probes work on."""

from collections.abc import Sequence

import numpy as np

from eyechart.encode.shelf import Key, Shelf
from eyechart.errors import ModelError
from eyechart.models.encoder import Floats

_ROWS = 65536  # at a time, so that a million vectors need no second copy


def gather(shelf: Shelf, keys: Sequence[Key]) -> Floats:
    """[n, d] in the order of `keys`, repeats and all; KeyError for the first that the shelf lacks."""
    return shelf.get(keys)


def unit(vectors: Floats) -> Floats:
    """Every row divided by its length. The length is summed in float64 and the division rounds once."""
    out = np.empty_like(vectors, dtype=np.float32)
    for start in range(0, len(vectors), _ROWS):
        part = vectors[start : start + _ROWS].astype(np.float64)
        lengths = np.sqrt(np.einsum("nd,nd->n", part, part))
        if not bool(np.all((lengths > 0) & np.isfinite(lengths))):
            row = start + int(np.flatnonzero(~((lengths > 0) & np.isfinite(lengths)))[0])
            raise ModelError(
                f"vector {row} has length {lengths[row - start]}: it points nowhere; encode it again or leave it out"
            )
        out[start : start + _ROWS] = part / lengths[:, None]
    return out
