"""Scenes whose vectors are known: a large thing and small ones, and text towers that hear order or do not."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from tests.repair.made import _NoPictures, unit

from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput

NAMES = ("cap", "cube", "leaf", "moon", "mug", "pot", "star", "torus")
DIRECTIONS = dict(zip(NAMES, np.eye(len(NAMES)), strict=True))
LARGE, SMALL = 1.0, 0.4


def hears_first(texts: Sequence[str]) -> np.ndarray:
    """What is named first counts most, as in a tower that was told the largest thing first."""
    return unit(np.array([_heard(text, (1.0, 0.3, 0.3, 0.3)) for text in texts]))


def encodes_all(texts: Sequence[str]) -> np.ndarray:
    """A bag of names."""
    return unit(np.array([_heard(text, (1.0,) * 4) for text in texts]))


@cache
def _heard(text: str, weights: tuple[float, ...]) -> np.ndarray:
    return sum(w * DIRECTIONS[name] for name, w in zip(text.split(" and "), weights, strict=False))


def scenes(n: int, texts, *, noise: float = 0.0, seed: int = 0, captions: str = "", shuffled: bool = False) -> ProbeInput:
    """`captions`: 'first' and 'last' name the large thing so, 'random' anywhere. `shuffled`: pictures show something else."""
    rng = np.random.default_rng(seed)
    rows, vectors, said = [], [], []
    for i in range(n):
        names = [NAMES[j] for j in rng.permutation(len(NAMES))[: 2 + i % 2]]
        sizes = [LARGE] + [SMALL] * (len(names) - 1)
        rows.append([{"name": name, "x": 0.1 * p, "area": size} for p, (name, size) in enumerate(zip(names, sizes, strict=True))])
        vectors.append(sum(size * DIRECTIONS[name] for name, size in zip(names, sizes, strict=True)))
        order = {"first": names, "last": names[::-1], "random": [names[j] for j in rng.permutation(len(names))]}
        said.append([" and ".join(order[captions])] if captions else [])
    images = unit(np.array(vectors) + noise * rng.normal(size=(n, len(NAMES))))
    if shuffled:
        images = images[rng.permutation(n)]
    columns = {"id": [str(i) for i in range(n)], "objects": rows} | ({"captions": said} if captions else {})
    dataset = Dataset("made", pa.table(columns), _NoPictures(n), None)
    return ProbeInput("made", ModelCard("made", "test"), dataset, images, np.arange(n), texts, (), None)
