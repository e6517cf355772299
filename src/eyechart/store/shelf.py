"""A shelf: the segments of one encoder in one role. Several readers, writers and processes may use it at once."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.encode.validate import faults
from eyechart.errors import StoreError
from eyechart.files.locks import hold, hold_shared
from eyechart.notice import Notice, counted
from eyechart.store import manifest
from eyechart.store.compaction import MANY, SMALL_ROWS, Compaction, merge
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import epoch
from eyechart.store.index import KeyIndex, as_keys
from eyechart.store.label import Label
from eyechart.store.mirror import Mirror
from eyechart.store.notes import Notes
from eyechart.store.partial_file import partial_file
from eyechart.store.quarantine import set_aside
from eyechart.store.segment import (
    BLOCK_ROWS,
    OF_SHARD,
    SUFFIX,
    Block,
    Damaged,
    Segment,
    check_block,
    check_size,
    open_segment,
    write_segment,
)

_RETRIES = 100
_LARGEST_HALF, _SMALLEST_HALF = 65504.0, 1e-3  # of the largest number of a vector; below, digits are lost


class StoredShelf:
    """The store's implementation of `eyechart.encode.shelf.Shelf`."""

    def __init__(self, store: Path, label: Label, notices: list[Notice], mirror: Mirror | None = None) -> None:
        self.label = label
        self._mirror = mirror
        self.folder = store / "models" / label.fingerprint / label.folder_name
        self.store, self._notices = store, notices
        self._lock = threading.RLock()
        self._segments: dict[str, Segment] = {}
        self._index = KeyIndex()
        self._checked: dict[int, Block] = {}  # blocks with the right checksum, by their identity
        self._notes: dict[str, Notes] = {}

    @property
    def place(self) -> str:
        """Where its store is, for other processes: a folder or an address."""
        return str(self._mirror.address if self._mirror else self.store)

    @property
    def segment_folder(self) -> Path:
        return self.folder / "segments"

    @property
    def list_lock(self) -> Path:
        """The lock of the list of segments: shared for listing, exclusive while compaction replaces segments."""
        return self.folder / "list.lock"

    @property
    def width(self) -> int | None:
        """The width of its vectors; None on an empty shelf."""
        return next((segment.width for segment in self._segments.values()), None)

    @property
    def epoch(self) -> int:
        """The epoch of the model's vectors, see `epoch.py`."""
        return epoch(self.store, self.label.fingerprint)

    def missing(self, keys: Sequence[bytes]) -> npt.NDArray[np.bool_]:
        wanted = as_keys(keys)
        with self._lock:
            while True:
                self.refresh()
                block, _ = self._index.find(wanted)
                # Damage must show before anything is encoded: its vectors are missing then, and are encoded again.
                if self._sound(self._index.blocks_of(block)):
                    return block < 0

    def get(self, keys: Sequence[bytes]) -> Floats:
        wanted = as_keys(keys)
        with self._lock:
            block, row = self._index.find(wanted)
            if bool((block < 0).any()):
                self.refresh()
                block, row = self._index.find(wanted)
            lost = np.flatnonzero(block < 0)
            if len(lost):
                raise KeyError(keys[int(lost[0])].hex())
            if not self._sound(self._index.blocks_of(block)):
                raise StoreError(f"{self._notices[-1]}; run this again, which encodes these vectors again")
            vectors = self._index.read(block, row, self.width or 0)
        # Only valid vectors are ever stored, so an invalid one means damage that the file format does not reveal.
        if bad := faults(vectors):
            raise StoreError(
                f"{self.segment_folder}: {counted(len(bad), 'damaged vector')}: zero, infinite or NaN; run `eyechart store "
                "verify`, which sets damaged files aside, then run this again"
            )
        return vectors

    def put(self, keys: Sequence[bytes], vectors: Floats) -> None:
        names = as_keys(keys)
        if vectors.ndim != 2 or len(vectors) != len(names):
            raise ValueError(f"{len(names)} keys and vectors of shape {vectors.shape}")
        with self._lock:
            self.refresh()
            width = self.width or vectors.shape[1]
            if vectors.shape[1] != width:
                raise StoreError(
                    f"{self.folder}: vectors of width {vectors.shape[1]} do not fit the stored width {width}; the model has "
                    f"changed but its fingerprint has not: `eyechart store gc --model {self.label.fingerprint[:12]}` removes them"
                )
            _, first = np.unique(names, return_index=True)
            new = first[self._index.find(names[first])[0] < 0]
            if len(new) == 0:
                return
            self._require_room(vectors)
            self.prepare_to_write()
            with partial_file(self.segment_folder) as new_file:
                parts = (new[start : start + BLOCK_ROWS] for start in range(0, len(new), BLOCK_ROWS))
                write_segment(new_file.file, self.label, width, ((names[part], vectors[part]) for part in parts))
                published = new_file.publish(new_file.seal() + SUFFIX)
            self.touch()
            if self._mirror is not None:
                self._mirror.push([published])
            elif sum(segment.rows < SMALL_ROWS for segment in self.refresh()) >= MANY:
                self.compact(below_rows=SMALL_ROWS, wait=False)

    def has_shard(self, shard: str) -> bool:
        path = self._shard_path(shard)
        if self._mirror is not None:
            return self._mirror.has(path)
        with storing(self.segment_folder, "read"):
            return path.exists()

    def put_shard(self, shard: str, keys: Sequence[bytes], vectors: Floats) -> bool:
        names = as_keys(keys)
        self._require_room(vectors)
        self.prepare_to_write()
        target = self._shard_path(shard)
        with partial_file(self.segment_folder) as new_file:
            parts = [slice(start, start + BLOCK_ROWS) for start in range(0, len(names), BLOCK_ROWS)]
            blocks = ((names[part], vectors[part]) for part in parts)
            write_segment(new_file.file, self.label, vectors.shape[1], blocks)
            sha256 = new_file.seal()
            new = not target.exists()
            if new:
                new_file.publish(target.name)
        if new:
            size = target.stat().st_size
            with storing(self.folder, "write"):
                manifest.record(self.folder, manifest.Entry(target.name, sha256, len(names), size, socket.gethostname()))
        self.touch()
        if self._mirror is not None:
            record = manifest.path_of(self.folder, target.name)
            self._mirror.push([target, *([record] if record.exists() else [])])
        return new

    def _require_room(self, vectors: Floats) -> None:
        """Half precision ends at 65,504, and at 6e-8: a vector that would become infinite or zero is refused."""
        if self.label.half and len(vectors):
            largest = np.abs(vectors).max(axis=1)
            if float(largest.max()) > _LARGEST_HALF or float(largest.min()) < _SMALLEST_HALF:
                numbers = f"{float(largest.min()):.3g} to {float(largest.max()):.3g}"
                raise StoreError(
                    f"{self.folder}: the largest number of the model's vectors is from {numbers}, and half precision cannot hold "
                    "that; leave out --store-precision float16"
                )

    def _shard_path(self, shard: str) -> Path:
        return self.segment_folder / f"{OF_SHARD}{shard}{SUFFIX}"

    @contextmanager
    def claim(self, number: int, wait: bool) -> Iterator[bool]:
        path = self.folder / "claims" / f"{number:02d}.lock"
        with ExitStack() as stack:
            with storing(path, "lock"):  # only for taking the lock: an OSError inside the claim is not the store's
                held = stack.enter_context(hold(path, wait=wait))
            yield held

    def compact(self, *, below_rows: int | None = None, wait: bool = True) -> Compaction | None:
        """Merge all segments, or those with fewer rows. None where another process is compacting and `wait` is False."""
        if self._mirror is not None:
            raise StoreError(f"{self._mirror.address}: a store at an address is not compacted: others may be reading it")
        self.prepare_to_write()
        with self._lock, storing(self.folder, "compact"), hold(self.folder / "compact.lock", wait=wait) as held:
            if not held:
                return None
            while True:
                before = self.refresh()
                small = [segment for segment in before if below_rows is None or segment.rows < below_rows]
                if self._sound([block for segment in small for block in segment.blocks]):
                    break  # else damaged vectors would get a new checksum
            if len(small) > 1:
                merge(self.label, small, self.list_lock)
            after = self.refresh()
        label, vectors = self.label, sum(segment.rows for segment in after)
        return Compaction(label.fingerprint, label.role, label.variant, len(before), len(after), vectors)

    def put_notes(self, about: str, notes: Mapping[bytes, str]) -> None:
        with self._lock:
            self._about(about).put(notes)
        if self._mirror is not None:
            self._mirror.pull(self.folder / "notes" / about)

    def notes(self, about: str, keys: Sequence[bytes]) -> dict[bytes, str]:
        if self._mirror is not None:
            self._mirror.pull(self.folder / "notes" / about)
        with self._lock:
            return self._about(about).get(keys)

    def _about(self, about: str) -> Notes:
        if about not in self._notes:
            self._notes[about] = Notes(self.folder / "notes" / about, self.store, self._notices)
        return self._notes[about]

    def _sound(self, blocks: Sequence[Block]) -> bool:
        """Whether these blocks are as they were written. Segments with other ones are set aside."""
        damaged: dict[Path, str] = {}
        for block in blocks:
            try:
                check_size(block) if id(block) in self._checked else check_block(block)
                self._checked[id(block)] = block
            except Damaged as damage:
                damaged[block.path] = str(damage)
        for path, reason in damaged.items():
            self._notices.append(set_aside(path, self.store, reason))
        return not damaged

    def refresh(self) -> list[Segment]:
        """Update the list of segments; returns them, oldest first."""
        if self._mirror is not None and self._mirror.fetch_segments:
            self._mirror.pull(self.segment_folder)
        with self._lock, storing(self.segment_folder, "read"):
            for _ in range(_RETRIES):
                names = {path.name for path in self.segment_paths()}
                if names == self._segments.keys():
                    return list(self._segments.values())
                try:
                    self._open(names)
                except FileNotFoundError:
                    continue  # replaced between listing and opening: list again
                return list(self._segments.values())
        raise StoreError(
            f"{self.segment_folder}: segments keep disappearing while they are opened; check whether another program deletes them"
        )

    def segment_paths(self) -> list[Path]:
        with hold_shared(self.list_lock):
            try:
                return sorted(path for path in self.segment_folder.iterdir() if path.suffix == SUFFIX)
            except FileNotFoundError:
                return []

    def _open(self, names: set[str]) -> None:
        new: list[Segment] = []
        for name in names - self._segments.keys():
            path = self.segment_folder / name
            try:
                new.append(open_segment(path, self.label))
            except Damaged as damage:
                self._notices.append(set_aside(path, self.store, str(damage)))
        kept = [segment for name, segment in self._segments.items() if name in names]
        if len(kept) < len(self._segments):
            kept, new, self._segments, self._index = [], kept + new, {}, KeyIndex()
        new.sort(key=lambda segment: (segment.created_ns, segment.path.name))
        fitting = self._fitting(kept, new)
        self._index.add([block for segment in fitting for block in segment.blocks])
        self._segments = {segment.path.name: segment for segment in kept + fitting}

    def _fitting(self, kept: list[Segment], new: list[Segment]) -> list[Segment]:
        width = (kept + new)[0].width if kept or new else 0
        for segment in new:
            if segment.width != width:
                reason = f"its vectors have width {segment.width}, the shelf's have width {width}"
                self._notices.append(set_aside(segment.path, self.store, reason))
        return [segment for segment in new if segment.width == width]

    def prepare_to_write(self) -> None:
        """Create the folder and its lock, which must exist before the first segment."""
        with storing(self.folder, "write"):
            self.segment_folder.mkdir(parents=True, exist_ok=True)
            self.list_lock.touch()

    def touch(self) -> None:
        """Record the time of use. A read-only store can still be read."""
        with suppress(OSError):
            (self.folder / "used").touch()
