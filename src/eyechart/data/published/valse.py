"""VALSE (Parcalabescu et al., 2022): captions and foils for six linguistic phenomena, one file each.

{"key": {"image_file", "caption", "foil", "linguistic_phenomena", "mturk": {"caption", "foil", "other"}}, …}. As in the
paper, an entry is used where at least two of three annotators preferred the caption."""

from pathlib import Path
from typing import Any

from eyechart.data.published.foil_entries import Entry, foiled, rows_of, text
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.notice import Notice, counted

MAJORITY = 2


def read_valse(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read all files, or only the file `split`.json."""
    files = [path for path in sorted(folder.glob("*.json")) if split in (None, path.stem)]
    if not files:
        raise DataError(f"{folder}: it contains no {split or '*'}.json; give the folder of VALSE's files")
    entries, doubtful = [], 0
    for path in files:
        for where, row in rows_of(path):
            if _agreed(row, where):
                caption, foil = text(row, "caption", where), text(row, "foil", where)
                entries.append(Entry(text(row, "image_file", where), (caption,), (foil,), path.stem, where))
            else:
                doubtful += 1
    if not entries:
        raise DataError(f"{folder}: no entry has the agreement of {MAJORITY} annotators")
    what = f"{counted(doubtful, 'entry', 'entries')} without agreement of the annotators left out"
    notices = [Notice(str(folder), what, "published results leave them out too")] if doubtful else []
    return foiled(folder, entries, "valse", root, notices)


def _agreed(row: dict[str, Any], where: str) -> bool:
    votes = row.get("mturk")
    if not isinstance(votes, dict):
        return True
    count = votes.get("caption", 0)
    if not isinstance(count, int | float):
        raise DataError(f"{where}: 'mturk' has {count!r} votes for the caption; it must be a number")
    return count >= MAJORITY


SET = PublishedSet(
    name="valse",
    read=read_valse,
    n=None,
    license=UNKNOWN_LICENSE,
    about="Captions and foils for six linguistic phenomena.",
    layout="a JSON file per phenomenon; --root for the pictures",
    example="valse:valse/",
    citation="Parcalabescu et al., 2022",
)
