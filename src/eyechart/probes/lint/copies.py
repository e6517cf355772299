"""Near-duplicate pictures: found by their vectors, confirmed by their pixels."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.data.picture import FORMATS, memory_for
from eyechart.metrics.classification.near_duplicates import near_pairs
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.originals import refers_to_source

PAIRS = 2000  # of the nearest pictures, that are compared by their pixels
BITS = 8  # of 64 may differ


@dataclass(frozen=True)
class CopyPair:
    """Two pictures that show the same.

    id: The picture of the examined dataset.
    other_id: The other one.
    other_dataset: Its dataset.
    labels: What each is labeled as; empty where there is no label.
    """

    id: str
    other_id: str
    other_dataset: str
    labels: tuple[str, str]


@dataclass(frozen=True)
class Copies:
    """Near-duplicates that were found.

    pairs: The pairs.
    pictures: How many pictures of the examined dataset are in one.
    searched: How many were searched.
    """

    pairs: tuple[CopyPair, ...]
    pictures: int
    searched: int


def conflicting_copies(inputs: ProbeInput[Any], rows: Indices, labels: Indices) -> Copies:
    """Near-duplicates within the dataset that have different labels."""
    searched = rows[: inputs.settings.most]
    if not _readable(inputs.dataset, searched):
        return Copies((), 0, 0)
    found = near_pairs(inputs.images[searched], None, inputs.settings.copies, PAIRS)
    kept = [(int(a), int(b)) for a, b in found if labels[a] != labels[b]]
    return _confirmed(inputs, inputs, [(int(searched[a]), int(searched[b])) for a, b in kept], len(searched))


def leaked_copies(inputs: ProbeInput[Any], rows: Indices) -> Copies:
    """Near-duplicates in the datasets that this one is compared with; copies that were made of its pictures do not count."""
    searched = rows[: inputs.settings.most]
    others = [other for role in ("shift", "ood") for other in inputs.companions_of(role)]
    others = [other for other in others if other is not inputs and not refers_to_source(other, inputs)]
    if not others or not _readable(inputs.dataset, searched):
        return Copies((), 0, 0)
    pairs: list[CopyPair] = []
    for other in others:
        theirs = np.arange(min(len(other.dataset), inputs.settings.most))
        found = near_pairs(inputs.images[searched], other.images[theirs], inputs.settings.copies, PAIRS)
        pairs += _confirmed(inputs, other, [(int(searched[a]), int(b)) for a, b in found], len(searched)).pairs
    return Copies(tuple(pairs), len({pair.id for pair in pairs}), len(searched))


def _confirmed(inputs: ProbeInput[Any], other: ProbeInput[Any], rows: list[tuple[int, int]], searched: int) -> Copies:
    hashes: dict[tuple[int, int], int | None] = {}

    def hash_of(which: int, of: ProbeInput[Any], row: int) -> int | None:
        if (which, row) not in hashes:
            hashes[which, row] = difference_hash(of.dataset, row)
        return hashes[which, row]

    pairs = []
    ids, other_ids = inputs.dataset.ids(), other.dataset.ids()
    same = inputs is other
    for a, b in rows:
        first, second = hash_of(0, inputs, a), hash_of(0 if same else 1, other, b)
        if first is not None and second is not None and (first ^ second).bit_count() <= BITS:
            labels = _label(inputs.dataset, a), _label(other.dataset, b)
            pairs.append(CopyPair(ids[a], other_ids[b], other.dataset.name, labels))
    pictures = {pair.id for pair in pairs} | ({pair.other_id for pair in pairs} if same else set())
    return Copies(tuple(pairs), len(pictures), searched)


def difference_hash(dataset: Dataset, row: int) -> int | None:
    """64 bits: whether each of 8 × 8 cells is brighter than its left neighbor; None where the picture cannot be read."""
    try:
        data = dataset.pictures.read(row)
        with memory_for(data), Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            gray = np.asarray(picture.convert("L").resize((9, 8), Image.Resampling.BOX), np.int64)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    bits = (gray[:, 1:] > gray[:, :-1]).ravel()
    return int("".join("1" if bit else "0" for bit in bits), 2)


def _label(dataset: Dataset, row: int) -> str:
    return str(dataset.table["label"][row].as_py() or "") if dataset.has("label") else ""


def _readable(dataset: Dataset, rows: Indices) -> bool:
    """Whether there are pictures behind the vectors: a model given by its vectors may come without."""
    return len(rows) > 0 and difference_hash(dataset, int(rows[0])) is not None
