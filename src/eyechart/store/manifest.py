"""The manifest of a shelf: a record of every segment that was made of a shard, and of the segments that replaced some.

Records are only added, one small file each: no file is ever appended to, so that workers on several machines can record at the
same time, on a shared disk as well as in an object store.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from eyechart.files.atomic import write_json

FOLDER = "manifest"


@dataclass(frozen=True)
class Entry:
    """The record of a segment.

    segment: Its file name.
    sha256: The hash of its content, in hex.
    rows: Its vectors.
    bytes: Its size.
    host: The machine that made it.
    replaces: File names of the segments that were merged into it.
    """

    segment: str
    sha256: str
    rows: int
    bytes: int
    host: str
    replaces: tuple[str, ...] = ()


def record(shelf: Path, entry: Entry) -> None:
    """Add a record. A segment that has one keeps it."""
    path = path_of(shelf, entry.segment)
    if not path.exists():
        write_json(path, asdict(entry), sort_keys=True)


def entry_of(shelf: Path, segment: str) -> Entry | None:
    """The record of a segment; None where there is none, or it cannot be read."""
    return _read(path_of(shelf, segment))


def entries(shelf: Path) -> list[Entry]:
    """All records, by the name of the segment."""
    found = [_read(path) for path in sorted((shelf / FOLDER).glob("*.json"))]
    return [entry for entry in found if entry is not None]


def path_of(shelf: Path, segment: str) -> Path:
    """The file of a segment's record."""
    return shelf / FOLDER / f"{segment}.json"


def _read(path: Path) -> Entry | None:
    try:
        content = json.loads(path.read_bytes())
        return Entry(**{**content, "replaces": tuple(content["replaces"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
