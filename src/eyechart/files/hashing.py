"""Content hashes of files, computed once and remembered by path, size, inode, and times of modification and change.

The time of change (ctime) is set by the system and cannot be set back by a program, unlike the time of modification, which tools
that copy or unpack files often keep. Windows has no such time; there it is the time of creation.
"""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from eyechart.errors import StoreError
from eyechart.files import sqlite
from eyechart.files.remote import RemotePath
from eyechart.notice import Notice

T = TypeVar("T")

_CHUNK = 1 << 20
_AT_ONCE = 500  # rows that are looked up in one query; SQLite allows 999 parameters


@dataclass(frozen=True)
class Identity:
    """What shows that content has not changed since it was hashed.

    place: The absolute path, with '#offset' or '#row' for a part of a file; names that are not text use surrogate escapes.
    size: Bytes of the file.
    mtime_ns: The modification time in nanoseconds.
    inode: The inode.
    ctime_ns: The time of the last change of content or attributes, in nanoseconds.
    """

    place: str
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0


def identity_of(path: Path | RemotePath, part: str = "") -> Identity:
    """The identity of a file, or of a part of it."""
    if isinstance(path, RemotePath):
        return _remote_identity(path, part)
    place = str(path if path.is_absolute() else path.absolute())
    stat = path.stat()
    place += f"#{part}" if part else ""
    return Identity(place, stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns)


@lru_cache(4096)
def _about(path: RemotePath) -> dict[str, Any]:
    """What a store says of a file with many pictures, asked once: what is read is compared with its hash anyway."""
    return path.info()


