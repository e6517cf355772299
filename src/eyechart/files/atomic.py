"""Atomic writes: a reader finds the whole new file or the old one, whatever happens during the write.

An unfinished file lies in the same folder. Its name holds host and process, so that what a killed process left behind can be
distinguished from the file of a running process.
"""

import errno
import json
import os
import shutil
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SUFFIX = ".tmp"
_REPLACED = "old"  # in the work folder of `atomic_folder`
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM}  # file systems that cannot sync a folder
_ABANDONED = 24 * 3600.0  # seconds after which an unfinished file of another host counts as abandoned


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A path in the same folder to write to. On success the file replaces `path`; on error it is removed.

    An error of the disk names `path`, not the unfinished file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unfinished_path(path.parent)
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        replace_durably(unfinished, path)
    except OSError as error:
        if error.filename is not None and os.fspath(error.filename) == str(unfinished):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """A new, empty folder to write to. On success it replaces `folder`; on error it is removed and `folder` is unchanged.

    A kill between the two renames leaves no `folder`. The old one is then put back by `remove_abandoned`, so by the next run.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder.parent, below=False)
    # Named like an unfinished file, so that what a killed process left is found and removed in the same way.
    try:
        made = tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{socket.gethostname()}~{os.getpid()}~", suffix=_SUFFIX)
    except OSError as error:  # it names a folder that nobody asked for
        raise OSError(error.errno, error.strerror, str(folder)) from error
    with made as work:
        new, old = Path(work) / "new", Path(work) / _REPLACED / folder.name
        new.mkdir(mode=0o755)
        old.parent.mkdir()
        yield new
        try:
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        except BaseException:
            _put_back(Path(work))
            raise


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file atomically."""
    with atomic_path(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_json(path: Path, content: Any, *, sort_keys: bool = False) -> None:
    """Write a small JSON file atomically, indented and with a final newline."""
    write_text(path, json.dumps(content, sort_keys=sort_keys, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def unfinished_path(folder: Path) -> Path:
    """A new name for a file that is being written in this folder."""
    return folder / f".{socket.gethostname()}~{os.getpid()}~{uuid.uuid4().hex[:12]}{_SUFFIX}"


def replace_durably(unfinished: Path, path: Path) -> None:
    """Give a finished file, already synced to disk, its final name. The folder is synced too: the name survives a power cut."""
    unfinished.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder's own entries to disk."""
    if os.name == "nt":
        return  # Windows has no handle to sync a folder by
    try:
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def abandoned_files(root: Path) -> list[Path]:
    """Unfinished files below `root` whose process was killed."""
    return sorted(path for path in root.rglob(f"*~*~*{_SUFFIX}") if _is_abandoned(path))


def remove_abandoned(root: Path, *, below: bool = True) -> list[Path]:
    """Remove the unfinished files and folders of killed processes in a folder and, unless `below` is False, in those below it.

    A folder that was being replaced, and is now missing, is put back."""
    found = abandoned_files(root) if below else [path for path in root.glob(f".*~*~*{_SUFFIX}") if _is_abandoned(path)]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            _put_back(path)
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return found


def _put_back(work: Path) -> None:
    """Give the folder that `atomic_folder` has moved to `work` its place again, unless the new one is there."""
    for old in work.glob(f"{_REPLACED}/*"):
        folder = work.parent / old.name
        if not folder.exists():
            old.rename(folder)


def is_unfinished(path: Path) -> bool:
    """Whether a name is one of `unfinished_path`."""
    return path.name.startswith(".") and path.name.endswith(_SUFFIX) and path.name.count("~") == 2


def _is_abandoned(path: Path) -> bool:
    host, pid, _ = path.name.removeprefix(".").rsplit("~", 2)
    if host == socket.gethostname() and pid.isdigit() and os.name != "nt":
        return not _is_alive(int(pid))
    try:
        return time.time() - path.stat().st_mtime > _ABANDONED
    except FileNotFoundError:
        return False


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
