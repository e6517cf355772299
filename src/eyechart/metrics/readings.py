"""How logits are read as probabilities: softmax, one answer among the classes, or sigmoid, each class by itself (SigLIP).

Both give a confidence for the best class, a negative log-likelihood and a Brier score a picture, and the derivatives that a
temperature fit needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from eyechart.metrics.logits import LogitBlocks

Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Reading = Literal["softmax", "sigmoid"]


@dataclass(frozen=True)
class Readout:
    """What a model says of every picture at one temperature. `nll` in nats; `brier`: Σ_c (p_c − y_c)²."""

    confidence: Doubles
    nll: Doubles
    brier: Doubles


def read(
    logits: LogitBlocks, truth: Indices | Flags, temperatures: Sequence[float], reading: Reading = "softmax"
) -> tuple[Indices, list[Readout]]:
    """The first best class of every picture, which no temperature changes, and a readout at each temperature, in one pass.

    truth [n]: the true class. Or truth [n, C]: all classes that are right; they count as one class whose probability is the sum
    (softmax) or the largest (sigmoid) of theirs."""
    n = len(logits)
    predicted = np.empty(n, np.int64)
    outs = [Readout(*(np.empty(n) for _ in range(3))) for _ in temperatures]
    for rows, block in logits.blocks():
        predicted[rows] = block.argmax(axis=1)
        right = _right(truth[rows], block.shape[1])
        for out, temperature in zip(outs, temperatures, strict=True):
            scored = _softmax if reading == "softmax" else _sigmoid
            out.confidence[rows], out.nll[rows], out.brier[rows] = scored(block / temperature, right)
    return predicted, outs


@dataclass(frozen=True)
class _Right:
    """Places of the right classes in a block: their rows, which rise, and columns; `starts`: where each row's begin."""

    rows: Indices
    columns: Indices
    starts: Indices


def _right(truth: Indices | Flags, classes: int) -> _Right:
    if truth.ndim == 1:
        rows = np.arange(len(truth))
        return _Right(rows, truth.astype(np.int64), rows)
    rows, columns = np.nonzero(truth)
    return _Right(rows, columns, np.searchsorted(rows, np.arange(len(truth))))


def probabilities(logits: Doubles, temperature: float = 1.0, reading: Reading = "softmax") -> Doubles:
    """Of one block [rows, C]."""
    scaled = logits / temperature
    if reading == "sigmoid":
        return np.asarray(expit(scaled))
    scaled -= scaled.max(axis=1, keepdims=True)
    np.exp(scaled, out=scaled)
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def _softmax(z: Doubles, right: _Right) -> tuple[Doubles, Doubles, Doubles]:
    z -= z.max(axis=1, keepdims=True)
    own = np.logaddexp.reduceat(z[right.rows, right.columns], right.starts)
    # Exponentials in single precision take a third of the time, and cosines are known to no more digits; sums are double again.
    e = np.exp(z.astype(np.float32))
    whole = e.sum(axis=1, dtype=np.float64)
    squares = np.einsum("nc,nc->n", e, e) - np.add.reduceat(e[right.rows, right.columns].astype(np.float64) ** 2, right.starts)
    return 1 / whole, np.log(whole) - own, (1 - np.exp(own) / whole) ** 2 + np.maximum(squares, 0.0) / whole**2


def _sigmoid(z: Doubles, right: _Right) -> tuple[Doubles, Doubles, Doubles]:
    """The likelihood is that of C yes-or-no answers, one a class."""
    of_right = z[right.rows, right.columns]
    own = np.maximum.reduceat(of_right, right.starts)
    losses = np.logaddexp(0, z).sum(axis=1) - np.add.reduceat(np.logaddexp(0, of_right), right.starts)
    p = expit(z)
    squares = np.einsum("nc,nc->n", p, p) - np.add.reduceat(expit(of_right) ** 2, right.starts)
    return p.max(axis=1), losses + np.logaddexp(0, -own), expit(-own) ** 2 + squares


def slopes(z: Doubles, truth: Indices, inverse: float, reading: Reading) -> tuple[Doubles, Doubles]:
    """First and second derivative of each picture's NLL by the inverse temperature b.

    Softmax: E_p[z] − z_y and Var_p[z] under p = softmax(b·z). Sigmoid: Σ_c σ(b·z_c)·z_c − z_y and Σ_c σ(1−σ)·z_c². Both second
    derivatives are positive, so the NLL has one minimum in b, and so in log T.
    """
    if reading == "sigmoid":
        p = expit(inverse * z)
        own = np.take_along_axis(z, truth[:, None], axis=1)[:, 0]
        return np.einsum("nc,nc->n", p, z) - own, np.einsum("nc,nc,nc->n", p * (1 - p), z, z)
    below = z - z.max(axis=1, keepdims=True)
    own = np.take_along_axis(below, truth[:, None], axis=1)[:, 0]
    p = np.exp(inverse * below)
    whole = p.sum(axis=1)
    p *= below
    mean = p.sum(axis=1) / whole
    return mean - own, np.maximum(np.einsum("nc,nc->n", p, below) / whole - mean**2, 0.0)
