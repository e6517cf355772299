"""Shift pairs: rows of a source dataset, rows of a shifted dataset, and the classes that both have."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.class_mapping import class_mapping
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.data.severity import COLUMN as SEVERITY
from eyechart.data.severity import read_severities
from eyechart.findings.attributes import UNSHIFTED
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import known_classes


@dataclass(frozen=True)
class ShiftPair:
    """Labeled rows of a shifted set, and the labeled source rows they are compared with.

    name: The shift's name.
    shifted: The dataset of the shifted rows.
    rows: Rows of the shifted dataset.
    kind: The kind of each of these rows: its class, or its set of classes where it shows several.
    accepted: Which source classes are correct for each kind [kinds, source classes].
    source_rows: Rows of the source.
    equivalent: Which source classes stand for one class of the shifted set [source classes, source classes]. Its diagonal is the
        set of shared classes.
    whole_list: Whether all source classes can be predicted, and not only the shared ones.
    """

    name: str
    shifted: ProbeInput[Any]
    rows: Indices
    kind: Indices
    accepted: Flags
    source_rows: Indices
    equivalent: Flags
    whole_list: bool = False

    @property
    def columns(self) -> Indices:
        """The classes that can be predicted, the same on both sides: those that both sides have, or the whole source list."""
        shared = self.equivalent.diagonal()
        return np.arange(len(shared)) if self.whole_list else np.flatnonzero(shared)


def shift_pairs(inputs: ProbeInput[Any]) -> list[ShiftPair]:
    """Every shift of a dataset: within its own table, then in companions of the role "shift".

    Rows with a severity are left to the probe `corruption`. Sets without a shared class are left out.
    """
    found = [*_within(inputs), *(pair_with(inputs, g, _natural(g.dataset)) for g in inputs.companions_of("shift"))]
    return [c for c in found if len(c.rows) and len(c.source_rows)]


def pair_with(inputs: ProbeInput[Any], other: ProbeInput[Any], wanted: Flags, name: str | None = None) -> ShiftPair:
    """The wanted rows of another dataset, or of the dataset itself, paired with the unshifted rows of the dataset."""
    truth = inputs.dataset.label_indices()
    if other is inputs:
        accepted = equivalent = np.eye(len(known_classes(inputs)), dtype=bool)
        kind = truth
    else:
        accepted, kind = _kinds(other.dataset, known_classes(inputs))
        equivalent = np.asarray((accepted.T.astype(np.float32) @ accepted.astype(np.float32)) > 0)
    rows = np.flatnonzero(wanted & (kind >= 0))
    rows = rows[np.asarray(accepted.any(axis=1))[kind[rows]]]
    sources = np.flatnonzero((truth >= 0) & unshifted(inputs.dataset))
    sources = sources[np.asarray(equivalent.diagonal())[truth[sources]]]
    return ShiftPair(name or other.dataset.name, other, rows, kind[rows], accepted, sources, equivalent)


def unshifted(dataset: Dataset) -> Flags:
    """Which rows are unshifted: all of them, where no column marks shifts."""
    if not dataset.has("attr.shift"):
        return np.asarray(severities(dataset) == 0)
    return np.array([value is None or str(value) in UNSHIFTED for value in dataset.table.column("attr.shift").to_pylist()])


def severities(dataset: Dataset) -> Indices:
    """The severity of the corruption of each picture, 0 for clean pictures."""
    if not dataset.has(SEVERITY):
        return np.zeros(len(dataset), np.int64)
    return read_severities(dataset.table.column(SEVERITY), lambda row: f"{dataset.name}, picture {dataset.ids()[row]!r}")


def _natural(dataset: Dataset) -> Flags:
    """Rows of a shifted set without a severity. Where the set has both shifted and unshifted rows, only the shifted ones."""
    uncorrupted, clean = severities(dataset) == 0, unshifted(dataset)
    return np.asarray(uncorrupted & ~clean if dataset.has("attr.shift") and not clean.all() else uncorrupted)


def _within(inputs: ProbeInput[Any]) -> list[ShiftPair]:
    dataset = inputs.dataset
    if not dataset.has("attr.shift"):
        return []
    natural = ~unshifted(dataset) & (severities(dataset) == 0) & (dataset.label_indices() >= 0)
    shifts = np.array([str(value) for value in dataset.table.column("attr.shift").to_pylist()], dtype=object)
    return [pair_with(inputs, inputs, natural & (shifts == name), name) for name in dict.fromkeys(shifts[natural])]


def _kinds(dataset: Dataset, source: ClassList) -> tuple[Flags, Indices]:
    """The source classes that are correct for each kind of row, and the kind of each row, -1 without a label.

    A kind is a class. Where a picture shows several classes (`attr.labels`), each of them is correct, and they form one kind.
    """
    if dataset.classes is None:
        return np.zeros((1, len(source)), bool), np.full(len(dataset), -1, np.int64)
    accepted, kind = class_mapping(source, dataset.classes), dataset.label_indices()
    if not dataset.has("attr.labels"):
        return accepted, kind
    index = {c.label: i for i, c in enumerate(dataset.classes)}
    several: dict[tuple[int, ...], int] = {}
    for row, labels in enumerate(dataset.table.column("attr.labels").to_pylist()):
        classes = tuple(sorted(index[label] for label in labels or () if label in index))
        if len(classes) > 1:
            kind[row] = len(accepted) + several.setdefault(classes, len(several))
    return np.vstack([accepted, *(accepted[list(classes)].any(axis=0) for classes in several)]), kind
