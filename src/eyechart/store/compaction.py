"""Many small segments become one: the new one is there before the old ones go, and a reader of the old ones keeps reading."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eyechart.arrays import Floats
from eyechart.files.atomic import sync_folder
from eyechart.files.locks import hold
from eyechart.store.index import KeyIndex
from eyechart.store.label import Label
from eyechart.store.partial_file import partial_file
from eyechart.store.segment import BLOCK_ROWS, SUFFIX, Keys, Segment, write_segment

# A long run merges its small segments now and then: they stay few, and a vector is rewritten a handful of times at most.
SMALL_ROWS = 65536
MANY = 64


@dataclass(frozen=True)
class Compaction:
    fingerprint: str
    role: str
    variant: str
    segments_before: int
    segments_after: int
    vectors: int


def merge(label: Label, segments: list[Segment], list_lock: Path) -> None:
    """Put one segment in the place of several. The caller sees to it that nobody else is merging them."""
    folder = segments[0].path.parent
    with partial_file(folder) as new:
        # Dated like its oldest part: where a key is held twice, the vector that won before wins after.
        oldest = min(segment.created_ns for segment in segments)
        write_segment(new.file, label, segments[0].width, _merged_blocks(segments), oldest)
        name = new.seal() + SUFFIX
        with hold(list_lock):
            new.publish(name)
            for segment in segments:
                # Windows keeps a file that someone has mapped. It is doubled then, which harms nobody; the next merge takes it.
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
