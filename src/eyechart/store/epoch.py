"""The epoch of a model's vectors: a counter that increases before vectors, or notes about them, may be replaced.

It starts at 0 and increases before a damaged file is set aside, before broken pictures are tried again, and before shelves are
removed. Cached results are stored under the epoch that was read before the vectors, so that a result from damaged vectors is not
used again. All shelves of a model share one epoch, which is kept when they are removed. On disk it is called a generation.
"""

import os
from pathlib import Path

from eyechart.files.atomic import sync_folder
from eyechart.files.locks import hold
from eyechart.store.disk_errors import storing
from eyechart.store.label import Label


def epoch(store: Path, fingerprint: str) -> int:
    """The present epoch of a model."""
    path = _path(store, fingerprint)
    with storing(path, "read"):
        try:
            # The file's length is the number, so that damaged content cannot be misread.
            return path.stat().st_size
        except FileNotFoundError:
            return 0


def begin_new(store: Path, fingerprint: str) -> None:
    """Increase the epoch; it is on disk when this returns."""
    path = _path(store, fingerprint)
    with storing(path, "write"), hold(store / "generations.lock"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"+")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)


def model_of(store: Path, path: Path) -> str | None:
    """The fingerprint of the model that a file of the store belongs to; None where it belongs to none."""
    folders = path.relative_to(store).parts
    return folders[1] if folders[0] == "models" else None


def _path(store: Path, fingerprint: str) -> Path:
    return store / "generations" / Label(fingerprint, "any").fingerprint
