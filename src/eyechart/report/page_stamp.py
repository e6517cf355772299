"""Whether the page of a run is written already: from the same results, by the same program, with all its files."""

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from eyechart import __version__
from eyechart.errors import EyechartError
from eyechart.files.atomic import write_json
from eyechart.files.hashing import hash_bytes, hash_file
from eyechart.files.records import read_json

STAMP = ".page.json"
_RESULTS = ("findings.parquet", "skips.parquet", "predictions.parquet", "protocol.json")
_PROGRAM = ("docs", "findings", "report", "verdict")  # packages that a page depends on


def is_written(folder: Path) -> bool:
    """Whether `folder`/report is the page of the results in `folder`, and no file of it is missing or has another size."""
    return written_from(folder) is not None


def written_from(folder: Path) -> str | None:
    """The hash of the results and the program that the page in `folder`/report is written from; None where it is not written."""
    page = folder / "report"
    try:
        stamp = read_json(page / STAMP, remedy="write the page again", most_bytes=None)  # it names every file of the page
    except EyechartError:
        return None
    made_from = _made_from(folder)
    return made_from if stamp == {"made_from": made_from, "files": _sizes(page)} else None


def write_stamp(folder: Path) -> None:
    """Note what the page in `folder`/report, which is complete, was made from."""
    page = folder / "report"
    write_json(page / STAMP, {"made_from": _made_from(folder), "files": _sizes(page)})


def _made_from(folder: Path) -> str:
    results = [folder / name for name in _RESULTS] + sorted((folder / "exhibits").glob("*/*.parquet"))
    content = [[str(path.relative_to(folder)), hash_file(path).hex() if path.is_file() else None] for path in results]
    return hash_bytes(json.dumps([__version__, _program(), content]).encode()).hex()


@cache
def _program() -> list[list[object]]:
    """The files of the program: a page that an older one wrote is written anew, even where the version is the same."""
    package = Path(__file__).parents[1]
    return [[name, size] for part in _PROGRAM for name, size in sorted(_files(package / part, with_times=True))]


def _sizes(page: Path) -> dict[str, object]:
    return {name: size for name, size in sorted(_files(page)) if name != STAMP}


def _files(folder: Path, place: str = "", *, with_times: bool = False) -> Iterator[tuple[str, object]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(folder / entry.name, f"{place}{entry.name}/", with_times=with_times)
            else:
                found = entry.stat(follow_symlinks=False)
                yield f"{place}{entry.name}", [found.st_size, found.st_mtime_ns] if with_times else found.st_size
