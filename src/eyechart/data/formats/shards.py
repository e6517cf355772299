"""Several files that are one dataset: how they are named, and which row is in which file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob
from itertools import accumulate
from pathlib import Path

import numpy as np

from eyechart.errors import DataError
from eyechart.files.remote import RemotePath, remote_path
from eyechart.files.text import nearest_sibling

_RANGE = re.compile(r"\{([0-9]+)\.\.([0-9]+)\}|\{([^{}]*,[^{}]*)\}")
_MOST_FILES = 100_000
_DIGITS = 12


@dataclass(frozen=True)
class Shards:
    """The files of a dataset.

    paths: The files, in order.
    starts: The first row of every file, and at the end the number of all rows.
    """

    paths: tuple[Path | RemotePath, ...]
    starts: tuple[int, ...]

    def find(self, row: int) -> tuple[Path | RemotePath, int]:
        """The file of a row, and the row's number in it."""
        index = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.paths[index], row - self.starts[index]

    def where(self, row: int) -> str:
        path, within = self.find(row)
        return f"{path}, row {within + 1}"


def shards_of(paths: Sequence[Path | RemotePath], counts: Sequence[int]) -> Shards:
    return Shards(tuple(paths), tuple(accumulate(counts, initial=0)))


def expand(spec: str) -> list[Path]:
    """The files behind a path, a glob (`data/train-*.parquet`) or a range (`shard-{0000..0009}.tar`), sorted."""
    if Path(spec).exists():
        return [Path(spec)]
    paths: list[Path] = []
    _check_count(spec)
    for pattern in _ranges(spec):
        if any(sign in pattern for sign in "*?["):
            paths += [Path(path) for path in glob(pattern, recursive=True)]  # noqa: PTH207  (Path.glob takes no absolute one)
        elif Path(pattern).exists():
            paths.append(Path(pattern))
        else:
            raise DataError(f"{spec}: there is no {pattern}{nearest_sibling(Path(pattern))}")
    if not paths:
        raise DataError(f"{spec}: no file matches; check the folder and the pattern")
    return sorted(set(paths))


def expand_address(spec: str) -> list[RemotePath]:
    """The files behind an address, a glob or a range, sorted."""
    _check_count(spec)
    found: list[RemotePath] = []
    for pattern in _ranges(spec):
        path = remote_path(pattern)
        if any(sign in pattern for sign in "*?["):
            found += path.matches()
        elif path.is_file():
            found.append(path)
        else:
            raise DataError(f"{spec}: there is no {pattern}; check the bucket and the name")
    if not found:
        raise DataError(f"{spec}: no file matches; check the bucket and the pattern")
    return sorted(set(found))


def _check_count(spec: str) -> None:
    """Ranges multiply: two of a thousand files each would be a million names."""
    count = 1
    for first, last, words in _RANGE.findall(spec):
        numbers = int(last[:_DIGITS]) - int(first[:_DIGITS]) + 1 if not words else words.count(",") + 1
        if max(len(first), len(last)) > _DIGITS or (not words and numbers < 1):
            raise DataError(f"{spec}: a range is empty or too long; write the smaller number first")
        count *= numbers
        if count > _MOST_FILES:
            raise DataError(f"{spec}: its ranges name more than {_MOST_FILES:,} files; name fewer at a time, or use a glob (*)")


def _ranges(spec: str) -> list[str]:
    """'a-{08..11}.tar' → a-08.tar … a-11.tar; '{train,val}' → both."""
    found = _RANGE.search(spec)
    if not found:
        return [spec]
    if found[3] is not None:
        choices = found[3].split(",")
    else:
        first, last = int(found[1]), int(found[2])
        choices = [str(number).zfill(len(found[1])) for number in range(first, last + 1)]
    return [rest for choice in choices for rest in _ranges(spec[: found.start()] + choice + spec[found.end() :])]
