"""The same scene with and without a factor: which rows are compared with which."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class ScenePairs:
    """Rows with the factor, and row for row one of the same scene that is without it and has all other factors alike."""

    with_it: Indices
    without: Indices


def units_of(dataset: Dataset, scene: str, clusters: Indices) -> Indices:
    """Rows that vary together, numbered from 0: those of one scene, or of one picture where no scene is named."""
    if not dataset.has(scene):
        return np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    coded = dataset.table.column(scene).combine_chunks().dictionary_encode().indices
    scenes = coded.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    joined = np.where(scenes >= 0, scenes, scenes.max() + 1 + clusters)
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def scene_pairs(marks: Flags, factor: int, scenes: Indices) -> ScenePairs | None:
    """Every row with the factor beside the first row of its scene that differs in nothing else; None where no scene has both."""
    others = np.delete(marks, factor, axis=1)
    _, setting = np.unique(np.column_stack([scenes, np.packbits(others, axis=1)]), axis=0, return_inverse=True)
    setting = setting.reshape(-1)
    plain = np.flatnonzero(~marks[:, factor])
    first = np.full(int(setting.max()) + 1, -1)
    first[setting[plain[::-1]]] = plain[::-1]  # of several the first one stays, written last
    with_it = np.flatnonzero(marks[:, factor])
    partner = first[setting[with_it]]
    found = partner >= 0
    return ScenePairs(with_it[found], partner[found]) if found.any() else None
