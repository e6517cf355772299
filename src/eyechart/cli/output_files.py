"""Files that a command writes where the user says: complete or not at all, and an error that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.errors import StoreError


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """A place to write to; the file appears at `path` when it is complete.

    Raises:
        StoreError: If it cannot be written.
    """
    from eyechart.files.atomic import atomic_path, remove_abandoned
    from eyechart.files.readable import require_regular

    with write_errors(path):
        if path.exists():
            require_regular(path, error=StoreError)  # a device or a pipe would be replaced by a file
    with write_errors(path), atomic_path(path) as unfinished:
        remove_abandoned(path.parent, below=False)
        yield unfinished


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """An error of the disk as one that names the file and the next step."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; choose another place") from error
