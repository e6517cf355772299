"""Which pictures are compared with which: rows of a source, rows of a shifted set, and the classes that both have."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.data.severity import COLUMN as SEVERITY
from eyechart.data.severity import read_severities
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.classifier import known_classes

UNSHIFTED = frozenset({"", "none", "source", "clean", "original"})  # what `attr.shift` says of pictures as they are


@dataclass(frozen=True)
class ShiftPair:
    """`rows` of `shifted` are compared with `source_rows` of the source; all of them have a label that counts.

    meaning [kinds, source classes]: which classes of the source are a right answer for each kind of picture; kind [rows]. alike
    [source classes, source classes]: which answers are as good as which, since they mean one class of the shifted set; the
    diagonal tells the subset."""

    name: str
    shifted: ProbeInput[Any]
    rows: Indices
    kind: Indices
    meaning: Flags
    source_rows: Indices
    alike: Flags

    @property
    def columns(self) -> Indices:
        """The source's classes that the shifted set has, which are the only ones that can be answered on either side."""
        return np.flatnonzero(self.alike.diagonal())


def shift_pairs(inputs: ProbeInput[Any]) -> list[ShiftPair]:
    """Every shift there is for a dataset: within its own table, then the shifted sets beside it; corruptions of a severity are
    the `corruption` probe's. A set without a class in common is left out."""
    found = [*_within(inputs), *(pair_with(inputs, g, _natural(g.dataset)) for g in inputs.companions_of("shift"))]
    return [c for c in found if len(c.rows) and len(c.source_rows)]


def pair_with(inputs: ProbeInput[Any], other: ProbeInput[Any], wanted: Flags, name: str | None = None) -> ShiftPair:
    """The wanted rows of another set (or of the dataset itself) beside the pictures of the dataset as they are."""
    truth = inputs.dataset.label_indices()
    if other is inputs:
        meaning = alike = np.eye(len(known_classes(inputs)), dtype=bool)
        kind = truth
    else:
        meaning, kind = _kinds(other.dataset, known_classes(inputs))
        alike = np.asarray((meaning.T.astype(np.float32) @ meaning.astype(np.float32)) > 0)
    rows = np.flatnonzero(wanted & (kind >= 0))
    rows = rows[np.asarray(meaning.any(axis=1))[kind[rows]]]
    sources = np.flatnonzero((truth >= 0) & unshifted(inputs.dataset))
    sources = sources[np.asarray(alike.diagonal())[truth[sources]]]
    return ShiftPair(name or other.dataset.name, other, rows, kind[rows], meaning, sources, alike)


def unshifted(dataset: Dataset) -> Flags:
    """Which rows show pictures as they are: all of them, where no column says otherwise."""
    if not dataset.has("attr.shift"):
        return np.asarray(severities(dataset) == 0)
    return np.array([value is None or str(value) in UNSHIFTED for value in dataset.table.column("attr.shift").to_pylist()])


def severities(dataset: Dataset) -> Indices:
    """How strongly each picture was corrupted, 0 where it was not."""
    if not dataset.has(SEVERITY):
        return np.zeros(len(dataset), np.int64)
    return read_severities(dataset.table.column(SEVERITY), lambda row: f"{dataset.name}, picture {dataset.ids()[row]!r}")


def _natural(dataset: Dataset) -> Flags:
    """Rows of a shifted set that count: those of no severity; and where it holds pictures as they are too, not these."""
    plain, as_they_are = severities(dataset) == 0, unshifted(dataset)
    return np.asarray(plain & ~as_they_are if dataset.has("attr.shift") and not as_they_are.all() else plain)


def _within(inputs: ProbeInput[Any]) -> list[ShiftPair]:
    dataset = inputs.dataset
    if not dataset.has("attr.shift"):
        return []
    natural = ~unshifted(dataset) & (severities(dataset) == 0) & (dataset.label_indices() >= 0)
    shifts = np.array([str(value) for value in dataset.table.column("attr.shift").to_pylist()], dtype=object)
    return [pair_with(inputs, inputs, natural & (shifts == name), name) for name in dict.fromkeys(shifts[natural])]


def meanings(source: ClassList, shifted: ClassList) -> Flags:
    """[shifted classes, source classes]: which classes of the source mean a class of the shifted set: those that it names
    (`same_as`), else that of the same label, else that of the same name, if only one has it."""
    labels = {c.label: i for i, c in enumerate(source)}
    names: dict[str, set[int]] = {}
    for i, c in enumerate(source):
        for name in c.names:
            names.setdefault(name.casefold(), set()).add(i)
    found = np.zeros((len(shifted), len(source)), bool)
    for row, c in enumerate(shifted):
        named = [labels[label] for label in c.same_as or (c.label,) if label in labels]
        called = [names[n.casefold()] for n in c.names if len(names.get(n.casefold(), ())) == 1]
        found[row, named or (list(called[0]) if called and not c.same_as else [])] = True
    return found


def _kinds(dataset: Dataset, source: ClassList) -> tuple[Flags, Indices]:
    """The source's classes that are right for each kind of picture, and the kind of each row, -1 where it has no label. A kind is
    a class; where a picture shows several things (`attr.labels`), each of them is right, and the kind is all of them."""
    if dataset.classes is None:
        return np.zeros((1, len(source)), bool), np.full(len(dataset), -1, np.int64)
    meaning, kind = meanings(source, dataset.classes), dataset.label_indices()
    if not dataset.has("attr.labels"):
        return meaning, kind
    index = {c.label: i for i, c in enumerate(dataset.classes)}
    several: dict[tuple[int, ...], int] = {}
    for row, labels in enumerate(dataset.table.column("attr.labels").to_pylist()):
        classes = tuple(sorted(index[label] for label in labels or () if label in index))
        if len(classes) > 1:
            kind[row] = len(meaning) + several.setdefault(classes, len(several))
    return np.vstack([meaning, *(meaning[list(classes)].any(axis=0) for classes in several)]), kind
