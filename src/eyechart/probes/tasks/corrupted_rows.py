"""Corrupted pictures, in the examined dataset or in a companion: cells of one corruption and severity, and the clean pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.originals import shift_units
from eyechart.probes.tasks.predictors import Predictor, is_among
from eyechart.probes.tasks.shift_pairs import ShiftPair, pair_with, severities


@dataclass(frozen=True)
class CorruptedSet:
    """Corrupted pictures and the clean pictures they are compared with.

    name: The dataset's name.
    pair: `pair.rows` are the corrupted rows, `pair.source_rows` the clean ones, of which there may be none.
    names: The corruptions.
    corruption: For each corrupted row, an index into `names`.
    severity: The severity of each corrupted row.
    units: Corrupted rows with one number show one scene.
    clean_units: The same for the clean rows.
    """

    name: str
    pair: ShiftPair
    names: tuple[str, ...]
    corruption: Indices
    severity: Indices
    units: Indices
    clean_units: Indices

    def cells(self) -> list[tuple[int, int, Indices]]:
        """(corruption, severity, positions within the corrupted rows), in the order of names and severities."""
        levels = np.unique(self.severity)
        found = [
            (c, int(s), np.flatnonzero((self.corruption == c) & (self.severity == s)))
            for c in range(len(self.names))
            for s in levels
        ]
        return [cell for cell in found if len(cell[2])]


def corrupted_sets(inputs: ProbeInput[Any]) -> list[CorruptedSet]:
    """The dataset itself where it has corrupted rows, then its companions that have."""
    found = [
        _corrupted(inputs, other) for other in (inputs, *inputs.companions_of("shift")) if (severities(other.dataset) > 0).any()
    ]
    return [c for c in found if len(c.pair.rows)]


def _corrupted(inputs: ProbeInput[Any], other: ProbeInput[Any]) -> CorruptedSet:
    level = severities(other.dataset)
    # Copies of the examined pictures: however few classes their folder has, the question is that of the clean ones.
    pair = replace(pair_with(inputs, other, level > 0), whole_list=True)
    texts = [str(value) for value in _texts(other.dataset, "attr.shift", "corruption")]
    of_row = [texts[row] for row in pair.rows]
    names = tuple(dict.fromkeys(of_row))
    index = {name: i for i, name in enumerate(names)}
    return CorruptedSet(
        other.dataset.name,
        pair,
        names,
        np.array([index[name] for name in of_row], np.int64),
        level[pair.rows],
        shift_units(pair, inputs, int(inputs.units.max()) + 1),
        inputs.units[pair.source_rows],
    )


def _texts(dataset: Dataset, column: str, otherwise: str) -> Sequence[object]:
    return dataset.table.column(column).to_pylist() if dataset.has(column) else [otherwise] * len(dataset)


def score_corrupted(inputs: ProbeInput[Any], found: CorruptedSet, predictor: Predictor) -> tuple[Indices, Flags, Flags]:
    """The predicted class of each corrupted row, and which corrupted and which clean rows are classified correctly.

    Predictions are among all classes of the examined dataset.
    """
    pair, columns = found.pair, found.pair.columns
    predicted, correct = np.empty(len(pair.rows), np.int64), np.empty(len(pair.rows), bool)
    for _, _, cell in found.cells():  # a cell at a time: all corruptions of a large set would not fit into memory twice
        predicted[cell] = predictor.predict(pair.shifted, pair.rows[cell], columns)
        correct[cell] = is_among(pair.accepted, pair.kind[cell], predicted[cell])
    truth = inputs.dataset.label_indices()[pair.source_rows]
    return predicted, correct, is_among(pair.equivalent, truth, predictor.predict(inputs, pair.source_rows, columns))
