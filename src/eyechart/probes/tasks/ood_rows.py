"""In-distribution and out-of-distribution pictures of a dataset: rows of its own table, or companion datasets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.shift_pairs import unshifted

LEAST = 10  # in-distribution and out-of-distribution pictures that an AUROC needs
KNOWN = "known"  # the value of `attr.kind` for in-distribution pictures, in a table that has both


@dataclass(frozen=True)
class OodRows:
    """Out-of-distribution pictures of one set.

    name: The set's name.
    of: The dataset they are from, with its vectors.
    rows: Their rows in that dataset.
    kinds: What each of them shows; empty where unknown.
    clusters: Copies of a picture share a number; numbers of different sets do not overlap.
    """

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


def enough_ood(inside: Indices, groups: Sequence[OodRows]) -> bool:
    """Whether there are enough in-distribution and out-of-distribution pictures for an AUROC."""
    return min(len(inside), sum(map(len, groups))) >= LEAST


def id_rows(inputs: ProbeInput[Any]) -> Indices:
    """The in-distribution rows: unshifted pictures of the classes."""
    kinds = _column(inputs.dataset, "attr.kind")
    rows = unshifted(inputs.dataset)
    if _mixed(kinds):
        rows = rows & np.array([kind == KNOWN for kind in kinds])
    return np.flatnonzero(rows)


def ood_rows(inputs: ProbeInput[Any]) -> list[OodRows]:
    """Out-of-distribution kinds within the table, then companion datasets of the role "ood"."""
    found, numbered = [], int(inputs.units.max(initial=-1)) + 1
    kinds = _column(inputs.dataset, "attr.kind")
    if _mixed(kinds):
        shows = _column(inputs.dataset, "attr.shows")
        for kind in dict.fromkeys(kinds):
            if kind not in (KNOWN, ""):
                rows = np.array([row for row, other in enumerate(kinds) if other == kind], np.int64)
                found.append(OodRows(kind, inputs, rows, _values(shows, rows), inputs.units[rows]))
    for other in inputs.companions_of("ood"):
        kinds = _column(other.dataset, "attr.kind")
        mixed = _mixed(kinds)  # such a set has in-distribution pictures of its own, which are left out
        rows = np.array([row for row in range(len(other.dataset)) if not mixed or kinds[row] not in (KNOWN, "")], np.int64)
        kinds_of_rows = _values(kinds if mixed else _column(other.dataset, "label"), rows)
        found.append(OodRows(other.dataset.name, other, rows, kinds_of_rows, numbered + other.units[rows]))
        numbered += int(other.units.max(initial=-1)) + 1
    return [group for group in found if len(group)]


def made_set(groups: Sequence[OodRows]) -> dict[str, str]:
    """A slice that names the only set where the examination made it: how hard it is must stand beside the number."""
    (first, *others) = groups
    return {"ood": first.name} if not others and first.of.dataset.made else {}


def _column(dataset: Dataset, name: str) -> list[str]:
    """The column as texts, "" for missing values; [] where there is no such column."""
    if not dataset.has(name):
        return []
    return ["" if value is None else str(value) for value in dataset.table.column(name).to_pylist()]


def _mixed(kinds: list[str]) -> bool:
    return KNOWN in kinds and any(kind not in (KNOWN, "") for kind in kinds)


def _values(column: list[str], rows: Indices) -> tuple[str, ...]:
    values = tuple(column[row] for row in rows) if column else ()
    return values if any(values) else ()
