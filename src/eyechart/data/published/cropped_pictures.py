"""Pictures cropped by a fixed border when they are read."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.data.dataset import PictureSource
from eyechart.data.picture import BrokenPicture, decode_picture
from eyechart.files.hashing import Identity


@dataclass(frozen=True)
class CroppedPictures:
    """Pictures without their border, as lossless PNG. A picture that cannot be decoded or is smaller than the border stays whole.

    pictures: The whole pictures.
    border: Pixels that are removed on every side.
    """

    pictures: PictureSource
    border: int

    def __len__(self) -> int:
        return len(self.pictures)

    def read(self, row: int) -> bytes:
        data = self.pictures.read(row)
        try:
            picture = decode_picture(data)
        except BrokenPicture:
            return data
        width, height = picture.size
        if min(width, height) <= 2 * self.border:
            return data
        file = io.BytesIO()
        picture.crop((self.border, self.border, width - self.border, height - self.border)).save(file, "PNG", compress_level=1)
        return file.getvalue()

    def identity(self, row: int) -> Identity | None:
        """The identity of the file with the border added: the cropped content has a hash of its own."""
        whole = self.pictures.identity(row)
        return None if whole is None else replace(whole, place=f"{whole.place}#without {self.border} pixels of border")

    def place(self, row: int) -> str:
        return self.pictures.place(row)

    def take(self, rows: Sequence[int]) -> "CroppedPictures":
        return replace(self, pictures=self.pictures.take(rows))
