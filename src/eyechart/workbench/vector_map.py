"""A 2-D map of picture vectors: their first two principal components."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices

MOST_SHOWN = 20_000
MOST_FITTED = 5_000
SEED = 0


@dataclass(frozen=True, eq=False)
class VectorMap:
    """Places of pictures.

    rows: The pictures that are shown.
    places: [n, 2] in 0 to 1.
    explained: The share of the variance that each of the two components holds.
    """

    rows: Indices
    places: Doubles
    explained: Doubles


def vector_map(vectors: Floats) -> VectorMap:
    """The first two principal components (PCA), fitted on a sample of at most 5,000 pictures."""
    rng = np.random.default_rng(SEED)
    rows = np.sort(rng.permutation(len(vectors))[:MOST_SHOWN])
    sample = vectors[np.sort(rng.permutation(len(vectors))[:MOST_FITTED])].astype(np.float64)
    mean = sample.mean(axis=0)
    spread, axes = np.linalg.eigh(np.cov(sample.T) if len(sample) > 1 else np.eye(sample.shape[1]))
    two = axes[:, ::-1][:, :2]
    two *= np.sign(two[np.abs(two).argmax(axis=0), [0, 1]])  # the sign of a component is arbitrary; fix it
    places = (vectors[rows] - mean) @ two
    low, high = places.min(axis=0), places.max(axis=0)
    return VectorMap(rows, (places - low) / np.maximum(high - low, 1e-12), spread[::-1][:2] / max(float(spread.sum()), 1e-12))
