"""Pictures of the world that are rendered when they are read."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.corruptions import CORRUPTIONS_VERSION
from eyechart.files.hashing import Identity
from eyechart.world.composer import Rendering
from eyechart.world.kept_maps import kept
from eyechart.world.subjects import Subject

RENDERING_VERSION = 1  # increases with every change of a pixel, since known hashes of rendered pictures depend on it
_KEPT = 128 << 20  # bytes of pictures in memory, about 10,000 of 64 × 64 pixels: each is read to hash, to encode, and to be shown


def encode_picture(picture: npt.NDArray[np.uint8]) -> bytes:
    """The picture as PNG bytes, the same in a folder and in memory."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", compress_level=1)
    return file.getvalue()


@kept(_KEPT, bytes.__len__)
def _rendered(subject: Subject, side: int) -> bytes:
    return encode_picture(subject.render(side).picture)


@dataclass(frozen=True)
class ScenePictures:
    """Rendered pictures.

    `subjects[i]` is picture i, `side` pixels wide and high. The same subject always gives the same bytes, so that its identity
    is known without rendering. Thread-safe."""

    subjects: tuple[Subject, ...]
    side: int

    def __len__(self) -> int:
        return len(self.subjects)

    def read(self, row: int) -> bytes:
        return _rendered(self.subjects[row], self.side)

    def identity(self, row: int) -> Identity | None:
        return Identity(self.place(row), self.side, RENDERING_VERSION, CORRUPTIONS_VERSION)

    def place(self, row: int) -> str:
        return f"world:{hashlib.sha256(repr(self.subjects[row]).encode()).hexdigest()[:32]}"

    def take(self, rows: Sequence[int]) -> "ScenePictures":
        return ScenePictures(tuple(self.subjects[row] for row in rows), self.side)

    def render(self, row: int) -> Rendering:
        return self.subjects[row].render(self.side)

    def depth(self, row: int) -> npt.NDArray[np.float32] | None:
        """[side, side]: the depth of every pixel, in sides of the picture from the camera plane."""
        return self.render(row).depth
