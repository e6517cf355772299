"""A dataset: a lazy table of pictures with labels, captions and any attribute columns, and the classes they may belong to."""

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
    """Where the encoded bytes of pictures come from. Reading is thread-safe and never decodes."""

    def __len__(self) -> int: ...

    def read(self, row: int) -> bytes:
        """The picture's file content; OSError where it cannot be read."""

    def identity(self, row: int) -> Identity | None:
        """None where nothing short of reading can tell (bytes held in memory)."""

    def place(self, row: int) -> str:
        """For messages: a path, archive!member, or table:row."""

    def take(self, rows: Sequence[int]) -> "PictureSource": ...


@dataclass(frozen=True)
class Dataset:
    """Rows of `table` and pictures of `pictures` correspond. `table` has `id` (string, unique) and, where known, `label`
    (string), `captions` (list<string>), `foils` (list<string>: captions that are false of the picture), `objects`, `depth`,
    `camera`, `factor.*`, `attr.*`. `pairs` tells which pictures show one scene from two sides: `id_a`, `id_b`, `points_a`,
    `points_b` (lists of x, y in pixels that show the same spots).

    `role` says what the set is for: an exam of its own; the same classes under a "shift"; pictures of none of the classes
    ("ood"); or pictures of one thing each, which things in scenes are looked for among ("targets"). Of all but the first, `of`
    names the exam dataset that they belong to, None meaning every one of the plan.
    `benchmark` names the published set that it is, so that its numbers can be set beside published ones."""

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

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def has(self, column: str) -> bool:
        return column in self.table.column_names

    def ids(self) -> list[str]:
        ids: list[str] = self.table.column("id").to_pylist()
        return ids

    def label_indices(self) -> npt.NDArray[np.int64]:
        """The class index of every row, -1 where the row has no label. Unknown labels were refused when the set was opened."""
        if self.classes is None or not self.has("label"):
            return np.full(len(self), -1, dtype=np.int64)
        index = {c.label: i for i, c in enumerate(self.classes)}
        column = self.table.column("label").combine_chunks().dictionary_encode()
        meaning = np.array([index.get(v, -1) for v in column.dictionary.to_pylist()] + [-1], dtype=np.int64)
        codes = column.indices.fill_null(len(meaning) - 1).to_numpy(zero_copy_only=False)
        indices: npt.NDArray[np.int64] = meaning[codes]
        return indices

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "Dataset":
        """These rows, and the pairs of which both pictures are among them."""
        rows = [int(r) for r in rows]
        table = self.table.take(pa.array(rows, pa.int64()))
        pairs = self.pairs
        if pairs is not None:
            kept = table.column("id").combine_chunks()
            pairs = pairs.filter(pc.and_(pc.is_in(pairs.column("id_a"), kept), pc.is_in(pairs.column("id_b"), kept)))
        return replace(self, table=table, pictures=self.pictures.take(rows), pairs=pairs)
