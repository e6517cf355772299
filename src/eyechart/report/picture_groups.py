"""The pictures of a run as the page's gallery shows them: what one model predicted for each picture of one dataset."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Flags
from eyechart.findings.attributes import has_attribute
from eyechart.findings.prediction_groups import PredictionGroup

ACCEPTED = "accepted."  # how the attribute of out-of-distribution pictures begins; the score follows


@dataclass(frozen=True)
class Gallery:
    """The predictions of one model on one dataset, under one prompt set.

    key: Its name in data files.
    title: What it is called in the list of datasets.
    group: Model, dataset and prompt set.
    table: All rows, in the order in which they are shown: errors first, the surest first; then close decisions.
    classes: The class names that rows refer to.
    attributes: The attributes of pictures, as "name=value".
    limit: How many rows the page gets.
    leads: Whether its prompt set is the leading one, or it needs no prompts.
    """

    key: str
    title: str
    group: PredictionGroup
    table: pa.Table
    classes: tuple[str, ...]
    attributes: frozenset[str]
    limit: int
    leads: bool = True

    @property
    def kept(self) -> int:
        return min(self.limit, int(self.table.num_rows))

    @property
    def joins_sets(self) -> bool:
        """Whether it has the pictures of several datasets."""
        return "picture" in self.table.column_names

    @property
    def labelled(self) -> bool:
        """Whether the true class of a row is known."""
        return bool(self.table["rank"].null_count < self.table.num_rows)

    @property
    def wrong(self) -> int:
        """Rows with a wrong prediction."""
        return int(pc.sum(pc.greater(self.table["rank"], 1)).as_py() or 0)

    @cached_property
    def accepting_scores(self) -> tuple[str, ...]:
        """The OOD scores that accept or reject its pictures, the leading one first; empty where all are in-distribution."""
        marks = [text for text in self.attributes if text.startswith(ACCEPTED)]
        if not marks:
            return ()
        row = int(np.flatnonzero(self._with_attribute(marks[0]))[0])
        names = [text.partition("=")[0] for text in self.table["attributes"][row].as_py()]
        return tuple(name.removeprefix(ACCEPTED) for name in names if name.startswith(ACCEPTED))

    def count(self, where: Collection[str]) -> int:
        """Pictures that have all these attributes."""
        return int(self._with_all(where).sum())

    def count_labeled(self, where: Collection[str]) -> int:
        """Pictures with a label that have all these attributes."""
        return int((np.asarray(self.table["rank"].is_valid().to_numpy(), np.bool_) & self._with_all(where)).sum())

    def _with_all(self, where: Collection[str]) -> Flags:
        flags = np.ones(self.table.num_rows, np.bool_)
        for text in where:
            flags &= self._with_attribute(text)
        return flags

    def _with_attribute(self, text: str) -> Flags:
        if text not in self._flags:
            self._flags[text] = has_attribute(self.table, text)
        return self._flags[text]

    @cached_property
    def _flags(self) -> dict[str, Flags]:
        return {}

    @property
    def labeled(self) -> int:
        return int(self.table.num_rows - self.table["rank"].null_count)


Title = tuple[str, str, str | None]  # model, title without the class design, and class design
Galleries = Mapping[Title, Gallery]


def under_prompts(prompts: str) -> str:
    """How a title names a prompt set.

    >>> under_prompts("bare")
    'prompts: bare'
    """
    return f"prompts: {prompts}"


def make_gallery(key: str, title: Title, group: PredictionGroup, table: pa.Table, limit: int, *, leads: bool = True) -> Gallery:
    """Rows in the order in which they are shown."""
    rank = table["rank"].fill_null(0).to_numpy()
    confidence = np.nan_to_num(table["confidence"].to_numpy().astype(float), nan=0.0)
    margin = np.nan_to_num(table["margin"].to_numpy().astype(float), nan=2.0)
    wrong = rank > 1
    order = np.lexsort((np.where(wrong, -confidence, margin), ~wrong))
    names = {
        str(name) for column in ("class", "predicted_class") for name in table[column].unique().to_pylist() if name is not None
    }
    names |= {str(name) for name in pc.unique(pc.list_flatten(table["top5_classes"])).to_pylist() if name is not None}
    attributes = frozenset(pc.list_flatten(table["attributes"]).unique().to_pylist())
    _, name, design = title
    shown = f"{name}, classes of {design}" if design else name
    return Gallery(key, shown, group, table.take(pa.array(order)), tuple(sorted(names)), attributes, limit, leads)
