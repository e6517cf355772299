"""Memory of encoding: small JPEGs through the local engine and a cheap network: `python benchmarks/memory.py [PICTURES]`.

Prints peak resident memory beside that before encoding; the bound for 100,000 pictures is 1.5 GB besides the model.
"""

import io
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

from eyechart.arrays import Floats
from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.gather import gather
from eyechart.encode.keys import picture_keys
from eyechart.encode.local import LocalEngine
from eyechart.files.hashing import Identity
from eyechart.models.card import ModelCard
from eyechart.progress import TerminalProgress
from eyechart.store import Store

BOUND_MB = 1500
SIDE = 224  # what is prepared has the size of a usual network's input, so that unbounded buffering would show


@dataclass(frozen=True)
class GeneratedJpegs:
    """A JPEG made again on every read. A comment makes each one different in its bytes."""

    numbers: Sequence[int]
    base: bytes

    def __len__(self) -> int:
        return len(self.numbers)

    def read(self, row: int) -> bytes:
        text = str(self.numbers[row]).encode()
        return self.base[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + self.base[2:]

    def identity(self, row: int) -> Identity | None:
        return None

    def place(self, row: int) -> str:
        return f"generated:{self.numbers[row]}"

    def take(self, rows: Sequence[int]) -> "GeneratedJpegs":
        return GeneratedJpegs([self.numbers[row] for row in rows], self.base)


class CheapEncoder:
    spec = "benchmark:cheap"
    fingerprint = "c4" * 32
    card = ModelCard("cheap", "benchmark")

    def __init__(self) -> None:
        self._projection = np.random.default_rng(0).standard_normal((SIDE * 3, 512)).astype(np.float32)

    def prepare(self, picture: Image.Image) -> Floats:
        return np.full((3, SIDE, SIDE), np.asarray(picture).mean(), dtype=np.float32)

    def encode_images(self, prepared: Floats) -> Floats:
        return prepared[:, :, 0].reshape(len(prepared), -1) @ self._projection


def peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1024


def jpeg() -> bytes:
    file = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 255, (32, 32, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


def main(pictures: int = 100_000) -> None:
    dataset = Dataset("generated", pa.table({"id": [str(i) for i in range(pictures)]}), GeneratedJpegs(range(pictures), jpeg()))
    encoder = CheapEncoder()
    before = peak_mb()
    progress = TerminalProgress()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        shelf = store.shelf(encoder.fingerprint, "image")
        keys = picture_keys(dataset, store.hashes, progress).keys
        start = time.perf_counter()
        report = LocalEngine(batch_size=64).encode_pictures(
            encoder, work_of(dataset, keys), shelf, decode=Decoding().decode, progress=progress
        )
        seconds = time.perf_counter() - start
        encoding = peak_mb()
        gathered = gather(shelf, [key for key in keys if key is not None])
    print(f"{report.encoded:,} pictures in {seconds:.0f} s ({report.encoded / seconds:,.0f}/s)")
    print(f"peak resident memory: {before:,.0f} MB before, {encoding:,.0f} MB after encoding (+{encoding - before:,.0f} MB)")
    print(f"with all {gathered.nbytes / 1e6:,.0f} MB of vectors gathered: {peak_mb():,.0f} MB")
    if encoding > BOUND_MB:
        raise SystemExit(f"more than {BOUND_MB} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
