"""Locks between processes. The system frees them when the holder ends, however it ends: kill -9 leaves nothing behind."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int, *, shared: bool, wait: bool) -> bool:
        # Windows knows neither shared locks nor unbounded waiting here: every lock is exclusive, and waiting is asking again.
        while True:
            try:
                msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(0.1)
else:
    import fcntl

    def _try_lock(fd: int, *, shared: bool, wait: bool) -> bool:
        how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        try:
            fcntl.flock(fd, how)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold(path: Path, *, wait: bool = True, shared: bool = False) -> Iterator[bool]:
    """Hold the lock of a file, made if it is not there; False where another holds it and `wait` is False."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            held = _try_lock(fd, shared=shared, wait=wait)
            if held and not _is_still(path, fd):
                continue  # the folder was removed while we waited: what we hold is nobody's lock any more
            yield held
            return
        finally:
            os.close(fd)


@contextmanager
def hold_shared(path: Path) -> Iterator[None]:
    """Hold a shared lock if the file is there. A reader needs no right to write, and no file means nobody has written yet."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield
        return
    try:
        _try_lock(fd, shared=True, wait=True)
        yield
    finally:
        os.close(fd)


def _is_still(path: Path, fd: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except FileNotFoundError:
        return False
