"""A user's photographs, appended to `world-ood`: out-of-distribution pictures for a model of the embedded world."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.dataset import Dataset, PictureSource
from eyechart.data.open import open_dataset
from eyechart.files.hashing import Identity
from eyechart.world.scene_pictures import ScenePictures

PHOTOGRAPH = "photograph"


@dataclass(frozen=True)
class JoinedPictures:
    """Rendered pictures followed by files: `rows[i]` counts the rendered ones first."""

    rendered: ScenePictures
    files: PictureSource
    rows: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, row: int) -> bytes:
        source, within = self._find(row)
        return source.read(within)

    def identity(self, row: int) -> Identity | None:
        source, within = self._find(row)
        return source.identity(within)

    def place(self, row: int) -> str:
        source, within = self._find(row)
        return source.place(within)

    def take(self, rows: Sequence[int]) -> "JoinedPictures":
        return replace(self, rows=tuple(self.rows[row] for row in rows))

    def depth(self, row: int) -> npt.NDArray[np.float32] | None:
        """None for a photograph."""
        number = self.rows[row]
        return self.rendered.depth(number) if number < len(self.rendered) else None

    def _find(self, row: int) -> tuple[PictureSource, int]:
        number = self.rows[row]
        return (self.rendered, number) if number < len(self.rendered) else (self.files, number - len(self.rendered))


def with_photographs(dataset: Dataset, folder: str | Path) -> Dataset:
    """The dataset with all pictures of a folder appended; only their ids are used, not their labels."""
    given = open_dataset(folder)
    assert isinstance(dataset.pictures, ScenePictures)
    table = pa.table(
        {
            "id": pa.array([f"{PHOTOGRAPH}/{name}" for name in given.ids()], pa.string()),
            "attr.kind": pa.array([PHOTOGRAPH] * len(given), pa.string()),
            "attr.shows": pa.array([PHOTOGRAPH] * len(given), pa.string()),
        }
    )
    return replace(
        dataset,
        table=pa.concat_tables([dataset.table, table], promote_options="default").select(dataset.table.column_names),
        pictures=JoinedPictures(dataset.pictures, given.pictures, tuple(range(len(dataset) + len(given)))),
        notices=(*dataset.notices, *given.notices),
        reader={**dataset.reader, "photographs": given.reader},
    )
