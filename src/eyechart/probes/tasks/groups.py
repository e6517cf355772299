"""Groups of pictures by their attributes, one attribute at a time and two crossed.

A numeric attribute with many values is split into bands where it is named: "age" into four of equally many pictures, and
"age<18<40<65" at these values. So is a text attribute of ranges, such as FairFace's ages "3-9" and "more than 70", where every
range lies in one band.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.columns import is_text
from eyechart.data.dataset import Dataset
from eyechart.errors import did_you_mean

MOST_VALUES = 12
_RANGE = re.compile(r"(?P<low>\d+)\s*[-–]\s*(?P<high>\d+)|(?P<from>\d+)\s*\+|more than (?P<above>\d+)")
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
        attributes: Columns without the prefix `attr.`, numeric ones with or without the limits of bands; all with 2 to 12 values
            where empty.
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
    if not attributes:
        return {name: values for name in _all(dataset) if (values := _values(dataset, name)) is not None}
    found = {}
    for attribute in attributes:
        name = attribute.partition("<")[0]
        values = _banded(dataset, attribute) if name != attribute else _values(dataset, name)
        values = _banded(dataset, name) if values is None else values
        if values is not None:
            found[name] = values
    return found


def unusable_attributes(dataset: Dataset, attributes: Sequence[str]) -> list[str]:
    """The given attributes that define no groups, each with the reason."""
    there = _all(dataset)
    found = []
    for attribute in attributes:
        name = attribute.partition("<")[0]
        if name not in there:
            found.append(f"there is no column {name!r}{did_you_mean(name, there)}")
        elif name not in group_columns(dataset, [attribute]):
            needs = f"2 to {MOST_VALUES} different texts or whole numbers, or numbers or ranges for bands such as {name}<18<40"
            found.append(f"{attribute!r} does not have {needs}")
    return found


def _banded(dataset: Dataset, attribute: str) -> npt.NDArray[np.object_] | None:
    """The band of each row's number, such as "18 to 40" (the lower limit belongs to it); None where there are no two bands.

    Without limits: quartiles of the different values' distribution over rows.
    """
    name, *texts = attribute.split("<")
    column = dataset.table.column(f"attr.{name}") if dataset.has(f"attr.{name}") else None
    try:
        edges = sorted({float(text) for text in texts})
    except ValueError:
        return None
    numbers = None if column is None else _numbers(column, edges)
    if numbers is None:
        return None
    known = np.isfinite(numbers)
    if not known.any() or not np.isfinite(edges).all():
        return None
    edges = edges or sorted(set(np.quantile(numbers[known], [0.25, 0.5, 0.75]).tolist()))
    titles = _band_titles(edges)
    place = np.searchsorted(edges, numbers, side="right")
    values = np.array([titles[p] if k else None for p, k in zip(place, known, strict=True)], dtype=object)
    return values if len(_distinct(values)) >= 2 else None


def _numbers(column: pa.ChunkedArray, edges: Sequence[float]) -> npt.NDArray[np.float64] | None:
    """The numbers of a column, or the lower ends of its ranges, NaN where unknown; None where a range is in two bands."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.array([np.nan if v is None else v for v in column.to_pylist()], np.float64)
    if not is_text(column.type) or not edges:
        return None
    found = {None: (np.nan, np.nan)}
    for value in set(column.to_pylist()) - {None}:
        match = _RANGE.fullmatch(value.strip().lower())
        if match is None:
            return None
        low = float(match["low"] or match["from"] or match["above"])
        found[value] = (low, float(match["high"] or "inf"))
    if any(low < edge <= high for low, high in found.values() for edge in edges):
        return None
    return np.array([found[value][0] for value in column.to_pylist()], np.float64)


def _band_titles(edges: Sequence[float]) -> list[str]:
    texts = [f"{edge:g}" for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return [f"below {texts[0]}", *between, f"{texts[-1]} or more"]


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
