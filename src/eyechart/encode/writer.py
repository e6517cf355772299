"""Collects batches into larger segments before they are stored; a crash loses at most a few seconds of work."""

import time

import numpy as np

from eyechart.arrays import Floats
from eyechart.encode.shelf import BROKEN, Key, Shelf

_ROWS = 4096
_SECONDS = 5.0


class Writer:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._batches: list[tuple[list[Key], Floats]] = []
        self._broken: dict[Key, str] = {}
        self._since = time.monotonic()

    def add(self, keys: list[Key], vectors: Floats, broken: dict[Key, str]) -> None:
        self._broken.update(broken)
        if keys:
            self._batches.append((keys, vectors))

    def flush_if_due(self) -> None:
        if sum(len(keys) for keys, _ in self._batches) >= _ROWS or time.monotonic() - self._since >= _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Store what was collected. May be called again after an interruption: a shelf stores a key once."""
        if self._broken:
            self._shelf.put_notes(BROKEN, self._broken)
        if self._batches:
            keys = [key for batch, _ in self._batches for key in batch]
            self._shelf.put(keys, np.concatenate([vectors for _, vectors in self._batches]))
        self._batches, self._broken = [], {}
        self._since = time.monotonic()
