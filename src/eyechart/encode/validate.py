"""Checks of a network's output."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.errors import ModelError


def as_vectors(given: npt.NDArray[np.generic], n: int, spec: str) -> Floats:
    """[n, d] float32, copied: the network may reuse its output buffer."""
    if given.ndim != 2 or len(given) != n or given.shape[1] == 0:
        raise ModelError(f"{spec}: gave an array of shape {given.shape} for {n} inputs; one vector each is needed")
    return np.array(given, dtype=np.float32, order="C")


def faults(vectors: Floats) -> dict[int, str]:
    """Rows that are not valid vectors, with the reason."""
    # The sum of squares is finite and positive for all valid rows; only the others are checked one by one.
    squares = np.einsum("nd,nd->n", vectors, vectors)
    odd = np.flatnonzero(~(np.isfinite(squares) & (squares > 0)))
    return {int(row): fault for row in odd if (fault := _fault(vectors[row])) is not None}


def _fault(vector: Floats) -> str | None:
    if bool(np.isnan(vector).any()):
        return "the model's vector contains NaN"
    if bool(np.isinf(vector).any()):
        return "the model's vector is infinite"
    if not vector.any():
        return "the model's vector is zero"
    return None
