"""A cut-out: one picture with transparency, cropped to its visible part, at any size."""

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image

from eyechart.errors import DataError
from eyechart.world.sprites import REACH, Map, Sprite

LARGEST_SIDE = 512  # largest stored side; no picture of the world is larger
_SEEN = 128  # alpha from which a pixel belongs to the object


@dataclass(frozen=True, eq=False)
class Cutout:
    """A cut-out. `stretch` is width over height of its visible part; `fill` is the share of its box that it covers."""

    name: str
    picture: Image.Image  # RGBA
    box: tuple[float, float, float, float]  # box in `picture`, and the margin of the sprite around it
    stretch: float
    fill: float

    def size_of(self, area: float) -> float:
        """The size (that of a `Thing`) at which it covers this share of a picture."""
        return math.sqrt(area / self.fill)

    def sprite(self, width: int, height: int) -> Sprite:
        """Resized. Pillow premultiplies alpha when it resizes RGBA; filters that overshoot would still brighten edges."""
        smaller = width < self.box[2] - self.box[0]
        filter = Image.Resampling.HAMMING if smaller else Image.Resampling.BILINEAR
        pixels = np.asarray(self.picture.resize((width, height), filter, box=self.box))
        alpha = pixels[..., 3].astype(np.float32) / np.float32(255)
        flat, colors = np.zeros_like(alpha), pixels[..., :3].astype(np.float32)
        return Sprite(alpha, shade=np.ones_like(alpha), gloss=flat, height=flat, patterns={}, colors=colors)

    def outline(self, side: int) -> Map:
        """[side, side]: the alpha of its box, without the margin."""
        alpha = self.picture.getchannel("A")
        width, height = self.box[2] - self.box[0], self.box[3] - self.box[1]
        x, y = width * (1 - 1 / REACH) / 2, height * (1 - 1 / REACH) / 2
        inner = self.box[0] + x, self.box[1] + y, self.box[2] - x, self.box[3] - y
        return np.asarray(alpha.resize((side, side), Image.Resampling.BOX, box=inner), dtype=np.float32) / np.float32(255)


def cut_out(name: str, picture: Image.Image) -> Cutout:
    """A cut-out from an RGBA picture. DataError where it is fully opaque or fully transparent."""
    if picture.getchannel("A").getextrema()[0] == 255:
        raise DataError("no part of it is transparent; cut the object out and save it with a transparent background")
    small = _shrunk(picture.crop(picture.getchannel("A").getbbox()))
    seen = np.asarray(small.getchannel("A")) >= _SEEN
    if not seen.any():
        raise DataError("all of it is transparent; save the object with full opacity")
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    width, height = right - left, bottom - top
    rim_x, rim_y = width * (REACH - 1) / 2, height * (REACH - 1) / 2
    more_x, more_y = math.ceil(rim_x), math.ceil(rim_y)
    # Beyond the border, Pillow fills with transparent pixels.
    sheet = small.crop((left - more_x, top - more_y, right + more_x, bottom + more_y))
    box = (more_x - rim_x, more_y - rim_y, more_x + width + rim_x, more_y + height + rim_y)
    return Cutout(name, sheet, box, width / height, float(seen[top:bottom, left:right].mean()))


def _shrunk(picture: Image.Image) -> Image.Image:
    share = LARGEST_SIDE / max(picture.size)
    if share >= 1:
        return picture
    return picture.resize((max(1, round(picture.width * share)), max(1, round(picture.height * share))), Image.Resampling.HAMMING)
