"""Corrupted copies of a dataset's pictures, made when they are read. No file is written.

The bytes are those that `eyechart corrupt` writes, so that both have the same vectors and findings.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

from eyechart.corruptions.registry import CORRUPTIONS_VERSION, corrupt
from eyechart.corruptions.request import CorruptionRequest
from eyechart.corruptions.same_format import encode_as, name_after_change
from eyechart.data.dataset import Dataset, PictureSource
from eyechart.data.picture import BrokenPicture, Decoding, memory_for
from eyechart.data.sample import stratified_sample
from eyechart.data.severity import COLUMN as SEVERITY
from eyechart.errors import EyechartError
from eyechart.files.hashing import Identity

KIND = "corrupted copies"


@dataclass(frozen=True)
class CorruptionSettings:
    """How pictures are corrupted.

    size: Pictures are first resized to this shorter side in pixels; None for no resizing.
    seed: With the picture's path or id, it determines the random numbers of a picture.
    quality: The quality of JPEG pictures; other formats are written without loss.
    """

    size: int | None = None
    seed: int = 0
    quality: int = 95


@dataclass(frozen=True)
class CorruptedPictures:
    """Corrupted copies. A picture that cannot be decoded is passed on as it is, and is then set aside like the original.

    pictures: The original of each copy.
    paths: The path or id of each original, which gives its random numbers and its format.
    requests: The corruption of each copy.
    settings: Size, seed and quality.
    decoding: How originals are decoded.
    """

    pictures: PictureSource
    paths: tuple[str, ...]
    requests: tuple[CorruptionRequest, ...]
    settings: CorruptionSettings
    decoding: Decoding

    def __len__(self) -> int:
        return len(self.requests)

    def read(self, row: int) -> bytes:
        data = self.pictures.read(row)
        try:
            with memory_for(data):
                picture = resized(self.decoding.decode(data), self.settings.size)
        except BrokenPicture:
            return data
        path, request = Path(self.paths[row]), self.requests[row]
        try:
            changed = corrupt(np.asarray(picture), request.name, request.severity, seed=picture_seed(self.settings.seed, path))
            return encode_as(changed, name_after_change(path).suffix, self.settings.quality)
        except EyechartError as error:
            raise OSError(f"it cannot be corrupted: {error}") from error

    def identity(self, row: int) -> Identity | None:
        """The identity of the original, with everything that the copy depends on added to its place."""
        original = self.pictures.identity(row)
        if original is None:
            return None
        made = (str(self.requests[row]), self.paths[row], asdict(self.settings), self.decoding.describe(), CORRUPTIONS_VERSION)
        how = hashlib.sha256(repr(made).encode(errors="surrogateescape")).hexdigest()[:32]
        return replace(original, place=f"{original.place}#corrupted {how}")

    def place(self, row: int) -> str:
        return f"{self.pictures.place(row)} ({self.requests[row]})"

    def take(self, rows: Sequence[int]) -> "CorruptedPictures":
        return replace(
            self,
            pictures=self.pictures.take(rows),
            paths=tuple(self.paths[row] for row in rows),
            requests=tuple(self.requests[row] for row in rows),
        )


def corrupted_copies(
    dataset: Dataset,
    requests: Sequence[CorruptionRequest],
    *,
    name: str,
    size: int,
    settings: CorruptionSettings,
    decoding: Decoding,
) -> Dataset:
    """A dataset of the role "shift": a stratified sample of a dataset's pictures under each corruption.

    Args:
        dataset: The clean pictures. The copies have the same classes.
        requests: The corruptions.
        name: The name of the new dataset.
        size: At most this many pictures are copied, each once for every corruption.
        settings: Size, seed and quality.
        decoding: How pictures are decoded.
    """
    ids, labels = dataset.ids(), dataset.table.column("label").to_pylist()
    labeled = [row for row, label in enumerate(labels) if label is not None]
    drawn = stratified_sample([ids[row] for row in labeled], [labels[row] for row in labeled], size, settings.seed)
    rows = [labeled[place] for place in drawn]
    # In the order of a folder that is read, so that sums come out the same to the last digit.
    copies = sorted(((request, row) for request in requests for row in rows), key=lambda copy: _id(copy[0], ids[copy[1]]))
    sources = [row for _, row in copies]
    originals = [ids[row] for row in sources]
    table = pa.table(
        {
            "id": [
                f"{request.name}/{request.severity}/{name_after_change(Path(ids[row])).as_posix()}" for request, row in copies
            ],
            "attr.shift": [request.name for request, _ in copies],
            SEVERITY: [request.severity for request, _ in copies],
            "attr.source_id": originals,
            "label": pa.array([labels[row] for row in sources], pa.string()),
        }
    )
    pictures = CorruptedPictures(
        dataset.pictures.take(sources), tuple(originals), tuple(request for request, _ in copies), settings, decoding
    )
    reader = {
        "kind": KIND,
        "copies_of": dataset.name,
        "corruptions": [str(request) for request in requests],
        "sample": len(rows),
        "version": CORRUPTIONS_VERSION,
        **asdict(settings),
    }
    return Dataset(name, table, pictures, dataset.classes, reader=reader, role="shift", of=dataset.name, made=True)


def _id(request: CorruptionRequest, original: str) -> str:
    """The path below the output folder of `eyechart corrupt`."""
    return f"{request.name}/{request.severity}/{name_after_change(Path(original)).as_posix()}"


def picture_seed(seed: int, path: Path) -> int:
    """The seed of one picture, from the seed of all and its path."""
    digest = hashlib.sha256(f"{seed}/".encode() + os.fsencode(path.as_posix())).digest()
    return int.from_bytes(digest[:4], "big")


def resized(picture: Image.Image, size: int | None) -> Image.Image:
    """The picture with a shorter side of at most `size` pixels."""
    if size is None or min(picture.size) <= size:
        return picture
    scale = size / min(picture.size)
    wide, high = (max(1, round(side * scale)) for side in picture.size)
    return picture.resize((wide, high), Image.Resampling.BICUBIC)
