"""Which pictures belong to a dataset's classes, and which show something else: sets beside it, or rows of its own table."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.shift_pairs import unshifted

KNOWN = "known"  # what `attr.kind` says of pictures that belong, in a table that has others too


@dataclass(frozen=True)
class OodRows:
    """`rows` of `of` show none of the classes. `kinds[i]`: what each of them shows instead; empty where nothing is said of it.
    `clusters` are numbered apart from those of all other sets."""

    name: str
    of: ProbeInput[Any]
    rows: Indices
    kinds: tuple[str, ...]
    clusters: Indices

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> list[str]:
        ids = self.of.dataset.ids()
        return [ids[row] for row in self.rows]


def id_rows(inputs: ProbeInput[Any]) -> Indices:
    """Rows that show one of the classes, as it is."""
    kinds = _column(inputs.dataset, "attr.kind")
    rows = unshifted(inputs.dataset)
    if _mixed(kinds):
        rows = rows & np.array([kind == KNOWN for kind in kinds])
    return np.flatnonzero(rows)


def ood_rows(inputs: ProbeInput[Any]) -> list[OodRows]:
    """Kinds of strange pictures within the table, then the sets beside it."""
    found, numbered = [], int(inputs.clusters.max(initial=-1)) + 1
    kinds = _column(inputs.dataset, "attr.kind")
    if _mixed(kinds):
        shows = _column(inputs.dataset, "attr.shows")
        for kind in dict.fromkeys(kinds):
            if kind not in (KNOWN, ""):
                rows = np.array([row for row, other in enumerate(kinds) if other == kind], np.int64)
                found.append(OodRows(kind, inputs, rows, _said(shows, rows), inputs.clusters[rows]))
    for other in inputs.companions_of("ood"):
        kinds = _column(other.dataset, "attr.kind")
        mixed = _mixed(kinds)  # such a set has pictures of known classes too, for its own question
        rows = np.array([row for row in range(len(other.dataset)) if not mixed or kinds[row] not in (KNOWN, "")], np.int64)
        said = _said(kinds if mixed else _column(other.dataset, "label"), rows)
        found.append(OodRows(other.dataset.name, other, rows, said, numbered + other.clusters[rows]))
        numbered += int(other.clusters.max(initial=-1)) + 1
    return [group for group in found if len(group)]


def _column(dataset: Dataset, name: str) -> list[str]:
    """The column as words, '' where it says nothing; [] where there is none."""
    if not dataset.has(name):
        return []
    return ["" if value is None else str(value) for value in dataset.table.column(name).to_pylist()]


def _mixed(kinds: list[str]) -> bool:
    return KNOWN in kinds and any(kind not in (KNOWN, "") for kind in kinds)


def _said(words: list[str], rows: Indices) -> tuple[str, ...]:
    said = tuple(words[row] for row in rows) if words else ()
    return said if any(said) else ()
