"""Groups of pictures by their attributes, one attribute at a time and two crossed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.columns import is_text
from eyechart.data.dataset import Dataset
from eyechart.errors import did_you_mean

MOST_VALUES = 12
MOST_CROSSED = 4  # attributes that are crossed with each other


@dataclass(frozen=True)
class Subgroup:
    """Rows with one value of an attribute, or with one value of each of two attributes.

    slice: The attributes and values.
    members: The rows that belong to it.
    known: The rows for which the attribute is known; None for all rows.
    """

    slice: dict[str, object]
    members: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_] | None = None

    @property
    def others(self) -> npt.NDArray[np.bool_]:
        """The rows that are known not to belong to it."""
        return ~self.members if self.known is None else self.known & ~self.members

    @property
    def crossed(self) -> bool:
        return len(self.slice) > 1

    @property
    def title(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.slice.items())


def subgroups(dataset: Dataset, attributes: Sequence[str], least: int) -> list[Subgroup]:
    """The groups with enough rows.

    Args:
        dataset: The dataset.
        attributes: Columns without the prefix `attr.`; all with 2 to 12 values where empty.
        least: The number of rows that a group needs.

    Returns:
        The groups of each attribute, then those of every two attributes where there are at most four.
    """
    columns = group_columns(dataset, attributes)
    found = [_single(name, value, values) for name, values in columns.items() for value in _distinct(values)]
    if len(columns) <= MOST_CROSSED:
        found += [cell for a, b in combinations(columns, 2) for cell in _crossed(a, columns[a], b, columns[b])]
    return [s for s in found if s.members.sum() >= least and s.others.any()]


def group_columns(dataset: Dataset, attributes: Sequence[str] = ()) -> dict[str, npt.NDArray[np.object_]]:
    """The values of every row by attribute, None where unknown."""
    return {name: values for name in attributes or _all(dataset) if (values := _values(dataset, name)) is not None}


def unusable_attributes(dataset: Dataset, attributes: Sequence[str]) -> list[str]:
    """The given attributes that define no groups, each with the reason."""
    there = _all(dataset)
    found = []
    for name in attributes:
        if name not in there:
            found.append(f"there is no column {name!r}{did_you_mean(name, there)}")
        elif _values(dataset, name) is None:
            found.append(f"{name!r} does not have 2 to {MOST_VALUES} different texts or whole numbers")
    return found


def _all(dataset: Dataset) -> list[str]:
    return [name.removeprefix("attr.") for name in dataset.table.column_names if name.startswith("attr.")]


def _values(dataset: Dataset, name: str) -> npt.NDArray[np.object_] | None:
    if not dataset.has(f"attr.{name}"):
        return None
    column = dataset.table.column(f"attr.{name}")
    kind = column.type
    if not (is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind)):
        return None
    values = np.array(column.to_pylist(), dtype=object)
    return values if 2 <= len(_distinct(values)) <= MOST_VALUES else None


def _distinct(values: npt.NDArray[np.object_]) -> list[object]:
    return sorted({v for v in values if v is not None}, key=str)


def _single(name: str, value: object, values: npt.NDArray[np.object_]) -> Subgroup:
    return Subgroup({name: value}, np.asarray(values == value, np.bool_), _known(values))


def _crossed(a: str, of_a: npt.NDArray[np.object_], b: str, of_b: npt.NDArray[np.object_]) -> Iterator[Subgroup]:
    for x in _distinct(of_a):
        for y in _distinct(of_b):
            yield Subgroup({a: x, b: y}, np.asarray((of_a == x) & (of_b == y), np.bool_), _known(of_a) & _known(of_b))


def _known(values: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    return np.asarray(values != None, np.bool_)  # noqa: E711 - elementwise
