"""Coding artifacts: JPEG compression and pixelation."""

import io

import numpy as np
from PIL import Image

from eyechart.corruptions.corruption import Corruption, Picture, of_picture, shorter_side, step

QUALITY = (50, 30, 18, 11, 7)  # Pillow's scale
BLOCKS = (44.0, 34.0, 26.0, 20.0, 15.0)  # large pixels along the shorter side


def jpeg(picture: Picture, severity: int, seed: int) -> Picture:
    """Compressed as JPEG by Pillow and decoded."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=int(step(QUALITY, severity)))
    with Image.open(file) as written:
        return np.array(written.convert("RGB"))


def pixelate(picture: Picture, severity: int, seed: int) -> Picture:
    """Reduced to a few pixels by averaging, and enlarged without smoothing. A picture with fewer pixels is unchanged."""
    height, width = picture.shape[:2]
    share = min(1.0, step(BLOCKS, severity) / shorter_side(picture))
    few = max(1, round(width * share)), max(1, round(height * share))
    small = Image.fromarray(picture).resize(few, Image.Resampling.BOX)
    return np.array(small.resize((width, height), Image.Resampling.NEAREST))


CODING: tuple[Corruption, ...] = (
    of_picture("jpeg", "Strong JPEG compression, with visible blocks and blurred colors.", jpeg),
    of_picture("pixelate", "Pixelation: the picture consists of a few large pixels.", pixelate),
)
