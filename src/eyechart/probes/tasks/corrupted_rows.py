"""Corrupted pictures, whether they stand in the examined table or in a set beside it: cells of one corruption and one severity,
the pictures as they are, and which rows show one scene."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.originals import units_beside
from eyechart.probes.tasks.predictors import Predictor
from eyechart.probes.tasks.shift_pairs import ShiftPair, pair_with, severities


@dataclass(frozen=True)
class Corrupted:
    """A set of corrupted pictures beside its clean ones. `contrast.rows` are the corrupted rows; of them, `corruption` (an index
    into `names`), `severity` and `units`: rows with one unit show one scene. The clean rows may be none."""

    name: str
    contrast: ShiftPair
    names: tuple[str, ...]
    corruption: Indices
    severity: Indices
    units: Indices
    clean_units: Indices

    def cells(self) -> list[tuple[int, int, Indices]]:
        """(corruption, severity, positions within the rows), in the order of names and of severities."""
        levels = np.unique(self.severity)
        found = [
            (c, int(s), np.flatnonzero((self.corruption == c) & (self.severity == s)))
            for c in range(len(self.names))
            for s in levels
        ]
        return [cell for cell in found if len(cell[2])]


def corrupted_sets(inputs: ProbeInput[Any]) -> list[Corrupted]:
    """The dataset itself where it has corrupted rows, then the sets beside it that have."""
    found = [
        _corrupted(inputs, other) for other in (inputs, *inputs.companions_of("shift")) if (severities(other.dataset) > 0).any()
    ]
    return [c for c in found if len(c.contrast.rows)]


def _corrupted(inputs: ProbeInput[Any], other: ProbeInput[Any]) -> Corrupted:
    level = severities(other.dataset)
    contrast = pair_with(inputs, other, level > 0)
    texts = [str(value) for value in _texts(other.dataset, "attr.shift", "corruption")]
    of_row = [texts[row] for row in contrast.rows]
    names = tuple(dict.fromkeys(of_row))
    index = {name: i for i, name in enumerate(names)}
    return Corrupted(
        other.dataset.name,
        contrast,
        names,
        np.array([index[name] for name in of_row], np.int64),
        level[contrast.rows],
        units_beside(contrast, inputs, int(inputs.clusters.max()) + 1),
        inputs.clusters[contrast.source_rows],
    )


def _texts(dataset: Dataset, column: str, otherwise: str) -> Sequence[object]:
    return dataset.table.column(column).to_pylist() if dataset.has(column) else [otherwise] * len(dataset)


def judge_corrupted(inputs: ProbeInput[Any], found: Corrupted, answerer: Predictor) -> tuple[Flags, Flags]:
    """Which of the corrupted and which of the clean rows are answered right, among the classes that both have."""
    contrast, columns = found.contrast, found.contrast.columns
    right = np.empty(len(contrast.rows), bool)
    for _, _, cell in found.cells():  # a cell at a time: all corruptions of a large set would not fit into memory twice
        answers = answerer.best(contrast.shifted, contrast.rows[cell], columns)
        right[cell] = contrast.meaning[contrast.kind[cell], answers]
    truth = inputs.dataset.label_indices()[contrast.source_rows]
    return right, contrast.alike[truth, answerer.best(inputs, contrast.source_rows, columns)]