def _remote_identity(path: RemotePath, part: str) -> Identity:
    """Size and, in place of times and inode, a hash of the tag that object stores give to content (ETag), or of its time."""
    about = _about(path) if part else path.info()
    tag = next(
        (str(about[key]) for key in ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created") if about.get(key)), None
    )
    if tag is None:
        raise OSError("the store gives no tag or time to tell whether it has changed")
    number = int.from_bytes(hashlib.sha256(tag.encode()).digest()[:7], "big")
    return Identity(path.address + (f"#{part}" if part else ""), int(about["size"]), number, 0)


def hash_bytes(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hash_file(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()


class HashMemory:
    """A table of known hashes in an SQLite file; safe for several processes and threads. Without a path, it is in memory.

    A hash can always be computed again, so a damaged or read-only table only costs time. A damaged table is given to `set_aside`
    and started again; with a read-only one, hashes are kept in memory. `notices` reports both."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        forget: bool = False,
        notices: list[Notice] | None = None,
        set_aside: Callable[[Path, str], Notice] | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._path, self._set_aside = path, set_aside
        self._notices = [] if notices is None else notices
        self._db = _connect(None)
        self._inode = 0
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._recover(error)
        if forget:
            self._do(lambda db: db.executescript("DELETE FROM contents; DELETE FROM notes"))

    @classmethod
    def copy_of(cls, path: Path) -> "HashMemory":
        """The table of a file, in memory: what is remembered is not written. An unreadable table is an empty one."""
        memory = cls()
        # Without a journal nobody is writing, and the file can be read without the shared memory that SQLite else leaves there.
        mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
        try:
            with closing(sqlite3.connect(f"file:{quote(os.fsencode(path))}?{mode}", timeout=60, uri=True)) as stored:
                stored.backup(memory._db)
            _prepare(memory._db)
        except sqlite3.DatabaseError:
            return cls()
        return memory

    def recall(self, identities: Sequence[Identity]) -> list[bytes | None]:
        """The known hash of each; None where it is unknown or the content has changed."""

        def query(db: sqlite3.Connection) -> list[bytes | None]:
            wanted = [_cells(identity) for identity in identities]
            known: dict[tuple[object, ...], object] = {}
            for start in range(0, len(wanted), _AT_ONCE):
                places = [cells[0] for cells in wanted[start : start + _AT_ONCE]]
                marks = ",".join("?" * len(places))
                statement = f"SELECT place, size, mtime_ns, inode, ctime_ns, hash FROM contents WHERE place IN ({marks})"
                known |= {tuple(row[:-1]): row[-1] for row in db.execute(statement, places)}
            found = [known.get(cells) for cells in wanted]
            return [digest if isinstance(digest, bytes) and len(digest) == 32 else None for digest in found]

        return self._do(query)

    def remember(self, pairs: Iterable[tuple[Identity, bytes]]) -> None:
        """Store hashes."""
        rows = [(*_cells(identity), digest) for identity, digest in pairs]

        def write(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                db.executemany("INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?, ?)", rows)
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

        self._do(write)

    def known(self) -> list[tuple[Identity, bytes]]:
        """All hashes of the table."""

        def query(db: sqlite3.Connection) -> list[tuple[Identity, bytes]]:
            rows = db.execute("SELECT place, size, mtime_ns, inode, ctime_ns, hash FROM contents ORDER BY place")
            return [(Identity(os.fsdecode(place), *numbers), digest) for place, *numbers, digest in rows]

        return self._do(query)

    def has_seen(self, mark: str) -> bool:
        """Whether the hashes of a file, named by `mark`, were taken in."""
        return bool(self._do(lambda db: db.execute("SELECT 1 FROM seen WHERE mark=?", (mark,)).fetchone()))

    def note_seen(self, mark: str) -> None:
        """Note that the hashes of a file were taken in."""
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO seen VALUES (?)", (mark,)))

    def note(self, key: str) -> str | None:
        """What was noted under a key; None where nothing was."""
        row = self._do(lambda db: db.execute("SELECT value FROM notes WHERE key=?", (key,)).fetchone())
        return str(row[0]) if row else None

    def set_note(self, key: str, value: str) -> None:
        """Note something that can be found again at some cost."""
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, value)))

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

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return work(self._db)
            except sqlite3.DatabaseError as error:
                self._recover(error)
            return work(self._db)

    def _open(self) -> None:
        self._db.close()
        self._db = _connect(self._path)
        _prepare(self._db)
        self._inode = self._path.stat().st_ino if self._path else 0

    def _recover(self, error: sqlite3.DatabaseError) -> None:
        """Continue with an empty table, or raise a StoreError where only the user can help."""
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if self._path is None or code is None:
            raise error
        kind = code & 0xFF  # the primary error code
        if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            what = f"hashes of files cannot be written there ({error}) and are lost after this run"
            self._notices.append(Notice(str(self._path), what, "point EYECHART_STORE at a folder you can write to"))
            self._path = None
            self._open()
        elif kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and self._set_aside:
            self._db.close()
            # Where another process has started a new table already, it is used.
            if self._path.exists() and self._inode in (0, self._path.stat().st_ino):
                self._notices.append(self._set_aside(self._path, f"a damaged table of hashes ({error})"))
                for ending in ("-wal", "-shm"):
                    # Pending writes of the damaged table must not go into the new one.
                    if (journal := self._path.with_name(self._path.name + ending)).exists():
                        self._set_aside(journal, "part of a damaged table of hashes")
            self._open()
        else:
            remedy = "free some space, or point EYECHART_STORE at a folder you can write to, on a local disk"
            raise StoreError(f"{self._path}: hashes of files cannot be kept there ({error}); {remedy}") from error


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    return sqlite.connect(path)


def _prepare(db: sqlite3.Connection) -> None:
    # Paths are stored as bytes, since a file name need not be text. Earlier versions had tables `hashes` and `files`.
    db.execute(
        "CREATE TABLE IF NOT EXISTS contents "
        "(place BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, ctime_ns INTEGER, hash BLOB)"
    )
    db.execute("CREATE TABLE IF NOT EXISTS seen (mark TEXT PRIMARY KEY)")
    db.execute("CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, value TEXT)")


def _cells(identity: Identity) -> tuple[bytes, int, int, int, int]:
    return os.fsencode(identity.place), identity.size, identity.mtime_ns, identity.inode, identity.ctime_ns
