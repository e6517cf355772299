"""Decoding ahead of the network: threads read, decode and prepare pictures into the network's input arrays.

Pillow releases the GIL while it decodes and resizes, so threads are enough. Arrays are reused."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.data.picture import BrokenPicture, memory_for
from eyechart.encode.engine import Decode, PictureWork
from eyechart.encode.shelf import Key
from eyechart.errors import ModelError
from eyechart.files.hashing import hash_bytes


@dataclass(frozen=True)
class Prepared:
    """A prepared batch.

    keys: The keys of the prepared pictures.
    pictures: [n, …] network inputs; None where there are none.
    broken: Pictures that cannot be decoded, with the reason.
    unread: Pictures that could not be read this time, with the reason.
    """

    keys: list[Key]
    pictures: Floats | None
    broken: dict[Key, str]
    unread: dict[Key, str]


class _Arrays:
    """A pool of batch arrays; the first picture determines their shape."""

    def __init__(self, batch_size: int) -> None:
        self._batch_size = batch_size
        self._free: list[Floats] = []

    def take(self, shape: tuple[int, ...]) -> Floats:
        try:
            array = self._free.pop()
        except IndexError:
            return np.empty((self._batch_size, *shape), dtype=np.float32)
        return array if array.shape[1:] == shape else self.take(shape)

    def give_back(self, array: Floats) -> None:
        self._free.append(array)


class PreparingBatch:
    """A batch in preparation. `finish` waits for it; `release` returns its array to the pool."""

    def __init__(self, works: Sequence[PictureWork], arrays: _Arrays) -> None:
        self.works = works
        self.outcomes: list[Future[str | None]] = []
        self.unread: dict[Key, str] = {}
        self._arrays = arrays
        self._array: Floats | None = None
        self._lock = threading.Lock()

    def place(self, slot: int, picture: Floats) -> None:
        with self._lock:
            if self._array is None:
                self._array = self._arrays.take(picture.shape)
        if picture.shape != self._array.shape[1:]:
            raise ModelError(
                f"{self.works[slot].place()}: prepared to shape {picture.shape}, others to {self._array.shape[1:]}; "
                "a model must prepare all pictures to one shape"
            )
        self._array[slot] = picture

    def finish(self) -> Prepared:
        reasons = [outcome.result() for outcome in self.outcomes]
        good = [slot for slot, reason in enumerate(reasons) if reason is None]
        keys = [work.key for work in self.works]
        broken = {key: reason for key, reason in zip(keys, reasons, strict=True) if reason and key not in self.unread}
        pictures = None
        if self._array is not None and good:
            pictures = self._array[: len(good)] if len(good) == len(keys) else self._array[good]
        return Prepared([keys[slot] for slot in good], pictures, broken, dict(self.unread))

    def release(self) -> None:
        if self._array is not None:
            self._arrays.give_back(self._array)
            self._array = None


class Preparation:
    def __init__(self, decode: Decode, prepare: Callable[[Image.Image], Floats], *, batch_size: int, workers: int) -> None:
        self._decode, self._prepare = decode, prepare
        self._arrays = _Arrays(batch_size)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="eyechart-decode")

    def start(self, works: Sequence[PictureWork]) -> PreparingBatch:
        batch = PreparingBatch(works, self._arrays)
        batch.outcomes = [self._pool.submit(self._one, batch, slot, work) for slot, work in enumerate(works)]
        return batch

    def _one(self, batch: PreparingBatch, slot: int, work: PictureWork) -> str | None:
        """Prepare one picture; returns None, or the reason of failure."""
        try:
            data = work.read()
        except OSError as error:
            batch.unread[work.key] = f"cannot be read: {error.strerror or error}"
            return batch.unread[work.key]
        # A vector is stored permanently under this key, so it must be that picture's.
        if hash_bytes(data) != work.key:
            batch.unread[work.key] = "its content has changed since it was hashed; run again with --rehash"
            return batch.unread[work.key]
        try:
            with memory_for(data):
                batch.place(slot, self._prepare(self._decode(data)))
        except BrokenPicture as error:
            return error.reason
        except Exception as error:
            error.add_note(f"while preparing {work.place()}")
            raise
        return None

    def stop(self) -> None:
        """Stop: pictures in progress are finished, others are not started."""
        self._pool.shutdown(wait=False, cancel_futures=True)
