"""Depth maps as files: 16-bit grayscale PNG, one step of gray for 1/8192 of the picture's side."""

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.PngImagePlugin import PngInfo

STEPS_PER_SIDE = 8192  # up to eight sides; the camera plane is four sides from the center of the ground
KEY = "eyechart.depth"
SAYS = f"value / {STEPS_PER_SIDE} = distance from the camera's plane, in sides of the picture"

Depth = npt.NDArray[np.float32]  # [side, side], in sides of the picture from the camera's plane


def encode_depth(depth: Depth) -> bytes:
    """Depth as PNG bytes; larger depths are clipped."""
    steps = np.clip(np.rint(depth.astype(np.float64) * STEPS_PER_SIDE), 0, 65535).astype(np.uint16)
    about, file = PngInfo(), io.BytesIO()
    about.add_text(KEY, SAYS)
    Image.fromarray(steps).save(file, "PNG", pnginfo=about)
    return file.getvalue()


def read_depth(path: Path) -> Depth:
    with Image.open(path, formats=("PNG",)) as picture:
        return np.asarray(picture).astype(np.float32) / np.float32(STEPS_PER_SIDE)
