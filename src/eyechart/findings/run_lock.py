"""One writer at a time for the folder of an examination, and readable errors for a full or read-only disk."""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.errors import StoreError
from eyechart.files.locks import hold, is_held
from eyechart.findings.run_folder import RunFolder

_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG}
_ATTEMPTS, _PAUSE = 5, 0.05  # seconds


@contextmanager
def _locked(folder: RunFolder) -> Iterator[bool]:
    """Several attempts: whoever asks whether an examination is running holds the lock for an instant."""
    for _ in range(_ATTEMPTS - 1):
        with hold(folder.path / ".lock", wait=False) as held:
            if held:
                yield True
                return
        time.sleep(_PAUSE)
    with hold(folder.path / ".lock", wait=False) as held:
        yield held


def is_running(folder: Path) -> bool:
    """Whether an examination is writing to a folder now."""
    return is_held(folder / ".lock")


@contextmanager
def only_writer(folder: RunFolder) -> Iterator[RunFolder]:
    """The prepared folder, locked until the end: two examinations in one folder would delete each other's exhibits."""
    folder.prepare()
    with _locked(folder) as held:
        if not held:
            raise StoreError(
                f"{folder.path}: another examination is writing to it; wait until it ends, or give --out another folder"
            )
        try:
            yield folder
        except OSError as error:
            if error.errno not in _DISK_ERRORS:
                raise
            raise StoreError(
                f"{folder.path} cannot be written ({error.strerror}); free some space, or give --out another folder"
            ) from error
