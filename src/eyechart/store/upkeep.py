"""Maintenance of a store: list, verify, remove. Results are plain records, for people and for JSON."""

import shutil
import sqlite3
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from eyechart.encode.shelf import CLAIMS
from eyechart.errors import StoreError, did_you_mean
from eyechart.files.atomic import abandoned_files, remove_abandoned
from eyechart.files.hashing import hash_file
from eyechart.notice import counted
from eyechart.store import quarantine
from eyechart.store.answers import FILE, KeptAnswers, answers_in
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import begin_new
from eyechart.store.manifest import Entry, entry_of, record
from eyechart.store.notes import note_files, read_notes
from eyechart.store.segment import OF_SHARD, Damaged, Segment, check_content, open_segment
from eyechart.store.shelf import StoredShelf

_DAY = 24 * 3600.0


@dataclass(frozen=True)
class ShelfRow:
    """One shelf, as `eyechart store ls` lists it.

    fingerprint: The model.
    spec: The name by which the model was opened; None where unknown.
    role: What the vectors are of.
    variant: The way of decoding, as part of the folder's name.
    decoding: The way of decoding in words; empty where unknown.
    vectors: The number of vectors, or of replies.
    width: Their width; None for an empty shelf.
    bytes: Their size on disk.
    segments: The number of files.
    last_used: Seconds since 1970.
    """

    fingerprint: str
    spec: str | None
    role: str
    variant: str
    decoding: str
    vectors: int
    width: int | None
    bytes: int
    segments: int
    last_used: float


@dataclass(frozen=True)
class Damage:
    """A damaged file.

    path: The file.
    reason: What is wrong.
    set_aside: Whether it was set aside.
    """

    path: str
    reason: str
    set_aside: bool


@dataclass(frozen=True)
class Verification:
    """The result of verifying a store.

    segments: The number of valid segments.
    vectors: Their vectors.
    bytes: Their size.
    damaged: The damaged files.
    replies: The number of valid replies.
    """

    segments: int
    vectors: int
    bytes: int
    damaged: tuple[Damage, ...]
    replies: int = 0


@dataclass(frozen=True)
class Clearance:
    """What gc removed, or would remove.

    shelves: The removed shelves.
    in_use: Shelves that were kept because a process is using them.
    leftovers: Unfinished files of killed processes.
    bytes: The freed space.
    dry_run: Whether nothing was removed.
    """

    shelves: tuple[ShelfRow, ...]
    in_use: tuple[ShelfRow, ...]
    leftovers: tuple[str, ...]
    bytes: int
    dry_run: bool


def shelf_row(shelf: StoredShelf, spec: str | None, decodings: Mapping[str, str]) -> ShelfRow:
    segments = shelf.refresh()
    label = shelf.label
    replies, size = answers_in(shelf.folder)
    return ShelfRow(
        label.fingerprint,
        spec,
        label.role,
        label.variant,
        decodings.get(label.variant, ""),
        sum(segment.rows for segment in segments) + replies,
        shelf.width,
        sum(segment.bytes for segment in segments) + size,
        len(segments),
        last_used(shelf.folder),
    )


def last_used(folder: Path) -> float:
    used = folder / "used"
    return (used if used.exists() else folder).stat().st_mtime


def verify(store: Path, shelves: Sequence[StoredShelf], *, repair: bool) -> Verification:
    """Read everything. With `repair`, damaged files are set aside, records that the manifest lacks are added, and broken pictures
    are tried again."""
    checked: list[Segment] = []
    damaged: list[Damage] = []
    replies = 0

    def found(path: Path, reason: str) -> None:
        if repair:
            quarantine.set_aside(path, store, reason)
        damaged.append(Damage(str(path), reason, repair))

    for shelf in shelves:
        width: int | None = None
        with storing(shelf.folder, "verify"):
            for path in shelf.segment_paths():
                try:
                    segment = open_segment(path, shelf.label)
                    recorded = entry_of(shelf.folder, path.name)
                    check_content(segment, recorded.sha256 if recorded else None)
                    if repair and recorded is None and path.name.startswith(OF_SHARD):
                        # Its worker was killed before it wrote the record.
                        record(shelf.folder, Entry(path.name, hash_file(path).hex(), segment.rows, segment.bytes, "unknown"))
                    width = width or segment.width
                    if segment.width != width:
                        raise Damaged(f"its vectors have width {segment.width}, the shelf's have width {width}")
                    checked.append(segment)
                except FileNotFoundError:
                    continue  # removed by compaction
                except Damaged as damage:
                    found(path, str(damage))
            for path in sorted((shelf.folder / "notes").glob("*/*.json")):
                try:
                    read_notes(path)
                except Damaged as damage:
                    found(path, str(damage))
        replies += _check_replies(store, shelf, damaged, repair=repair)
        if repair:
            forget_broken(shelf)
    vectors, size = sum(segment.rows for segment in checked), sum(segment.bytes for segment in checked)
    return Verification(len(checked), vectors, size, tuple(damaged), replies)


