"""Locks between processes. The system releases them when the process ends, even by kill -9."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int, *, shared: bool, wait: bool) -> bool:
        # Windows has neither shared locks nor unlimited waiting here: every lock is exclusive, and waiting means polling.
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
    """Hold the lock of a file, which is created if missing; False where another process holds it and `wait` is False."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            held = _try_lock(fd, shared=shared, wait=wait)
            if held and not _is_still(path, fd):
                continue  # the folder was removed while waiting: this lock is void
            yield held
            return
        finally:
            os.close(fd)


@contextmanager
def hold_shared(path: Path) -> Iterator[None]:
    """Hold a shared lock if the file exists. Readers need no write permission; without a file, nothing was written yet."""
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


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of a file alone. Nothing is written: the file may be on a read-only disk, or of another
    user."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(fd, shared=True, wait=False)
    finally:
        os.close(fd)


def _is_still(path: Path, fd: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except FileNotFoundError:
        return False
