"""The same scene with and without a factor: which rows are paired."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class ScenePairs:
    """Paired rows of one scene that differ in one factor only.

    with_factor: Rows with the factor.
    without_factor: For each of them, a row without it.
    """

    with_factor: Indices
    without_factor: Indices


def scene_units(dataset: Dataset, scene: str, clusters: Indices) -> Indices:
    """Numbers from 0 up, equal for rows of one scene, or of one picture where the scene is unknown."""
    if not dataset.has(scene):
        return np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    coded = dataset.table.column(scene).combine_chunks().dictionary_encode().indices
    scenes = coded.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    joined = np.where(scenes >= 0, scenes, scenes.max() + 1 + clusters)
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def scene_pairs(marks: Flags, factor: int, scenes: Indices) -> ScenePairs | None:
    """Pair every row with the factor with the first row of its scene that differs in nothing else; None without such pairs."""
    others = np.delete(marks, factor, axis=1)
    _, setting = np.unique(np.column_stack([scenes, np.packbits(others, axis=1)]), axis=0, return_inverse=True)
    setting = setting.reshape(-1)
    plain = np.flatnonzero(~marks[:, factor])
    first = np.full(int(setting.max()) + 1, -1)
    first[setting[plain[::-1]]] = plain[::-1]  # the first of several is written last and stays
    with_factor = np.flatnonzero(marks[:, factor])
    partner = first[setting[with_factor]]
    found = partner >= 0
    return ScenePairs(with_factor[found], partner[found]) if found.any() else None
