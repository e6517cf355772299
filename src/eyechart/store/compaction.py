"""Compaction: many small segments become one. The new one is published before the old ones are removed."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eyechart.arrays import Floats
from eyechart.files.atomic import sync_folder
from eyechart.files.locks import hold
from eyechart.store import manifest
from eyechart.store.index import KeyIndex
from eyechart.store.label import Label
from eyechart.store.partial_file import partial_file
from eyechart.store.segment import BLOCK_ROWS, SUFFIX, Keys, Segment, open_segment, write_segment

# A long run merges its small segments from time to time: they stay few, and a vector is rewritten a few times at most.
SMALL_ROWS = 65536
MANY = 64


@dataclass(frozen=True)
class Compaction:
    """The result of compacting one shelf.

    fingerprint: The model.
    role: What the vectors are of.
    variant: The way of decoding.
    segments_before: Segments before.
    segments_after: Segments after.
    vectors: The number of vectors.
    """

    fingerprint: str
    role: str
    variant: str
    segments_before: int
    segments_after: int
    vectors: int


def merge(label: Label, segments: list[Segment], list_lock: Path) -> None:
    """Replace several segments by one. The caller holds the lock for compaction."""
    folder = segments[0].path.parent
    with partial_file(folder) as new:
        # Dated like its oldest part: where a key is stored twice, the same vector takes precedence as before.
        oldest = min(segment.created_ns for segment in segments)
        write_segment(new.file, label, segments[0].width, _merged_blocks(segments), oldest)
        sha256 = new.seal()
        name = sha256 + SUFFIX
        with hold(list_lock):
            path = new.publish(name)
            old = tuple(segment.path.name for segment in segments if segment.path.name != name)
            rows = open_segment(path, label).rows
            manifest.record(folder.parent, manifest.Entry(name, sha256, rows, path.stat().st_size, socket.gethostname(), old))
            for segment in segments:
                # Windows keeps a file that is mapped. It stays as a harmless duplicate until the next compaction.
                with suppress(PermissionError):
                    if segment.path.name != name:
                        segment.path.unlink(missing_ok=True)
            sync_folder(folder)


def _merged_blocks(segments: list[Segment]) -> Iterator[tuple[Keys, Floats]]:
    index = KeyIndex()
    index.add([block for segment in segments for block in segment.blocks])
    keys = np.unique(np.concatenate([block.keys for segment in segments for block in segment.blocks]))
    for start in range(0, len(keys), BLOCK_ROWS):
        part = keys[start : start + BLOCK_ROWS]
        block, row = index.find(part)
        yield part, index.read(block, row, segments[0].width)
