"""Shards: the listing of a dataset is split into bounded parts, and one pure function makes one segment of each.

The id of a shard is a hash of its ordered picture keys, the encoder's fingerprint and the preprocessing. It is the name of the
segment, so a segment that exists is done, whoever made it; a worker that is lost costs one shard.
"""

import hashlib
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eyechart.encode.batches import Passes, computed_batches, prepared_batches
from eyechart.encode.engine import Compute, Decode, PictureWork
from eyechart.encode.partitions import partition
from eyechart.encode.preparation import Preparation
from eyechart.encode.shelf import BROKEN, Key, Shelf
from eyechart.errors import UsageError
from eyechart.models.encoder import EncodesImages

SMALLEST, LARGEST = 1024, 65536  # pictures in a shard, where the user chooses no size
_MANY = 1000  # shards of a large dataset


@dataclass(frozen=True)
class Shard:
    """A bounded list of pictures under one encoder.

    fingerprint: The encoder.
    preprocessing: What is computed, and how pictures are decoded: the name of the shelf.
    keys: The keys of the pictures, sorted and without duplicates.
    """

    fingerprint: str
    preprocessing: str
    keys: tuple[Key, ...]

    @cached_property
    def id(self) -> str:
        """SHA-256 of encoder, preprocessing and keys, in hex."""
        digest = hashlib.sha256(f"{self.fingerprint}\n{self.preprocessing}\n".encode())
        digest.update(b"".join(self.keys))
        return digest.hexdigest()

    def only(self, keys: Collection[Key]) -> "Shard":
        """The shard of those of its pictures that are among `keys`."""
        return Shard(self.fingerprint, self.preprocessing, tuple(key for key in self.keys if key in keys))


@dataclass(frozen=True)
class ShardResult:
    """What became of a shard.

    stored: Pictures with a vector in its segment.
    encoded: Pictures that went through the network; 0 where the segment existed.
    unread: Pictures that could not be read this time, with the reason.
    seconds: How long it took.
    """

    stored: int
    encoded: int
    unread: dict[Key, str]
    seconds: float


def shard_size(pictures: int) -> int:
    """The number of pictures in a shard of a dataset: about a thousandth of them, from 1,024 to 65,536.

    It depends on the number of pictures alone, so that every worker splits a dataset in the same way."""
    return min(LARGEST, max(SMALLEST, math.ceil(pictures / _MANY)))


def split_rows(rows: int, size: int) -> list[range]:
    """The listing of a dataset as ranges of at most `size` rows."""
    return [range(start, min(start + size, rows)) for start in range(0, rows, size)]


def part_of(ranges: Sequence[range], part: int, parts: int) -> list[range]:
    """The ranges of one part of several: neighbors stay together, and the parts differ by at most one range."""
    if parts < 1 or not 0 <= part < parts:
        raise UsageError(f"there is no part {part} of {parts}; parts are counted from 0: 0/{parts} to {parts - 1}/{parts}")
    return list(ranges[part * len(ranges) // parts : (part + 1) * len(ranges) // parts])


def plan_shards(keys: Sequence[Key], fingerprint: str, preprocessing: str, size: int, batch_size: int) -> list[Shard]:
    """The shards of `keys`, which are sorted and without duplicates, with at most `size` each, or one batch.

    A shard is made of the batches that one process would form, so that the vectors are the same to the last bit."""
    many = max(1, size // batch_size)
    return [
        Shard(fingerprint, preprocessing, tuple(key for batch in share.batches[at : at + many] for key in batch))
        for share in partition(keys, batch_size)
        for at in range(0, len(share.batches), many)
    ]


def encode_shard(
    encoder: EncodesImages,
    shard: Shard,
    work: Mapping[Key, PictureWork],
    shelf: Shelf,
    *,
    decode: Decode,
    compute: Compute | None,
    batch_size: int,
    workers: int,
) -> ShardResult:
    """Make the segment of a shard. It exists as a whole or not at all, and is not made again where it exists.

    A picture that cannot be decoded is noted as broken, before the segment is written: a shard that is done has its notes."""
    began = time.monotonic()
    if not shard.keys or shelf.has_shard(shard.id):
        return ShardResult(len(shard.keys), 0, {}, time.monotonic() - began)
    keys: list[Key] = []
    vectors, encoded, broken, unread = [], 0, dict[Key, str](), dict[Key, str]()
    batches = [[work[key] for key in shard.keys[at : at + batch_size]] for at in range(0, len(shard.keys), batch_size)]
    preparation = Preparation(decode, encoder.prepare, batch_size=batch_size, workers=workers)
    try:
        ready = (prepared for _, prepared in prepared_batches(preparation, batches))
        for prepared, computed in computed_batches(Passes(encoder, compute), ready):
            encoded += computed.encoded
            broken |= computed.broken
            unread |= prepared.unread
            if computed.keys:
                keys += computed.keys
                vectors.append(computed.vectors)
    finally:
        preparation.stop()
    if broken:
        shelf.put_notes(BROKEN, broken)
    if keys:
        # Where some pictures could not be read now, the segment is that of the shard without them: they are tried again later.
        shelf.put_shard(shard.only(set(shard.keys) - unread.keys()).id if unread else shard.id, keys, np.concatenate(vectors))
    return ShardResult(len(keys), encoded, unread, time.monotonic() - began)
