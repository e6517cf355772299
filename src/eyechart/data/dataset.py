"""A dataset: a table of pictures with labels, captions and attributes, and its classes. Pictures are read when needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.data.classes import ClassList
from eyechart.data.role import Role
from eyechart.files.hashing import Identity
from eyechart.notice import Notice


class PictureSource(Protocol):
    """A source of encoded picture bytes. Reading is thread-safe and decodes nothing."""

    def __len__(self) -> int:
        """The number of pictures."""

    def read(self, row: int) -> bytes:
        """The picture's file content; OSError where it cannot be read."""

    def identity(self, row: int) -> Identity | None:
        """What identifies the content without reading it; None where only reading tells (bytes in memory)."""

    def place(self, row: int) -> str:
        """The place of a picture for messages: a path, archive!member, or table:row."""

    def take(self, rows: Sequence[int]) -> "PictureSource":
        """The given rows only."""


@dataclass(frozen=True)
class Dataset:
    """A dataset.

    name: Its name in the findings.
    table: One row per picture: `id` (string, unique) and, if known, `label` (string), `captions` (list of strings), `foils`
        (list of false captions), `objects`, `depth`, `camera`, `factor.*` and `attr.*`.
    pictures: The pictures, in the order of the rows.
    classes: The classes; None where there are none.
    notices: What was odd when the dataset was read.
    reader: How it was read, for the protocol.
    pairs: Pairs of pictures of one scene: `id_a`, `id_b`, and matching keypoints `points_a`, `points_b` (lists of x, y in
        pixels); None where there are none.
    role: "exam" for a dataset that is examined, "shift" for the same classes under a distribution shift, "ood" for
        out-of-distribution pictures, "gallery" for pictures of single objects that are retrieved from scenes.
    of: The exam dataset that a "shift", "ood" or "gallery" dataset belongs to; None for all.
    benchmark: The published set that this is, whose published results can be compared; None where it is none.
    made: Whether the examination made it itself. It is only compared with, and its pictures are not counted.

    Example:
        >>> from eyechart.data import Dataset, PictureClass, ClassList
        >>> from eyechart.data.file_pictures import file_pictures
        >>> from pathlib import Path
        >>> table = pa.table({"id": ["a.png", "b.png"], "label": ["dog", "cat"]})
        >>> classes = ClassList("pets", (PictureClass("cat", "cat"), PictureClass("dog", "dog")))
        >>> Dataset("pets", table, file_pictures(Path("pets"), table["id"]), classes).label_indices().tolist()
        [1, 0]
    """

    name: str
    table: pa.Table
    pictures: PictureSource
    classes: ClassList | None = None
    notices: tuple[Notice, ...] = ()
    reader: dict[str, Any] = field(default_factory=dict)
    pairs: pa.Table | None = None
    role: Role = "exam"
    of: str | None = None
    benchmark: str | None = None
    made: bool = False

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def has(self, column: str) -> bool:
        """Whether the table has this column.

        Args:
            column: The name, such as "label" or "attr.hat".
        """
        return column in self.table.column_names

    def ids(self) -> list[str]:
        """The id of every row."""
        ids: list[str] = self.table.column("id").to_pylist()
        return ids

    def label_indices(self) -> npt.NDArray[np.int64]:
        """The class index of every row; -1 where the row has no label. Opening a dataset refuses unknown labels."""
        if self.classes is None or not self.has("label"):
            return np.full(len(self), -1, dtype=np.int64)
        index = {c.label: i for i, c in enumerate(self.classes)}
        column = self.table.column("label").combine_chunks().dictionary_encode()
        meaning = np.array([index.get(v, -1) for v in column.dictionary.to_pylist()] + [-1], dtype=np.int64)
        codes = column.indices.fill_null(len(meaning) - 1).to_numpy(zero_copy_only=False)
        indices: npt.NDArray[np.int64] = meaning[codes]
        return indices

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "Dataset":
        """The given rows, and the pairs with both pictures among them.

        Args:
            rows: Row numbers, in the wanted order.

        Example:
            >>> from eyechart.probes.testing import known_predictions
            >>> dataset = known_predictions([0, 1, 1], [0, 0, 1], ["cat", "dog"], None).dataset
            >>> dataset.take([2, 0]).ids()
            ['2', '0']
        """
        rows = [int(r) for r in rows]
        table = self.table.take(pa.array(rows, pa.int64()))
        pairs = self.pairs
        if pairs is not None:
            kept = table.column("id").combine_chunks()
            pairs = pairs.filter(pc.and_(pc.is_in(pairs.column("id_a"), kept), pc.is_in(pairs.column("id_b"), kept)))
        return replace(self, table=table, pictures=self.pictures.take(rows), pairs=pairs)
