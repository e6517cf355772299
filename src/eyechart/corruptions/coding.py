"""What files and screens lose: JPEG's rounding and large pixels."""

import io

import numpy as np
from PIL import Image

from eyechart.corruptions.corruption import Corruption, Picture, of_picture, shorter_side, step

QUALITY = (50, 30, 18, 11, 7)  # Pillow's scale
BLOCKS = (44.0, 34.0, 26.0, 20.0, 15.0)  # large pixels along the shorter side


def jpeg(picture: Picture, severity: int, seed: int) -> Picture:
    """Written as JPEG by Pillow and read again."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=int(step(QUALITY, severity)))
    with Image.open(file) as written:
        return np.array(written.convert("RGB"))


def pixelate(picture: Picture, severity: int, seed: int) -> Picture:
    """Shrunk to a few pixels by their mean, and enlarged again without smoothing. A picture of fewer pixels stays as it is."""
    height, width = picture.shape[:2]
    share = min(1.0, step(BLOCKS, severity) / shorter_side(picture))
    few = max(1, round(width * share)), max(1, round(height * share))
    small = Image.fromarray(picture).resize(few, Image.Resampling.BOX)
    return np.array(small.resize((width, height), Image.Resampling.NEAREST))


CODING: tuple[Corruption, ...] = (
    of_picture("jpeg", "The picture is saved as a small JPEG file, with its blocks and blurred colours.", jpeg),
    of_picture("pixelate", "The picture is made of a few large pixels.", pixelate),
)
