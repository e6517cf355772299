"""A small real encoder in NumPy, and numbered pictures for it. It writes down what goes through it."""

import io
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

from eyechart.data.dataset import Dataset
from eyechart.files.hashing import Identity, hash_bytes
from eyechart.models.card import ModelCard
from eyechart.models.encoder import TokenizedTexts

WIDTH = 16
PROJECTION = np.random.default_rng(7).standard_normal((192, WIDTH)).astype(np.float32)
CONTEXT = 12


def _bmp_header() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "BMP")
    return file.getvalue()[:54]


HEADER = _bmp_header()


def drawn(number: int) -> bytes:
    """An 8 x 8 BMP, put together by hand because it must be quick, with its number written into the first pixel."""
    pixels = bytearray((i * (2 * number + 1) + 7) % 251 for i in range(192))
    pixels[168:171] = number & 255, number >> 8 & 255, number >> 16  # BMP: bottom row first, blue first
    return HEADER + bytes(pixels)


@dataclass(frozen=True)
class Drawn:
    """Pictures that are drawn when they are read; `instead` replaces some by other bytes, None by an error."""

    numbers: Sequence[int]
    instead: dict[int, bytes | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def read(self, row: int) -> bytes:
        number = self.numbers[row]
        data = self.instead.get(number, b"") if number in self.instead else drawn(number)
        if data is None:
            raise FileNotFoundError(2, "No such file or directory")
        return data

    def identity(self, row: int) -> Identity | None:
        return None

    def place(self, row: int) -> str:
        return f"drawn:{self.numbers[row]}"

    def take(self, rows: Sequence[int]) -> "Drawn":
        return Drawn([self.numbers[row] for row in rows], self.instead)


def drawn_dataset(numbers: Sequence[int], instead: dict[int, bytes | None] | None = None) -> Dataset:
    return Dataset("drawn", pa.table({"id": [f"n{number}" for number in numbers]}), Drawn(numbers, instead or {}))


def key_of(number: int) -> bytes:
    return hash_bytes(drawn(number))


class TinyEncoder:
    spec = "tiny:pictures-and-texts"
    fingerprint = "7a" * 32
    card = ModelCard("tiny", "tiny")

    def __init__(
        self, log: Path | None = None, delay: float = 0.0, nan_for: int | None = None, zero_for: int | None = None
    ) -> None:
        self._log, self._delay, self._nan_for, self._zero_for = log, delay, nan_for, zero_for
        self.tokenized = 0

    def prepare(self, picture: Image.Image) -> np.ndarray:
        return np.asarray(picture, dtype=np.float32)

    def encode_images(self, prepared: np.ndarray) -> np.ndarray:
        first = prepared[:, 0, 0].astype(np.int64)
        numbers = (first[:, 0] << 16) + (first[:, 1] << 8) + first[:, 2]
        self._write(" ".join(map(str, numbers)))
        time.sleep(self._delay * len(numbers))
        vectors = prepared.reshape(len(prepared), -1) @ PROJECTION
        vectors[numbers == self._nan_for, 3] = np.nan
        vectors[numbers == self._zero_for] = 0
        return vectors

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        self.tokenized += len(texts)
        ids = [np.frombuffer(text.encode()[:CONTEXT], dtype=np.uint8).astype(np.int64) for text in texts]
        return TokenizedTexts(ids, np.array([len(text.encode()) > CONTEXT for text in texts]))

    def encode_texts(self, ids: Sequence[np.ndarray]) -> np.ndarray:
        self._write(" ".join(bytes(row.astype(np.uint8)).decode().replace(" ", "_") for row in ids))
        time.sleep(self._delay * len(ids))
        return np.stack([np.resize(row, 192).astype(np.float32) @ PROJECTION for row in ids])

    def _write(self, line: str) -> None:
        if self._log is not None:
            fd = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(fd, (line + "\n").encode())  # one call: lines of two processes never mix
            os.close(fd)


def vector_of(number: int) -> np.ndarray:
    with Image.open(io.BytesIO(drawn(number))) as picture:
        return np.asarray(picture, dtype=np.float32).reshape(1, -1)[0] @ PROJECTION


def logged(log: Path) -> list[list[str]]:
    """Batches in the order they went through."""
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []
