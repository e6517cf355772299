"""The interface of encoding to the place where vectors are stored. The store implements it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

Key = bytes  # SHA-256 of the picture's or text's bytes: 32 bytes


class Shelf(Protocol):
    """The vectors of one encoder in one role (pictures under one way of decoding, or texts), by content key."""

    def missing(self, keys: Sequence[Key]) -> npt.NDArray[np.bool_]:
        """True where the key has no vector. Includes vectors that other processes have stored since."""

    def put(self, keys: Sequence[Key], vectors: npt.NDArray[np.float32]) -> None:
        """Store a batch. When it returns, the batch survives any crash; before that, none of it exists."""

    def claim(self, number: int, wait: bool) -> AbstractContextManager[bool]:
        """Claim one of `CLAIMS` shares of the work, so that two processes never encode the same picture.

        False where another process holds it and `wait` is False. Released when the process ends, however it ends."""

    def has_shard(self, shard: str) -> bool:
        """Whether the segment of a shard exists: then the shard is done."""

    def put_shard(self, shard: str, keys: Sequence[Key], vectors: npt.NDArray[np.float32]) -> bool:
        """Store the vectors of a shard as one segment; keys are sorted. False where it exists already, which is as good.

        Takes no lock: workers on several machines may store shards of one shelf at the same time."""

    def get(self, keys: Sequence[Key]) -> npt.NDArray[np.float32]:
        """[n, d] vectors in the order of `keys`; KeyError for the first missing one."""

    def put_notes(self, about: str, notes: Mapping[Key, str]) -> None:
        """Store notes about keys: `BROKEN` (a picture, with the reason) or `TRUNCATED` (a text)."""

    def notes(self, about: str, keys: Sequence[Key]) -> dict[Key, str]:
        """The keys that have such a note, with the note."""


CLAIMS = 16
BROKEN = "broken"
TRUNCATED = "cut"
