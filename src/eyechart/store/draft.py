"""Files that are whole or not there: written beside their place, made durable, then given their name in one step."""

import contextlib
import json
import os
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from eyechart.files.hashing import hash_file
from eyechart.store.disk_errors import storing

_TEMP = ".tmp"
_ABANDONED = 24 * 3600.0  # seconds after which the draft of a process we cannot ask about counts as abandoned


class Draft:
    """An unfinished file that nobody reads before it is published."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self.file = file

    def seal(self) -> str:
        """Make the content durable; gives its SHA-256 in hex."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        return hash_file(self._path).hex()

    def publish(self, name: str) -> Path:
        target = self._path.with_name(name)
        self._path.replace(target)
        sync_folder(target.parent)
        return target


@contextlib.contextmanager
def draft(folder: Path) -> Iterator[Draft]:
    """Write to `.file`, then `seal`, then `publish`. What was not published is removed."""
    with storing(folder, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        # The name says whose it is, so that tidying up never takes a draft from a process at work.
        path = folder / f"{socket.gethostname()}~{os.getpid()}~{uuid.uuid4().hex[:12]}{_TEMP}"
        try:
            with path.open("wb") as file:
                yield Draft(path, file)
        finally:
            path.unlink(missing_ok=True)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Replace a small JSON file in one step."""
    text = json.dumps(content, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False)
    with draft(path.parent) as new:
        new.file.write(text.encode())
        new.seal()
        new.publish(path.name)


def sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # Windows has no handle to sync a folder by
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def abandoned_drafts(root: Path) -> list[Path]:
    """Drafts whose writer was killed."""
    return sorted(path for path in root.rglob(f"*~*~*{_TEMP}") if _is_abandoned(path))


def _is_abandoned(path: Path) -> bool:
    host, pid, _ = path.name.rsplit("~", 2)
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
