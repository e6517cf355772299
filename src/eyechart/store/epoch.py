"""The generation of a model's vectors: how often some of them, or remarks about them, may have been replaced by others.

It starts at 0 and rises whenever a damaged file is set aside, broken pictures are given another chance, or shelves are removed:
always before it happens, so that no one meets the new under the old number. Whoever keeps an answer keeps it under the
generation read before the vectors were; an answer from damaged vectors is then not taken for one from whole ones. It is one
number for all shelves of a model and outlives them.
"""

import os
from pathlib import Path

from eyechart.files.atomic import sync_folder
from eyechart.files.locks import hold
from eyechart.store.disk_errors import storing
from eyechart.store.label import Label


def epoch(store: Path, fingerprint: str) -> int:
    path = _path(store, fingerprint)
    with storing(path, "read"):
        try:
            # The length is the number: a file whose content does not matter cannot be misread.
            return path.stat().st_size
        except FileNotFoundError:
            return 0


def begin_new(store: Path, fingerprint: str) -> None:
    """One more, on disk when it returns."""
    path = _path(store, fingerprint)
    with storing(path, "write"), hold(store / "generations.lock"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"+")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)


def model_of(store: Path, path: Path) -> str | None:
    """The fingerprint of the model that a file of the store belongs to; None where it is nobody's."""
    folders = path.relative_to(store).parts
    return folders[1] if folders[0] == "models" else None


def _path(store: Path, fingerprint: str) -> Path:
    return store / "generations" / Label(fingerprint, "any").fingerprint
