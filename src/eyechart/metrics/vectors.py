"""Unit vectors, and products of rows."""

from typing import TypeVar, cast

import numpy as np

from eyechart.arrays import Doubles, Floats

Array = TypeVar("Array", Floats, Doubles)

_BLOCK = 1 << 17  # numbers held in float64 at once: few enough to stay in the processor's cache


def row_products(a: Array, b: Array) -> Array:
    """The scalar product of each row of `a` [n, d] with the same row of `b`, in their precision: twice as fast as `einsum`.

    >>> row_products(np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([[1.0, 1.0], [5.0, 1.0]])).tolist()
    [3.0, 3.0]
    """
    return cast(Array, np.matmul(a[:, None, :], b[:, :, None])[:, 0, 0])


def unit(vectors: Floats, *, out: Floats | None = None) -> Floats:
    """Every row divided by its length, which is summed in float64 so that the result is rounded once.

    A row of length zero, or not finite, has no direction: ValueError. `out` may be `vectors` itself, where it is not needed any
    more: ten million vectors are then held once."""
    out = np.empty_like(vectors, dtype=np.float32) if out is None else out
    rows = max(1, _BLOCK // max(1, vectors.shape[1]))
    for start in range(0, len(vectors), rows):
        part = vectors[start : start + rows].astype(np.float64)
        lengths = np.sqrt(np.einsum("nd,nd->n", part, part))
        sound = (lengths > 0) & np.isfinite(lengths)
        if not sound.all():
            raise ValueError(
                f"vector {start + int(np.flatnonzero(~sound)[0])} has no direction: its length is zero or not finite"
            )
        part /= lengths[:, None]
        out[start : start + rows] = part
    return out