def _check_replies(store: Path, shelf: StoredShelf, damaged: list[Damage], *, repair: bool) -> int:
    """The number of valid replies of a shelf; damage is added to a list."""
    path = shelf.folder / FILE
    if not path.exists():
        return 0
    with closing(KeptAnswers(shelf.folder, store, [], read_only=not repair)) as kept:
        try:
            intact, changed = kept.check(repair=repair)
        except sqlite3.DatabaseError as error:
            reason = f"not readable as a table of replies ({error})"
            if repair:
                kept.set_aside(reason)
            damaged.append(Damage(str(path), reason, repair))
            return 0
    if changed:
        damaged.append(Damage(str(path), f"{counted(changed, 'reply', 'replies')} changed on the disk", repair))
    return intact


def forget_broken(shelf: StoredShelf) -> None:
    """Let broken pictures be tried again, for example after an update of Pillow."""
    files = note_files(shelf.folder / "notes" / "broken")
    if not files:
        return
    begin_new(shelf.store, shelf.label.fingerprint)
    with storing(shelf.folder, "write"):
        for path in files:
            path.unlink(missing_ok=True)


def choose_models(known: dict[str, str | None], wanted: Sequence[str]) -> set[str]:
    """The fingerprints of models given by fingerprint, by its first 8 or more letters, or by the model's name."""
    chosen: set[str] = set()
    for word in wanted:
        hits = {f for f, spec in known.items() if word == spec or f == word or (len(word) >= 8 and f.startswith(word))}
        if not hits:
            hint = did_you_mean(word, [*known, *(spec for spec in known.values() if spec)])
            raise StoreError(f"the store has no model {word!r}{hint}; `eyechart store ls` lists its models")
        chosen |= hits
    return chosen


def clear(
    store: Path, rows: Sequence[tuple[StoredShelf, ShelfRow]], *, keep_days: float | None, models: set[str], dry_run: bool
) -> Clearance:
    """Remove the shelves of these models, shelves not used for `keep_days`, and unfinished files of killed processes."""
    limit = None if keep_days is None else time.time() - keep_days * _DAY
    removed: list[ShelfRow] = []
    in_use: list[ShelfRow] = []
    for shelf, row in rows:
        if row.fingerprint in models or (limit is not None and row.last_used < limit):
            gone = dry_run or _remove(shelf, store / "trash")
            (removed if gone else in_use).append(row)
    leftovers = abandoned_files(store)
    size = sum(row.bytes for row in removed) + sum(path.stat().st_size for path in leftovers)
    if not dry_run:
        with storing(store, "tidy up"):
            remove_abandoned(store)
            shutil.rmtree(store / "trash", ignore_errors=True)  # what remains is removed the next time
            for folder in {store / "models" / row.fingerprint for row in removed}:
                if folder.is_dir() and not any(path.is_dir() for path in folder.iterdir()):
                    shutil.rmtree(folder)  # the last shelf is gone: remove the model's facts too
    return Clearance(tuple(removed), tuple(in_use), tuple(map(str, leftovers)), size, dry_run)


def _remove(shelf: StoredShelf, trash: Path) -> bool:
    """Remove a shelf in one step. False where a process is encoding onto it."""
    with ExitStack() as claims:
        if not all(claims.enter_context(shelf.claim(number, wait=False)) for number in range(CLAIMS)):
            return False
        with storing(shelf.folder, "remove"):
            trash.mkdir(parents=True, exist_ok=True)
            begin_new(shelf.store, shelf.label.fingerprint)
            shelf.folder.replace(trash / uuid.uuid4().hex)
    return True
