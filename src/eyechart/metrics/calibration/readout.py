"""How logits become probabilities: softmax over the classes, or sigmoid for each class alone (SigLIP).

Both give a confidence of the predicted class, a negative log-likelihood and a Brier score per picture, and the derivatives that
a temperature fit needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.special import expit
from eyechart.metrics.vectors import row_products

Scored = tuple[Doubles, Doubles, Doubles]  # confidence, nll, brier
Reading = Literal["softmax", "sigmoid"]


@dataclass(frozen=True)
class Readout:
    """Confidence, negative log-likelihood in nats and Brier score Σ_c (p_c − y_c)² of every picture, at one temperature."""

    confidence: Doubles
    nll: Doubles
    brier: Doubles


def read(
    logits: LogitBlocks, truth: Indices | Flags, temperatures: Sequence[float], reading: Reading = "softmax"
) -> tuple[Indices, list[Readout]]:
    """The predicted class of every picture, which no temperature changes, and a readout at each temperature, in one pass.

    truth [n]: the true class. Or truth [n, C]: all classes that count as correct; their probability is the sum (softmax) or the
    largest (sigmoid) of theirs.
    """
    n = len(logits)
    predicted = np.empty(n, np.int64)
    outs = [Readout(*(np.empty(n) for _ in range(3))) for _ in temperatures]
    scores = _softmax if reading == "softmax" else _sigmoid
    for rows, block in logits.blocks():
        best = block.argmax(axis=1)
        predicted[rows] = best
        right = _right(truth[rows], block.shape[1])
        for out, scored in zip(outs, scores(block, best, right, temperatures), strict=True):
            out.confidence[rows], out.nll[rows], out.brier[rows] = scored
    return predicted, outs


@dataclass(frozen=True)
class _Right:
    """Positions of the correct classes in a block: sorted rows, columns, and `starts`, where each row begins."""

    rows: Indices
    columns: Indices
    starts: Indices


def _right(truth: Indices | Flags, classes: int) -> _Right:
    if truth.ndim == 1:
        rows = np.arange(len(truth))
        return _Right(rows, truth.astype(np.int64), rows)
    rows, columns = np.nonzero(truth)
    return _Right(rows, columns, np.searchsorted(rows, np.arange(len(truth))))


def probabilities(logits: Doubles, temperature: float = 1.0, reading: Reading = "softmax") -> npt.NDArray[np.float32]:
    """Of one block [rows, C], in single precision. The logits are overwritten."""
    if reading == "sigmoid":
        return np.asarray(expit(logits / temperature), np.float32)
    p = _exponentials(_below(logits, logits.max(axis=1)), temperature)
    p /= p.sum(axis=1, dtype=np.float64).astype(np.float32)[:, None]
    return p


def _below(z: Doubles, best: Doubles) -> npt.NDArray[np.float32]:
    """Logits minus the largest of their row, in single precision: exponentials take a third of the time, and cosines have no more
    digits. Sums are in double precision. The logits are overwritten.
    """
    z -= best[:, None]
    return z.astype(np.float32)


def _exponentials(below: npt.NDArray[np.float32], temperature: float) -> npt.NDArray[np.float32]:
    if temperature == 1.0:
        return np.exp(below)
    scaled = np.divide(below, np.float32(temperature))
    return np.exp(scaled, out=scaled)


def _softmax(z: Doubles, best: Indices, right: _Right, temperatures: Sequence[float]) -> Iterator[Scored]:
    highest = z[np.arange(len(z)), best]
    right_below = z[right.rows, right.columns] - highest[right.rows]
    below = _below(z, highest)
    for temperature in temperatures:
        own = np.logaddexp.reduceat(right_below / temperature, right.starts)
        e = _exponentials(below, temperature)
        whole = e.sum(axis=1, dtype=np.float64)
        of_right = np.add.reduceat(e[right.rows, right.columns].astype(np.float64) ** 2, right.starts)
        squares = np.maximum(row_products(e, e) - of_right, 0.0)
        yield 1 / whole, np.log(whole) - own, (1 - np.exp(own) / whole) ** 2 + squares / whole**2


def _sigmoid(z: Doubles, _: Indices, right: _Right, temperatures: Sequence[float]) -> Iterator[Scored]:
    """The likelihood of C independent yes-or-no answers, one per class."""
    for temperature in temperatures:
        scaled = z / temperature
        of_right = scaled[right.rows, right.columns]
        own = np.maximum.reduceat(of_right, right.starts)
        losses = np.logaddexp(0, scaled).sum(axis=1) - np.add.reduceat(np.logaddexp(0, of_right), right.starts)
        p = expit(scaled)
        squares = np.einsum("nc,nc->n", p, p) - np.add.reduceat(expit(of_right) ** 2, right.starts)
        yield p.max(axis=1), losses + np.logaddexp(0, -own), expit(-own) ** 2 + squares


def slopes(z: Doubles, truth: Indices, inverse: float, reading: Reading) -> tuple[Doubles, Doubles]:
    """First and second derivative of each picture's NLL by the inverse temperature b.

    Softmax: E_p[z] − z_y and Var_p[z] under p = softmax(b·z). Sigmoid: Σ_c σ(b·z_c)·z_c − z_y and Σ_c σ(1−σ)·z_c². Both second
    derivatives are positive, so the NLL has one minimum in b, and so in log T.
    """
    if reading == "sigmoid":
        p = expit(inverse * z)
        own = np.take_along_axis(z, truth[:, None], axis=1)[:, 0]
        return np.einsum("nc,nc->n", p, z) - own, np.einsum("nc,nc,nc->n", p * (1 - p), z, z)
    best = z.max(axis=1)
    own = np.take_along_axis(z, truth[:, None], axis=1)[:, 0] - best
    below = _below(z, best)
    p = np.exp(np.float32(inverse) * below)
    whole = p.sum(axis=1, dtype=np.float64)
    p *= below
    mean = p.sum(axis=1, dtype=np.float64) / whole
    return mean - own, np.maximum(row_products(p, below) / whole - mean**2, 0.0)
