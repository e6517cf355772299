"""Pictures that are files."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from eyechart.files.hashing import Identity, identity_of


@dataclass(frozen=True)
class FilePictures:
    """Pictures in files.

    base: The folder that paths are relative to.
    paths: The paths, as strings, or as bytes where the file system has names that are not text.
    inside: No file outside this folder is read.
    """

    base: Path
    paths: pa.ChunkedArray
    inside: Path

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, row: int) -> Path:
        value = self.paths[row].as_py()
        if value is None or not value:
            raise FileNotFoundError("the row names no file")
        name = os.fsdecode(value)
        if "\0" in name:
            raise FileNotFoundError("the file name holds a zero byte")
        return self.base / name

    def read(self, row: int) -> bytes:
        path = self.path(row)
        real, mode = Path(_real(str(path.parent))), path.lstat().st_mode
        if stat.S_ISLNK(mode):
            real, mode = Path(os.path.realpath(path)), path.stat().st_mode
        # A link out of the folder could bring any file of this machine into a report.
        if not real.is_relative_to(self.inside):
            raise PermissionError(f"leads out of {self.inside}")
        if not stat.S_ISREG(mode):
            raise OSError("not a regular file")  # reading a pipe would block
        return path.read_bytes()

    def identity(self, row: int) -> Identity | None:
        """None for a missing file; reading it gives the reason."""
        try:
            return identity_of(self.path(row))
        except OSError:
            return None

    def place(self, row: int) -> str:
        value = self.paths[row].as_py()
        text = value if isinstance(value, str) else os.fsdecode(value or b"")
        return printable(str(self.base / text))

    def take(self, rows: Sequence[int]) -> "FilePictures":
        return FilePictures(self.base, self.paths.take(pa.array(rows, pa.int64())), self.inside)


def file_pictures(base: Path, paths: pa.Array | pa.ChunkedArray, inside: Path | None = None) -> FilePictures:
    """The pictures of these paths, relative to `base`. Links may lead anywhere inside `inside`, which is `base` by default."""
    chunked = paths if isinstance(paths, pa.ChunkedArray) else pa.chunked_array([paths])
    return FilePictures(base.absolute(), chunked, Path(os.path.realpath(inside or base)))


@lru_cache(4096)
def _real(folder: str) -> str:
    """The folder with links resolved; cached, since resolving costs more than reading a small picture."""
    return os.path.realpath(folder)


def printable(name: str) -> str:
    """A file name as text that can be stored and printed; bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
