"""Pairs of views by viewpoint change and by class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class ViewGroup:
    """Some of the pairs.

    column: What they have in common: "turn", "viewpoint" or "class".
    value: The common value.
    members: Whether each pair belongs to it.
    """

    column: str
    value: str | int
    members: npt.NDArray[np.bool_]

    @property
    def slice(self) -> dict[str, object]:
        return {self.column: self.value}

    @property
    def title(self) -> str:
        return str(self.value) if self.column == "turn" else f"{self.column} {self.value}"


def by_view(dataset: Dataset, pairs: Sequence[dict[str, Any]], degrees: Sequence[int]) -> list[ViewGroup]:
    """From the smallest viewpoint change to the largest: ranges of the angle, else the dataset's viewpoint classes."""
    turns = _turns(dataset, pairs)
    if turns is not None:
        last = degrees[-1]
        ranges = [
            (low, high, (turns >= low) & (turns < high if high < last else turns <= last)) for low, high in pairwise(degrees)
        ]
        return [ViewGroup("turn", f"{low}–{high}°", members) for low, high, members in ranges if members.any()]
    viewpoints = [pair.get("viewpoint") for pair in pairs]
    values = sorted({value for value in viewpoints if value is not None}, key=lambda value: (str(type(value)), value))
    return [ViewGroup("viewpoint", value, np.array([one == value for one in viewpoints])) for value in values]


def _turns(dataset: Dataset, pairs: Sequence[dict[str, Any]]) -> npt.NDArray[np.float64] | None:
    """Degrees between the views of each pair, NaN where unknown: from the pair, or from its first picture (`attr.turn`)."""
    if any(pair.get("turn") is not None for pair in pairs):
        return np.array([np.nan if pair.get("turn") is None else pair["turn"] for pair in pairs], float)
    if not dataset.has("attr.turn"):
        return None
    turn = dict(zip(dataset.ids(), dataset.table.column("attr.turn").to_pylist(), strict=True))
    return np.array([np.nan if turn[pair["id_a"]] is None else turn[pair["id_a"]] for pair in pairs], float)


def by_class(dataset: Dataset, pairs: Sequence[dict[str, Any]]) -> Iterator[ViewGroup]:
    """By the class of the first picture, where the dataset has labels of several classes."""
    if dataset.classes is None:
        return
    label = dict(zip(dataset.ids(), dataset.label_indices().tolist(), strict=True))
    of_pair = np.array([label[pair["id_a"]] for pair in pairs], np.int64)
    present = [number for number in np.unique(of_pair) if number >= 0]
    if len(present) > 1:
        for number in present:
            yield ViewGroup("class", dataset.classes[int(number)].name, of_pair == number)
