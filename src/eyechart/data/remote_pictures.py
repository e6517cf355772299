"""Pictures that are files at an address, each read with one request."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from eyechart.errors import DataError
from eyechart.files.hashing import Identity, identity_of
from eyechart.files.remote import RemotePath

_UNSAFE = re.compile(r"(^|/)\.\.(/|$)|^/|://|\\0")


@dataclass(frozen=True)
class RemotePictures:
    """Pictures at an address.

    base: The folder that names are relative to; none lead out of it.
    names: The names.
    """

    base: RemotePath
    names: pa.ChunkedArray

    def __len__(self) -> int:
        return len(self.names)

    def _path(self, row: int) -> RemotePath:
        name: str | None = self.names[row].as_py()
        if not name:
            raise FileNotFoundError("the row names no file")
        if _UNSAFE.search(name):
            raise PermissionError(f"leads out of {self.base}")
        return self.base / name

    def read(self, row: int) -> bytes:
        return self._path(row).read_bytes()

    def identity(self, row: int) -> Identity | None:
        """None for a missing file; reading it gives the reason."""
        try:
            return identity_of(self._path(row))
        except OSError:
            return None

    def place(self, row: int) -> str:
        return f"{self.base}/{self.names[row].as_py() or ''}"

    def take(self, rows: Sequence[int]) -> "RemotePictures":
        return RemotePictures(self.base, self.names.take(pa.array(rows, pa.int64())))


def remote_pictures(
    base: RemotePath, names: pa.Array | pa.ChunkedArray, where: Callable[[int], str] | None = None
) -> RemotePictures:
    """The pictures of these names, relative to `base`. With `where`, DataError for the first name that leads out of it."""
    chunked = names if isinstance(names, pa.ChunkedArray) else pa.chunked_array([names])
    if where is not None:
        for row, name in enumerate(chunked.to_pylist()):
            if name and _UNSAFE.search(name):
                raise DataError(f"{where(row)}: {name!r} leads out of {base}; name files below it")
    return RemotePictures(base, chunked)
