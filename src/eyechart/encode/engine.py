"""Engines encode pictures and texts and put the vectors on a shelf. One engine works in this process; others may distribute."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PIL import Image

from eyechart.arrays import Floats
from eyechart.data.dataset import Dataset, PictureSource
from eyechart.encode.shelf import Key, Shelf
from eyechart.models.encoder import EncodesImages, EncodesTexts
from eyechart.progress import Progress

Decode = Callable[[bytes], Image.Image]  # raises BrokenPicture
Compute = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class PictureWork:
    """A picture to encode, as a reference to a row, so that a million of them take little memory.

    key: The picture's key.
    pictures: The source of its bytes.
    row: Its row there.
    """

    key: Key
    pictures: PictureSource
    row: int

    def read(self) -> bytes:
        return self.pictures.read(self.row)

    def place(self) -> str:
        return self.pictures.place(self.row)


def work_of(dataset: Dataset, keys: Sequence[Key | None]) -> Iterable[PictureWork]:
    """The pictures of a dataset that have a key."""
    return (PictureWork(key, dataset.pictures, row) for row, key in enumerate(keys) if key is not None)


@dataclass(frozen=True)
class LostPicture:
    """A picture without a vector.

    key: The picture's key.
    place: Its place, for messages.
    reason: Why it has no vector.
    lasting: Whether it can never have one; otherwise it could not be read this time.
    """

    key: Key
    place: str
    reason: str
    lasting: bool


@dataclass(frozen=True)
class PictureReport:
    """The result of encoding pictures.

    wanted: The number of distinct pictures.
    encoded: How many of them went through the network this time.
    lost: Pictures without a vector.
    """

    wanted: int
    encoded: int
    lost: tuple[LostPicture, ...]


@dataclass(frozen=True)
class TextReport:
    """The result of encoding texts.

    wanted: The number of distinct texts.
    encoded: How many of them went through the network this time.
    truncated: The texts that are longer than the model's context, encoded now or earlier.
    """

    wanted: int
    encoded: int
    truncated: tuple[str, ...]


class Engine(Protocol):
    """Encodes what is missing on a shelf."""

    @property
    def name(self) -> str:
        """As `--engine` names it; rates are kept for each engine."""

    @property
    def batch_size(self) -> int:
        """Pictures per batch; the last digits of vectors may depend on it."""

    def encode_pictures(
        self,
        encoder: EncodesImages,
        pictures: Iterable[PictureWork],
        shelf: Shelf,
        *,
        decode: Decode,
        progress: Progress,
        compute: Compute | None = None,
    ) -> PictureReport:
        """Encode the pictures that the shelf lacks. `compute` is what is computed, by default `encoder.encode_images`; a shelf
        of class scores uses `encoder.class_scores`."""

    def encode_texts(self, encoder: EncodesTexts, texts: Iterable[str], shelf: Shelf, *, progress: Progress) -> TextReport:
        """Encode the texts that the shelf lacks; ModelError names the first one without a valid vector."""
