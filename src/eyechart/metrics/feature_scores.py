"""Scores by which vectors alone tell that a picture does not belong, given vectors of pictures that do. Higher: it belongs."""

import numpy as np
import numpy.typing as npt

from eyechart.metrics.vectors import Floats

Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_BLOCK = 1 << 21  # numbers held at once


def nearest_neighbour(vectors: Floats, bank: Floats, k: int = 1) -> Doubles:
    """Minus the distance of each unit vector to the k-th nearest of the bank's (Sun et al., 2022): −√(2 − 2·cos)."""
    if not 1 <= k <= len(bank):
        raise ValueError(f"k is {k}, and the bank has {len(bank)} vectors")
    out = np.empty(len(vectors))
    rows, columns = max(1, _BLOCK // len(bank)), np.ascontiguousarray(bank.T)
    for start in range(0, len(vectors), rows):
        cosines = vectors[start : start + rows] @ columns
        kth = cosines.max(axis=1) if k == 1 else np.partition(cosines, len(bank) - k, axis=1)[:, len(bank) - k]
        out[start : start + rows] = kth
    return np.asarray(-np.sqrt(np.maximum(2 - 2 * out, 0.0)))


def mahalanobis(vectors: Floats, bank: Floats, labels: Indices) -> Doubles:
    """Minus the smallest Mahalanobis distance, squared, to a class mean of the bank, under one covariance within classes
    (Lee et al., 2018), which is shrunk as Ledoit and Wolf (2004) do: with fewer pictures than dimensions it has no inverse."""
    _, of_row = np.unique(labels, return_inverse=True)
    order, sizes = np.argsort(of_row, kind="stable"), np.bincount(of_row)
    means = np.add.reduceat(bank[order].astype(np.float64), np.cumsum(sizes) - sizes, axis=0) / sizes[:, None]
    values, axes = np.linalg.eigh(shrunk_covariance(bank - means[of_row]))
    if values[-1] <= 0:
        raise ValueError("no class has two different pictures, so nothing is known of how they vary")
    # Directions without any variance at all tell nothing, and would divide by zero.
    whiten = axes / np.sqrt(np.maximum(values, values[-1] * 1e-10))
    # Around the mean of all, where lengths are short, products of float32 lose nothing that a distance would show.
    middle = means.mean(axis=0)
    centres = (means - middle) @ whiten
    lengths, towards = np.einsum("cd,cd->c", centres, centres), np.ascontiguousarray(-2 * centres.T, np.float32)
    whiten, middle = whiten.astype(np.float32), middle.astype(np.float32)
    out = np.empty(len(vectors))
    rows = max(1, _BLOCK // max(centres.shape))
    for start in range(0, len(vectors), rows):
        moved = (vectors[start : start + rows] - middle) @ whiten
        nearest = (moved @ towards + lengths.astype(np.float32)).min(axis=1)
        out[start : start + rows] = -nearest.astype(np.float64) - np.einsum("nd,nd->n", moved, moved, dtype=np.float64)
    return out


def shrunk_covariance(residuals: npt.ArrayLike) -> Doubles:
    r"""(1−δ)·S + δ·μ·I with S = XᵀX/n, μ = tr S/d and δ = min(1, Σ_i ‖x_i x_iᵀ − S‖² / (n² ‖S − μI‖²)) (Ledoit and Wolf, 2004):
    the mixture that is expected to be nearest to the true covariance. The rows have mean 0."""
    x = np.asarray(residuals, np.float64)
    n, d = x.shape
    covariance = x.T @ x / n
    mean = np.trace(covariance) / d
    apart = ((covariance - mean * np.eye(d)) ** 2).sum()
    noise = ((np.einsum("nd,nd->n", x, x) ** 2).sum() / n - (covariance**2).sum()) / n
    share = min(1.0, noise / apart) if apart > 0 else 1.0
    return np.asarray((1 - share) * covariance + share * mean * np.eye(d))
