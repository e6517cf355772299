"""A 2-D map of picture vectors: their first two principal components, or UMAP where it is installed."""

import importlib
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.errors import MissingExtra

MOST_SHOWN = 20_000
MOST_FITTED = 5_000
LEAST_UMAP = 10  # pictures; fewer have no neighborhoods to keep
SEED = 0


@dataclass(frozen=True, eq=False)
class VectorMap:
    """Places of pictures.

    rows: The pictures that are shown.
    places: [n, 2] in 0 to 1.
    explained: The share of the variance that each of the two principal components holds; None for UMAP.
    """

    rows: Indices
    places: Doubles
    explained: Doubles | None


def vector_map(vectors: Floats) -> VectorMap:
    """The first two principal components (PCA), fitted on a sample of at most 5,000 pictures."""
    rng = np.random.default_rng(SEED)
    rows = _shown(len(vectors))
    sample = vectors[np.sort(rng.permutation(len(vectors))[:MOST_FITTED])].astype(np.float64)
    mean = sample.mean(axis=0)
    spread, axes = np.linalg.eigh(np.cov(sample.T) if len(sample) > 1 else np.eye(sample.shape[1]))
    two = axes[:, ::-1][:, :2]
    two *= np.sign(two[np.abs(two).argmax(axis=0), [0, 1]])  # the sign of a component is arbitrary; fix it
    places = (vectors[rows] - mean) @ two
    return VectorMap(rows, _framed(places), spread[::-1][:2] / max(float(spread.sum()), 1e-12))


def umap_map(vectors: Floats) -> VectorMap:
    """UMAP by cosine: near pictures are near on the map, but distances between groups mean little.

    Raises:
        MissingExtra: If umap-learn is not installed.
    """
    try:
        umap = importlib.import_module("umap")
    except ModuleNotFoundError:
        raise MissingExtra("the UMAP layout", "umap") from None
    rows = _shown(len(vectors))
    if len(rows) < LEAST_UMAP:
        return VectorMap(rows, vector_map(vectors).places, None)
    near = min(15, len(rows) - 1)
    made = umap.UMAP(n_neighbors=near, metric="cosine", random_state=SEED, n_jobs=1).fit_transform(vectors[rows])
    return VectorMap(rows, _framed(np.asarray(made, np.float64)), None)


def _shown(n: int) -> Indices:
    """The rows that are drawn: a sample where there are many."""
    return np.sort(np.random.default_rng(SEED).permutation(n)[:MOST_SHOWN])


def _framed(places: Doubles) -> Doubles:
    """Places in 0 to 1."""
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.maximum(high - low, 1e-12), np.float64)
