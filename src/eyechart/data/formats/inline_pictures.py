"""Pictures stored as bytes in a column of Parquet or Arrow files."""

import io
import os
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.data.file_pictures import file_pictures
from eyechart.data.formats.shards import Shards
from eyechart.data.remote_pictures import remote_pictures
from eyechart.errors import StoreError
from eyechart.files.hashing import Identity, identity_of
from eyechart.files.remote import RemotePath

_IN_MEMORY = 128 << 20  # bytes of unpacked pictures that are held before they go to a temporary file


class Cells(Protocol):
    """The cells of a picture column."""

    def cell(self, row: int) -> tuple[bytes | None, str | None]:
        """A picture's bytes and file name; either may be None."""

    def only(self, rows: npt.NDArray[np.int64]) -> "Cells":
        """The cells, to be used for these rows only."""


@dataclass(frozen=True)
class InlinePictures:
    """Pictures in a column.

    cells: The column's cells.
    shards: The files.
    rows: The row of every picture in the whole column.
    column: The column's name.
    base: The folder that file names are relative to.
    whole: Whether every row is known to have bytes.
    """

    cells: Cells
    shards: Shards
    rows: npt.NDArray[np.int64]
    column: str
    base: Path | RemotePath
    whole: bool

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, row: int) -> bytes:
        data, path = self.cells.cell(int(self.rows[row]))
        if data is not None:
            return data
        if not path:
            raise FileNotFoundError("the row has neither bytes nor a file name")
        if isinstance(self.base, RemotePath):
            return remote_pictures(self.base, pa.array([path])).read(0)
        return file_pictures(self.base, pa.array([path])).read(0)

    def identity(self, row: int) -> Identity | None:
        if not self.whole:
            return None
        path, within = self.shards.find(int(self.rows[row]))
        return identity_of(path, f"{self.column}:{within}")

    def place(self, row: int) -> str:
        return self.shards.where(int(self.rows[row]))

    def take(self, rows: Sequence[int]) -> "InlinePictures":
        kept = self.rows[np.asarray(rows, dtype=np.int64)]
        return InlinePictures(self.cells.only(kept), self.shards, kept, self.column, self.base, self.whole)


@dataclass(frozen=True)
class MappedCells:
    """A column of uncompressed, memory-mapped Arrow files: any row can be read directly."""

    column: pa.ChunkedArray

    def cell(self, row: int) -> tuple[bytes | None, str | None]:
        return _parts(self.column[row].as_py())

    def only(self, rows: npt.NDArray[np.int64]) -> "MappedCells":
        return self


class UnpackedCells:
    """A column of Parquet files.

    A row group must be unpacked as a whole, and pictures are read in any order. So every group is unpacked once, when first
    needed, into memory or, beyond a limit, into a temporary file."""

    def __init__(self, shards: Shards, column: str, wanted: npt.NDArray[np.int64] | None = None) -> None:
        self._shards = shards
        self._column = column
        self._wanted = wanted
        self._lock = threading.Lock()
        self._spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (lives as long as this object)
        # The offset of a row's bytes in the temporary file, -1 before it is unpacked. Arrays, for millions of rows.
        self._starts = np.full(shards.starts[-1], -1, dtype=np.int64)
        self._sizes = np.zeros(shards.starts[-1], dtype=np.int64)
        self._names: dict[int, str | None] = {}  # of rows without bytes
        self._damaged: dict[int, str] = {}
        self._untouched = True

    def cell(self, row: int) -> tuple[bytes | None, str | None]:
        with self._lock:
            if self._starts[row] < 0 and row not in self._names and row not in self._damaged:
                self._unpack(row)
            if row in self._damaged:
                raise OSError(self._damaged[row])
            if row in self._names:
                return None, self._names[row]
            if self._starts[row] < 0:
                raise OSError("damaged Parquet file: it has fewer rows than it says")
            self._spool.seek(int(self._starts[row]))
            return self._spool.read(int(self._sizes[row])), None

    def only(self, rows: npt.NDArray[np.int64]) -> "UnpackedCells":
        # Before anything is unpacked, a sample needs only its own rows; afterwards the unpacked groups are shared.
        with self._lock:
            return UnpackedCells(self._shards, self._column, np.sort(rows)) if self._untouched else self

    def _unpack(self, row: int) -> None:
        self._untouched = False
        path, within = self._shards.find(row)
        at, end, group = row, row + 1, 0
        try:
            with (
                _content(path) as content,
                pq.ParquetFile(content, pre_buffer=False, buffer_size=1 << 20) as file,
            ):
                sizes = [file.metadata.row_group(index).num_rows for index in range(file.metadata.num_row_groups)]
                group = int(np.searchsorted(np.cumsum(sizes), within, side="right"))
                at = row - within + sum(sizes[:group])
                end = at + sizes[group]
                for batch in file.iter_batches(batch_size=32, row_groups=[group], columns=[self._column], use_threads=False):
                    for value in batch.column(0):
                        if self._is_wanted(at):
                            self._keep(at, value.as_py())
                        at += 1
        except (pa.ArrowException, OSError) as error:
            # Rows before the damage are good; the rest of the group is lost.
            self._damaged.update(dict.fromkeys(range(at, end), f"damaged row group {group}: {error}"))

    def _is_wanted(self, row: int) -> bool:
        if self._wanted is None:
            return True
        place = int(np.searchsorted(self._wanted, row))
        return place < len(self._wanted) and int(self._wanted[place]) == row

    def _keep(self, row: int, value: Any) -> None:
        data, name = _parts(value)
        if data is None:
            self._names[row] = name
            return
        start = self._spool.seek(0, io.SEEK_END)
        try:
            self._spool.write(data)
        except OSError as error:
            room = tempfile.gettempdir()
            raise StoreError(
                f"{room}: no room to unpack pictures ({os.strerror(error.errno or 0)}); set TMPDIR to a larger disk"
            ) from error
        self._starts[row], self._sizes[row] = start, len(data)


def rows_without_bytes(path: Path | RemotePath, column: str) -> int | None:
    """The number of rows without bytes, from the statistics of a Parquet file; None where it has none, or is damaged."""
    total = 0
    try:
        with _content(path) as content, pq.ParquetFile(content, pre_buffer=False, buffer_size=1 << 16) as file:
            places = {file.schema.column(place).path: place for place in range(len(file.schema))}
            leaf = next((name for name in (column, f"{column}.bytes") if name in places), None)
            if leaf is None:
                return None
            for group in range(file.metadata.num_row_groups):
                # pyarrow ends the process over a damaged description of a column. Reading a row of it is an error instead.
                next(file.iter_batches(batch_size=1, row_groups=[group], columns=[leaf], use_threads=False), None)
                described = file.metadata.row_group(group).column(places[leaf])
                if described.physical_type != file.schema.column(places[leaf]).physical_type:
                    return None
                if (statistics := described.statistics) is None or not statistics.has_null_count:
                    return None
                total += int(statistics.null_count)
    except (pa.ArrowException, OSError):
        return None  # the damaged rows are set aside when they are read
    return total


def _content(path: Path | RemotePath) -> Any:
    return path.open("rb") if isinstance(path, RemotePath) else pa.OSFile(os.fsencode(path))


def _parts(value: Any) -> tuple[bytes | None, str | None]:
    if isinstance(value, dict):
        return value.get("bytes"), value.get("path")
    return value, None
