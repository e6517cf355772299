"""Files of the store that are named by their content: written under another name, synced, then renamed in one step."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from eyechart.files.atomic import replace_durably, unfinished_path
from eyechart.files.hashing import hash_file
from eyechart.store.disk_errors import storing


class PartialFile:
    """A file that nobody reads before it is published.

    file: The open file to write to.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self.file = file

    def seal(self) -> str:
        """Sync the content to disk; returns its SHA-256 in hex."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        return hash_file(self._path).hex()

    def publish(self, name: str) -> Path:
        """Give the sealed file its name."""
        target = self._path.with_name(name)
        replace_durably(self._path, target)
        return target


@contextlib.contextmanager
def partial_file(folder: Path) -> Iterator[PartialFile]:
    """Write to `.file`, then `seal`, then `publish`. A file that was not published is removed."""
    with storing(folder, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        path = unfinished_path(folder)
        try:
            with path.open("wb") as file:
                yield PartialFile(path, file)
        finally:
            path.unlink(missing_ok=True)
