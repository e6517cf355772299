"""Content hashes of files, computed once: remembered by place, size, time of change and inode."""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Identity:
    """What tells that a stored thing has not changed since it was last hashed. `place` is an absolute path, with
    '#offset' or '#row' behind it for a part of a file; bytes of it that are no text stand there as Python's paths hold them."""

    place: str
    size: int
    mtime_ns: int
    inode: int


def identity_of(path: Path, part: str = "") -> Identity:
    stat = path.stat()
    place = str(path.absolute()) + (f"#{part}" if part else "")
    return Identity(place, stat.st_size, stat.st_mtime_ns, stat.st_ino)


def hash_bytes(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hash_file(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()


class HashMemory:
    """A table of known hashes in one SQLite file; safe for several processes and threads. With no path, it lives in memory."""

    def __init__(self, path: Path | None = None, *, forget: bool = False) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path or ":memory:", timeout=60, check_same_thread=False, isolation_level=None)
        if path:
            self._db.execute("PRAGMA journal_mode=WAL")
            # A lost row only means that a file is hashed again: a crash of the machine may cost that much.
            self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute(
            # Places are bytes, since a file name need not be text. Earlier versions kept a table `hashes` of texts.
            "CREATE TABLE IF NOT EXISTS files (place BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, hash BLOB)"
        )
        if forget:
            self._db.execute("DELETE FROM files")

    def recall(self, identities: Sequence[Identity]) -> list[bytes | None]:
        """The remembered hash of each, None where it is unknown or the thing has changed."""
        found: list[bytes | None] = []
        with self._lock:
            for identity in identities:
                row = self._db.execute(
                    "SELECT hash FROM files WHERE place=? AND size=? AND mtime_ns=? AND inode=?", _cells(identity)
                ).fetchone()
                found.append(row[0] if row else None)
        return found

    def remember(self, pairs: Iterable[tuple[Identity, bytes]]) -> None:
        rows = [(*_cells(identity), digest) for identity, digest in pairs]
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")

    def file(self, path: Path) -> str:
        """Hex SHA-256 of a whole file."""
        identity = identity_of(path)
        (known,) = self.recall([identity])
        if known is None:
            known = hash_file(path)
            self.remember([(identity, known)])
        return known.hex()

    def close(self) -> None:
        self._db.close()


def _cells(identity: Identity) -> tuple[bytes, int, int, int]:
    return os.fsencode(identity.place), identity.size, identity.mtime_ns, identity.inode
