"""Datasets of a bank: scenes of several objects with ground truth, and pictures of single objects."""

from collections.abc import Iterator

import numpy as np

from eyechart.world.bank_scenes import Staging, block, rows_of_objects, single_objects
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, class_list
from eyechart.world.design import Row
from eyechart.world.folder_bank import FolderBank
from eyechart.world.subjects import Banked


def scenes_of(bank: FolderBank, name: str, staging: Staging) -> WorldDataset:
    """One large object and small ones. The label of a picture is the name of its large object."""
    whole = block(bank, staging)
    return WorldDataset(
        name=name,
        number=2001,
        about="one large object and small ones in a row; every object equally often at every position and size rank",
        usual=whole,
        draw=lambda streams: _draw_scenes(bank, staging, streams),
        classes=class_list(name, bank.names),
        block=whole,
    )


def singles_of(bank: FolderBank, name: str, staging: Staging) -> WorldDataset:
    """Every object alone, once."""
    return WorldDataset(
        name=name,
        number=2002,
        about="every object alone in the middle of a picture",
        usual=len(bank.names),
        draw=lambda streams: _draw_singles(bank, staging, streams),
        classes=class_list(name, bank.names),
    )


def _draw_scenes(bank: FolderBank, staging: Staging, streams: Streams) -> Iterator[Shot]:
    for number, (row, scene) in enumerate(rows_of_objects(bank, staging, streams)):
        names = [bank.names[name] for name in row.names]
        large = row.ranks.index(0)
        attributes = {
            "count": len(names),
            "large_place": large + 1,
            "large_at": "start" if large == 0 else "end" if large == len(names) - 1 else "middle",
        }
        words = _captions(names, row, streams.words(number))
        yield Shot(f"{number:06d}", Banked(scene, bank), names[large], words, attributes=attributes)


def _draw_singles(bank: FolderBank, staging: Staging, streams: Streams) -> Iterator[Shot]:
    for number, scene in enumerate(single_objects(bank, staging, streams)):
        name = bank.names[number]
        yield Shot(f"{number:06d}", Banked(scene, bank), name, (name,))


def _captions(names: list[str], row: Row, rng: np.random.Generator) -> tuple[str, ...]:
    """Names joined by "and": largest first, smallest first, from left to right, and in random order."""
    by_size = [name for _, name in sorted(zip(row.ranks, names, strict=True))]
    shuffled = [names[int(i)] for i in rng.permutation(len(names))]
    return tuple(" and ".join(order) for order in (by_size, by_size[::-1], names, shuffled))
