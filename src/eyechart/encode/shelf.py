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

    def claim(self, shard: int, wait: bool) -> AbstractContextManager[bool]:
        """Claim one of `SHARDS` shares of the work, so that two processes never encode the same picture.

        False where another process holds it and `wait` is False. Released when the process ends, however it ends."""

    def get(self, keys: Sequence[Key]) -> npt.NDArray[np.float32]:
        """[n, d] vectors in the order of `keys`; KeyError for the first missing one."""

    def put_notes(self, about: str, notes: Mapping[Key, str]) -> None:
        """Store notes about keys: `BROKEN` (a picture, with the reason) or `TRUNCATED` (a text)."""

    def notes(self, about: str, keys: Sequence[Key]) -> dict[Key, str]:
        """The keys that have such a note, with the note."""


SHARDS = 16
BROKEN = "broken"
TRUNCATED = "cut"
