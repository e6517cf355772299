"""Replies of models that answer questions, kept by the hash of picture, question and decoding. Pictures are not kept."""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from eyechart.errors import StoreError
from eyechart.files import sqlite
from eyechart.notice import Notice, counted
from eyechart.store.disk_errors import storing
from eyechart.store.quarantine import set_aside

FILE = "answers.sqlite"
ROLE = "answers"  # of the shelf in which the file is
_MANY = 500  # keys in one query
_COLUMNS = "key BLOB PRIMARY KEY, picture BLOB, question TEXT, reply TEXT, checksum BLOB"

T = TypeVar("T")


def answer_key(picture: bytes, *parts: str) -> bytes:
    """The key of a reply: a hash of the picture's key and of texts, such as the question and the way of decoding."""
    return hashlib.sha256(picture + json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()


class KeptAnswers:
    """The replies of one model, in an SQLite file. Safe for several threads and processes, and for kill -9 at any moment.

    Args:
        folder: Where the file is.
        store: The store's folder, for a damaged file that is set aside.
        notices: What was found damaged.
        read_only: Create nothing; replies are read only.
    """

    def __init__(self, folder: Path, store: Path, notices: list[Notice], *, read_only: bool = False) -> None:
        self.path = folder / FILE
        self._store, self._notices, self._read_only = store, notices, read_only
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The kept content of these keys, as JSON gave it; keys without a reply are absent."""

        def query(db: sqlite3.Connection) -> dict[bytes, Any]:
            found: dict[bytes, Any] = {}
            for start in range(0, len(keys), _MANY):
                part = list(keys[start : start + _MANY])
                marks = ",".join("?" * len(part))
                rows = db.execute(f"SELECT * FROM replies WHERE key IN ({marks})", part).fetchall()
                found |= {row[0]: json.loads(row[3]) for row in rows if _is_intact(row)}
                damaged.extend(row[0] for row in rows if not _is_intact(row))
            return found

        damaged: list[bytes] = []
        nothing: dict[bytes, Any] = {}
        kept = self._do(query, nothing)
        if damaged:
            what = f"{counted(len(damaged), 'kept reply', 'kept replies')} changed on the disk"
            self._notices.append(Notice(str(self.path), what, "the questions are asked again"))
        return kept

    def check(self, *, repair: bool) -> tuple[int, int]:
        """Read everything: how many replies are intact, and how many are not.

        Args:
            repair: Remove replies that are not intact, so that their questions are asked again.

        Raises:
            sqlite3.DatabaseError: If the file cannot be read as a table.
        """
        with self._lock:
            db = self._open()
            rows = db.execute("SELECT * FROM replies").fetchall()
            damaged = [(row[0],) for row in rows if not _is_intact(row)]
            if repair:
                db.executemany("DELETE FROM replies WHERE key IS ?", damaged)
            return len(rows) - len(damaged), len(damaged)

    def keep(self, key: bytes, picture: bytes, question: str, content: Any) -> None:
        """Keep one reply, with the hash of its picture and its question for people who look into the file."""
        row = (key, picture, question, json.dumps(content, ensure_ascii=False))
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)", (*row, _checksum(*row))), None)

    def __len__(self) -> int:
        return int(self._do(lambda db: db.execute("SELECT COUNT(*) FROM replies").fetchone()[0], 0))

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _do(self, work: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        with self._lock:
            if self._read_only and not self.path.exists():
                return nothing
            try:
                return work(self._open())
            except sqlite3.DatabaseError as error:
                self._recover(error)
            return work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            if self._read_only:
                # Without a journal nobody is writing, and no file of SQLite's own is left behind.
                mode = "mode=ro" if self.path.with_name(f"{FILE}-wal").exists() else "immutable=1"
                place = f"file:{quote(os.fsencode(self.path))}?{mode}"
                self._db = sqlite3.connect(place, timeout=60, check_same_thread=False, isolation_level=None, uri=True)
                return self._db
            with storing(self.path, "create"):
                self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite.connect(self.path)
            db.execute(f"CREATE TABLE IF NOT EXISTS replies ({_COLUMNS})")
            self._db = db
        return self._db

    def _recover(self, error: sqlite3.DatabaseError) -> None:
        """Set a damaged file aside and begin a new one; StoreError where only the user can help."""
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if self._read_only or kind not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            remedy = "free some space, or point EYECHART_STORE at a folder you can write to, on a local disk"
            raise StoreError(f"{self.path}: replies cannot be kept there ({error}); {remedy}") from error
        self.set_aside(f"a damaged table of replies ({error})")

    def set_aside(self, reason: str) -> None:
        """Move the file away; the next reply begins a new one."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self._notices.append(set_aside(self.path, self._store, reason))
        for ending in ("-wal", "-shm"):
            if (journal := self.path.with_name(FILE + ending)).exists():
                set_aside(journal, self._store, "part of a damaged table of replies")


def _checksum(key: bytes, picture: bytes, question: str, reply: str) -> bytes:
    parts = (key, picture, question.encode("utf-8", "surrogatepass"), reply.encode("utf-8", "surrogatepass"))
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).digest()


def _is_intact(row: tuple[Any, ...]) -> bool:
    """Whether a row is as it was written."""
    *content, checksum = row
    kinds = (bytes, bytes, str, str)
    return all(isinstance(value, kind) for value, kind in zip(content, kinds, strict=True)) and _checksum(*content) == checksum


def answers_in(folder: Path) -> tuple[int, int]:
    """How many replies a shelf's folder has, and their bytes; 0 where it has none or they cannot be read."""
    path = folder / FILE
    if not path.exists():
        return 0, 0
    with closing(KeptAnswers(folder, folder, [], read_only=True)) as kept:
        try:
            return len(kept), path.stat().st_size
        except (StoreError, sqlite3.DatabaseError):
            return 0, path.stat().st_size
