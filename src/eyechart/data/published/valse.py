"""VALSE (Parcalabescu et al., 2022): captions and foils for six phenomena of language, a file each.

{"key": {"image_file", "caption", "foil", "linguistic_phenomena", "mturk": {"caption", "foil", "other"}}, …}. An entry counts
where at least two of three people chose the caption and not the foil, as in the paper."""

from pathlib import Path
from typing import Any

from eyechart.data.published.foil_entries import Entry, foiled, read_json, rows_of, text
from eyechart.data.published.published_set import UNKNOWN_LICENCE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.notice import Notice, counted

MAJORITY = 2


def read_valse(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """`split`: one file alone, by its name without .json."""
    files = [path for path in sorted(folder.glob("*.json")) if split in (None, path.stem)]
    if not files:
        raise DataError(f"{folder}: there is no {split or '*'}.json in it; give the folder of VALSE's files")
    entries, doubtful = [], 0
    for path in files:
        for where, row in rows_of(read_json(path), path):
            if _agreed(row):
                said, foil = text(row, "caption", where), text(row, "foil", where)
                entries.append(Entry(text(row, "image_file", where), (said,), (foil,), path.stem, where))
            else:
                doubtful += 1
    if not entries:
        raise DataError(f"{folder}: no entry in it was agreed on by {MAJORITY} people")
    what = f"{counted(doubtful, 'entry', 'entries')} left out, on which people did not agree"
    notices = [Notice(str(folder), what, "published figures leave them out too")] if doubtful else []
    return foiled(folder, entries, "valse", root, notices)


def _agreed(row: dict[str, Any]) -> bool:
    votes = row.get("mturk")
    return not isinstance(votes, dict) or votes.get("caption", 0) >= MAJORITY


SET = PublishedSet(
    name="valse",
    read=read_valse,
    n=None,
    licence=UNKNOWN_LICENCE,
    about="Captions and foils for six linguistic phenomena.",
    layout="a JSON file per phenomenon; --root for the pictures",
    example="valse:valse/",
    citation="Parcalabescu et al., 2022",
)
