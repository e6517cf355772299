"""What encoding asks of the place where vectors are kept. The store offers it; encoding knows nothing else of the store."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

Key = bytes  # SHA-256 of the picture's or text's bytes, 32 of them


class Shelf(Protocol):
    """The vectors of one encoder in one role (pictures or texts, under one way of decoding), by key of content."""

    def missing(self, keys: Sequence[Key]) -> npt.NDArray[np.bool_]:
        """True where no vector is kept for the key. Sees what other processes have put meanwhile."""

    def put(self, keys: Sequence[Key], vectors: npt.NDArray[np.float32]) -> None:
        """Keep a batch for ever. When it returns, the batch survives any crash; before that, none of it exists."""

    def claim(self, shard: int, wait: bool) -> AbstractContextManager[bool]:
        """Hold the right to encode one of `SHARDS` shares of the work, so that two processes never encode the same thing.
        Gives False where another holds it and `wait` is False. Freed when the holder ends, however it ends."""

    def get(self, keys: Sequence[Key]) -> npt.NDArray[np.float32]:
        """[n, d] in the order of `keys`; KeyError for the first that is missing."""

    def put_notes(self, about: str, notes: Mapping[Key, str]) -> None:
        """Keep remarks on keys under a subject: `BROKEN` (a picture, with the reason) or `TRUNCATED` (a text)."""

    def notes(self, about: str, keys: Sequence[Key]) -> dict[Key, str]:
        """Those of the keys that have a remark under that subject."""


SHARDS = 16
BROKEN = "broken"
TRUNCATED = "cut"
