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
from eyechart.notice import Notice
from eyechart.store.disk_errors import storing
from eyechart.store.quarantine import set_aside

FILE = "answers.sqlite"
ROLE = "answers"  # of the shelf in which the file is
_MANY = 500  # keys in one query

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
                found |= dict(db.execute(f"SELECT key, reply FROM answers WHERE key IN ({marks})", part))
            return {key: content for key, reply in found.items() if (content := _parsed(reply)) is not None}

        return self._do(query, {})

    def keep(self, key: bytes, picture: bytes, question: str, content: Any) -> None:
        """Keep one reply, with the hash of its picture and its question for people who look into the file."""
        row = (key, picture, question, json.dumps(content, ensure_ascii=False))
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row), None)

    def __len__(self) -> int:
        return int(self._do(lambda db: db.execute("SELECT COUNT(*) FROM answers").fetchone()[0], 0))

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
            db = sqlite3.connect(os.fsencode(self.path), timeout=60, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, picture BLOB, question TEXT, reply TEXT)")
            self._db = db
        return self._db

    def _recover(self, error: sqlite3.DatabaseError) -> None:
        """Set a damaged file aside and begin a new one; StoreError where only the user can help."""
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if self._read_only or kind not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            remedy = "free some space, or point EYECHART_STORE at a folder you can write to, on a local disk"
            raise StoreError(f"{self.path}: replies cannot be kept there ({error}); {remedy}") from error
        if self._db is not None:
            self._db.close()
            self._db = None
        self._notices.append(set_aside(self.path, self._store, f"a damaged table of replies ({error})"))
        for ending in ("-wal", "-shm"):
            if (journal := self.path.with_name(FILE + ending)).exists():
                set_aside(journal, self._store, "part of a damaged table of replies")


def _parsed(reply: Any) -> Any:
    """The content of a row; None where it is damaged, so that the question is asked again."""
    try:
        return json.loads(reply)
    except (TypeError, ValueError):
        return None


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
