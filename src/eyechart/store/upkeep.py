"""Looking after a store: what is in it, whether it is whole, what can go. Plain records, for people and for JSON."""

import shutil
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from eyechart.encode.shelf import SHARDS
from eyechart.errors import StoreError, did_you_mean
from eyechart.files.atomic import abandoned_files
from eyechart.store import quarantine
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import begin_new
from eyechart.store.notes import note_files, read_notes
from eyechart.store.segment import Damaged, Segment, check_content, open_segment
from eyechart.store.shelf import StoredShelf

_DAY = 24 * 3600.0


@dataclass(frozen=True)
class ShelfRow:
    fingerprint: str
    spec: str | None
    role: str
    variant: str
    vectors: int
    width: int | None
    bytes: int
    segments: int
    last_used: float  # seconds since 1970


@dataclass(frozen=True)
class Damage:
    path: str
    reason: str
    set_aside: bool


@dataclass(frozen=True)
class Verification:
    segments: int
    vectors: int
    bytes: int
    damaged: tuple[Damage, ...]


@dataclass(frozen=True)
class Clearance:
    """What gc removed, or would remove (`dry_run`)."""

    shelves: tuple[ShelfRow, ...]
    in_use: tuple[ShelfRow, ...]
    leftovers: tuple[str, ...]
    bytes: int
    dry_run: bool


def shelf_row(shelf: StoredShelf, spec: str | None) -> ShelfRow:
    segments = shelf.refresh()
    label = shelf.label
    return ShelfRow(
        label.fingerprint,
        spec,
        label.role,
        label.variant,
        sum(segment.rows for segment in segments),
        shelf.width,
        sum(segment.bytes for segment in segments),
        len(segments),
        last_used(shelf.folder),
    )


def last_used(folder: Path) -> float:
    used = folder / "used"
    return (used if used.exists() else folder).stat().st_mtime


def verify(store: Path, shelves: Sequence[StoredShelf], *, repair: bool) -> Verification:
    """Read everything. With `repair`, what is damaged is set aside, and broken pictures are given another chance."""
    checked: list[Segment] = []
    damaged: list[Damage] = []

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
                    check_content(segment)
                    width = width or segment.width
                    if segment.width != width:
                        raise Damaged(f"its vectors have width {segment.width}, those of the shelf {width}")
                    checked.append(segment)
                except FileNotFoundError:
                    continue  # compacted away meanwhile
                except Damaged as trouble:
                    found(path, str(trouble))
            for path in sorted((shelf.folder / "notes").glob("*/*.json")):
                try:
                    read_notes(path)
                except Damaged as trouble:
                    found(path, str(trouble))
        if repair:
            forget_broken(shelf)
    vectors, size = sum(segment.rows for segment in checked), sum(segment.bytes for segment in checked)
    return Verification(len(checked), vectors, size, tuple(damaged))


def forget_broken(shelf: StoredShelf) -> None:
    """Let broken pictures be tried again, as when a newer Pillow may read them."""
    files = note_files(shelf.folder / "notes" / "broken")
    if not files:
        return
    begin_new(shelf.store, shelf.label.fingerprint)
    with storing(shelf.folder, "write"):
        for path in files:
            path.unlink(missing_ok=True)


def choose_models(known: dict[str, str | None], wanted: Sequence[str]) -> set[str]:
    """Fingerprints meant by full fingerprints, their beginnings (8 letters or more) or the names models are asked for by."""
    chosen: set[str] = set()
    for word in wanted:
        hits = {f for f, spec in known.items() if word == spec or f == word or (len(word) >= 8 and f.startswith(word))}
        if not hits:
            hint = did_you_mean(word, [*known, *(spec for spec in known.values() if spec)])
            raise StoreError(f"the store holds no model {word!r}{hint}; `eyechart store ls` shows what it holds")
        chosen |= hits
    return chosen


def clear(
    store: Path, rows: Sequence[tuple[StoredShelf, ShelfRow]], *, keep_days: float | None, models: set[str], dry_run: bool
) -> Clearance:
    """Remove the shelves of these models and those not used for `keep_days`, and what killed writers left behind."""
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
            for path in leftovers:
                path.unlink(missing_ok=True)
            shutil.rmtree(store / "trash", ignore_errors=True)  # what stays there is taken the next time
            for folder in {store / "models" / row.fingerprint for row in removed}:
                if folder.is_dir() and not any(path.is_dir() for path in folder.iterdir()):
                    shutil.rmtree(folder)  # the model's last shelf went: its facts go too
    return Clearance(tuple(removed), tuple(in_use), tuple(map(str, leftovers)), size, dry_run)


def _remove(shelf: StoredShelf, trash: Path) -> bool:
    """Out of sight in one step, so that nobody meets half a shelf. False where somebody is encoding onto it."""
    with ExitStack() as claims:
        if not all(claims.enter_context(shelf.claim(shard, wait=False)) for shard in range(SHARDS)):
            return False
        with storing(shelf.folder, "remove"):
            trash.mkdir(parents=True, exist_ok=True)
            begin_new(shelf.store, shelf.label.fingerprint)
            shelf.folder.replace(trash / uuid.uuid4().hex)
    return True
