"""The stamp of a page: what it was made from and the content of its files, so that a page that is written already is
recognized, and a damaged file of it is noticed."""

import json
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.errors import EyechartError
from eyechart.files.atomic import write_json
from eyechart.files.hashing import hash_bytes, hash_file
from eyechart.files.records import read_json

STAMP = ".page.json"
_RESULTS = ("findings.parquet", "skips.parquet", "predictions.parquet", "protocol.json")
_PROGRAM = ("docs", "findings", "report", "verdict")  # packages that a page depends on
_PICTURES = ".jpg"  # thumbnails, which are thousands; everything else of a page is text


def is_written(folder: Path) -> bool:
    """Whether `folder`/report is the page of the results in `folder`, and all its files are as they were written."""
    return written_from(folder) is not None


def written_from(folder: Path) -> str | None:
    """The hash of the results and the program that the page in `folder`/report is written from; None where it is not written."""
    page = folder / "report"
    stamp = _read(page)
    made_from = _made_from(folder)
    return made_from if stamp and stamp["made_from"] == made_from and _is_whole(page, stamp["files"]) else None


def write_stamp(folder: Path) -> None:
    """Note what the page in `folder`/report, which is complete, was made from, and the content of its files."""
    page = folder / "report"
    files = {name: [hash_file(page / name).hex(), *about] for name, about in sorted(_files(page)) if name != STAMP}
    write_json(page / STAMP, {"made_from": _made_from(folder), "files": files})


def is_damaged(page: Path, name: str) -> bool:
    """Whether a file of a page has another content than the stamp says, or the stamp cannot be read.

    Pages without a stamp, and files that it does not name, cannot be checked."""
    stamp = _read(page)
    if stamp is None:
        return os.path.lexists(page / STAMP)
    known = stamp["files"].get(name)
    return known is not None and hash_file(page / name).hex() != known[0]


def _is_whole(page: Path, known: dict[str, list[Any]]) -> bool:
    """Whether a page has these files. Texts are read, since they hold the numbers; pictures where size, times or inode differ."""
    found = {name: about for name, about in _files(page) if name != STAMP}
    if found.keys() != known.keys():
        return False
    read = [name for name, about in found.items() if not name.endswith(_PICTURES) or about != known[name][1:]]
    return all(hash_file(page / name).hex() == known[name][0] for name in read)


def _read(page: Path) -> dict[str, Any] | None:
    """The stamp of a page; None where there is none, or none that can be used."""
    try:
        found = (page / STAMP).stat()
        return _parsed(page / STAMP, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
    except (OSError, EyechartError):
        return None


@lru_cache(4)
def _parsed(path: Path, *changed: int) -> dict[str, Any] | None:
    stamp = read_json(path, remedy="write the page again", most_bytes=None)  # it names every file of the page
    whole = isinstance(stamp, dict) and stamp.keys() == {"made_from", "files"} and isinstance(stamp["files"], dict)
    return stamp if whole and all(isinstance(known, list) and known for known in stamp["files"].values()) else None


def _made_from(folder: Path) -> str:
    results = [folder / name for name in _RESULTS] + sorted((folder / "exhibits").glob("*/*.parquet"))
    content = [[str(path.relative_to(folder)), hash_file(path).hex() if path.is_file() else None] for path in results]
    return hash_bytes(json.dumps([__version__, _program(), content]).encode()).hex()


@cache
def _program() -> list[list[object]]:
    """The files of the program: a page that an older one wrote is written anew, even where the version is the same."""
    package = Path(__file__).parents[1]
    return [[name, *about[:2]] for part in _PROGRAM for name, about in sorted(_files(package / part))]


def _files(folder: Path, place: str = "") -> Iterator[tuple[str, list[int]]]:
    """Name, size, times of modification and change, and inode of every file below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(folder / entry.name, f"{place}{entry.name}/")
            else:
                about = entry.stat(follow_symlinks=False)
                yield f"{place}{entry.name}", [about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino]
