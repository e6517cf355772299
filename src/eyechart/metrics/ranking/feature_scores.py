"""OOD scores from image vectors alone, given vectors of in-distribution pictures. Higher means in-distribution."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices

_BLOCK = 1 << 21  # numbers held at once


def nearest_neighbor(vectors: Floats, bank: Floats, k: int = 1) -> Doubles:
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


@dataclass(frozen=True)
class Mahalanobis:
    """Class means and one shared covariance of labeled vectors (Lee et al., 2018).

    It is stored as axes in which the Mahalanobis distance is Euclidean, around the mean of the class means: lengths are short
    there, so that float32 products lose nothing that a distance would show."""

    middle: Floats
    whiten: Floats
    centers: Doubles

    @classmethod
    def of(cls, bank: Floats, labels: Indices) -> Self:
        """The covariance is shrunk as Ledoit and Wolf (2004) do: with fewer pictures than dimensions it has no inverse."""
        _, of_row = np.unique(labels, return_inverse=True)
        order, sizes = np.argsort(of_row, kind="stable"), np.bincount(of_row)
        means = np.add.reduceat(bank[order], np.cumsum(sizes) - sizes, axis=0, dtype=np.float64) / sizes[:, None]
        values, axes = np.linalg.eigh(shrunk_covariance(bank - means[of_row]))
        if values[-1] <= 0:
            raise ValueError("no class has two different pictures, so nothing is known of how they vary")
        # Directions without any variance at all tell nothing, and would divide by zero.
        whiten = axes / np.sqrt(np.maximum(values, values[-1] * 1e-10))
        middle = means.mean(axis=0)
        return cls(middle.astype(np.float32), whiten.astype(np.float32), (means - middle) @ whiten)

    def __call__(self, vectors: Floats) -> Doubles:
        """Minus the smallest squared distance of each vector to a class mean."""
        lengths = np.einsum("cd,cd->c", self.centers, self.centers).astype(np.float32)
        towards = np.ascontiguousarray(-2 * self.centers.T, np.float32)
        out = np.empty(len(vectors))
        rows = max(1, _BLOCK // max(self.centers.shape))
        for start in range(0, len(vectors), rows):
            moved = (vectors[start : start + rows] - self.middle) @ self.whiten
            nearest = (moved @ towards + lengths).min(axis=1)
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
