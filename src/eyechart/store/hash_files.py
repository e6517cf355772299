"""Hashes of pictures that workers computed: an immutable file for each shard, which the table of hashes takes in.

Workers on several machines cannot share an SQLite table: its locks do not work on network disks. A worker that is started again
finds its own file, and an examination of the same pictures takes in all of them and reads no picture again.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from eyechart.files.hashing import HashMemory, Identity
from eyechart.files.parquet import read_checked, write_checked
from eyechart.store.disk_errors import storing
from eyechart.store.partial_file import partial_file

FOLDER = "hashes"
SUFFIX = ".parquet"

Hashes = Sequence[tuple[Identity, bytes]]

_SCHEMA = pa.schema(
    [
        ("place", pa.binary()),
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("inode", pa.uint64()),
        ("ctime_ns", pa.int64()),
        ("hash", pa.binary(32)),
    ]
)


def file_name(about: str) -> str:
    """The name of the file for a shard that is described by `about`: its dataset and its rows."""
    return hashlib.sha256(about.encode()).hexdigest()


def read_hashes(store: Path, name: str) -> Hashes:
    """The hashes of a file; none where it is missing or damaged, since they can be computed again."""
    try:
        table = read_checked(store / FOLDER / f"{name}{SUFFIX}").cast(_SCHEMA)
    except (OSError, pa.ArrowException, ValueError):
        return []
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return [(Identity(os.fsdecode(place), *numbers), key) for place, *numbers, key in rows]


def write_hashes(store: Path, name: str, hashes: Hashes) -> None:
    """Write the file of a shard, in place of one from before pictures were changed."""
    if not hashes:
        return
    cells = [(os.fsencode(i.place), i.size, i.mtime_ns, i.inode, i.ctime_ns, key) for i, key in hashes]
    table = pa.table(
        [pa.array(column, field.type) for column, field in zip(zip(*cells, strict=True), _SCHEMA, strict=True)], _SCHEMA
    )
    with storing(store / FOLDER, "write"), partial_file(store / FOLDER) as file:
        write_checked(table, file.file)
        file.seal()
        file.publish(f"{name}{SUFFIX}")


def take_in(store: Path, memory: HashMemory) -> None:
    """Add the hashes of all files that the table has not seen yet."""
    for path in sorted((store / FOLDER).glob(f"*{SUFFIX}")):
        about = path.stat()
        mark = f"{path.name} {about.st_mtime_ns} {about.st_size}"
        if memory.has_seen(mark):
            continue
        memory.remember(read_hashes(store, path.stem))
        memory.note_seen(mark)
