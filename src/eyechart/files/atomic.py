"""Writing a file so that a reader sees all of it or none, whatever happens meanwhile."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Gives a path beside `path` to write to; on leaving without an error the file is flushed to disk and takes its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with atomic_path(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
