"""SQLite files that several processes write."""

import os
import sqlite3
import time
from pathlib import Path

WAIT = 60.0  # seconds for which another process may hold the lock
_PAUSE = 0.01


def connect(path: Path) -> sqlite3.Connection:
    """A file with a write-ahead log, for any thread, each statement a transaction of its own; made where it is missing.

    Raises:
        sqlite3.DatabaseError: If it cannot be opened, or is locked for longer than `WAIT`.
    """
    db = sqlite3.connect(os.fsencode(path), timeout=WAIT, check_same_thread=False, isolation_level=None)
    try:
        _use_log(db)
        db.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def _use_log(db: sqlite3.Connection) -> None:
    """Turn on the write-ahead log.

    SQLite does not wait for this one lock: of two processes that begin a file at the same time, one is told at once that it is
    locked.
    """
    end = time.monotonic() + WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(_PAUSE)
