"""Pictures cropped to a box when they are read."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.data.dataset import PictureSource
from eyechart.data.picture import BrokenPicture, decode_picture
from eyechart.files.hashing import Identity

Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True)
class BoxedPictures:
    """Pictures cropped to their boxes, as lossless PNG. A picture that cannot be decoded or does not reach its box stays whole.

    pictures: The whole pictures.
    boxes: Left, top, right and bottom of every picture's box; None for the whole picture.
    """

    pictures: PictureSource
    boxes: tuple[Box | None, ...]

    def __len__(self) -> int:
        return len(self.pictures)

    def read(self, row: int) -> bytes:
        data, box = self.pictures.read(row), self.boxes[row]
        if box is None:
            return data
        try:
            picture = decode_picture(data)
        except BrokenPicture:
            return data
        left, top = max(box[0], 0), max(box[1], 0)
        right, bottom = min(box[2], picture.width), min(box[3], picture.height)
        if left >= right or top >= bottom:
            return data
        file = io.BytesIO()
        picture.crop((left, top, right, bottom)).save(file, "PNG", compress_level=1)
        return file.getvalue()

    def identity(self, row: int) -> Identity | None:
        """The identity of the file with the box added: the cropped content has a hash of its own."""
        whole, box = self.pictures.identity(row), self.boxes[row]
        if whole is None or box is None:
            return whole
        return replace(whole, place=f"{whole.place}#{','.join(map(str, box))}")

    def place(self, row: int) -> str:
        return self.pictures.place(row)

    def take(self, rows: Sequence[int]) -> "BoxedPictures":
        return BoxedPictures(self.pictures.take(rows), tuple(self.boxes[row] for row in rows))
