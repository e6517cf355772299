"""Partitions of the work: shares that one process claims at a time, and batches within a share.

Both follow from the sorted keys of all wanted pictures, not of the missing ones, so that a resumed run and a parallel run divide
the work in the same way. A share is a range of first bytes: two processes with different plans still agree on who encodes a
picture."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.encode.shelf import CLAIMS, Key

_BATCHES_PER_SHARE = 4  # fewer pictures would leave many half-filled batches


@dataclass(frozen=True)
class Share:
    claims: range
    batches: tuple[tuple[Key, ...], ...]


def partition(wanted: Sequence[Key], batch_size: int) -> list[Share]:
    """The shares of `wanted`, which is sorted and without duplicates."""
    count = CLAIMS
    while count > 1 and len(wanted) < count * _BATCHES_PER_SHARE * batch_size:
        count //= 2
    wide = CLAIMS // count
    shares = []
    for first in range(0, CLAIMS, wide):
        start, end = (
            bisect_left(wanted, bytes([number * 256 // CLAIMS])) if number < CLAIMS else len(wanted)
            for number in (first, first + wide)
        )
        batches = tuple(tuple(wanted[at : min(at + batch_size, end)]) for at in range(start, end, batch_size))
        if batches:
            shares.append(Share(range(first, first + wide), batches))
    return shares
