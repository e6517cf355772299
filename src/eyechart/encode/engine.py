"""What turns pictures and texts into vectors on a shelf. One engine works in this process; others may spread the work."""

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
    """A picture that is wanted. It names a row, not its content: a million of them weigh little."""

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
    """A picture without a vector, and why. `lasting`: it will never have one; otherwise it could not be read just now."""

    key: Key
    place: str
    reason: str
    lasting: bool


@dataclass(frozen=True)
class PictureReport:
    """`wanted` counts different pictures; `encoded` those that went through the network this time."""

    wanted: int
    encoded: int
    lost: tuple[LostPicture, ...]


@dataclass(frozen=True)
class TextReport:
    """`truncated` lists the texts that were longer than the model's context, whether they were encoded now or earlier."""

    wanted: int
    encoded: int
    truncated: tuple[str, ...]


class Engine(Protocol):
    @property
    def batch_size(self) -> int:
        """Pictures that go through the network at once; the last digits of vectors may depend on it."""

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
        """See to it that the shelf holds a vector for every picture that has one. `compute` is what the network is asked for,
        `encoder.encode_images` unless told (a shelf of class scores would take `encoder.class_scores`)."""

    def encode_texts(self, encoder: EncodesTexts, texts: Iterable[str], shelf: Shelf, *, progress: Progress) -> TextReport:
        """See to it that the shelf holds a vector for every text; ModelError naming the first that has none."""
