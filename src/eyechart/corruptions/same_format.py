"""Corrupted pictures keep the name and format of the original."""

import io
from pathlib import Path

from PIL import Image

from eyechart.corruptions import Picture

_KEEPS = {".png": "PNG", ".bmp": "BMP", ".tif": "TIFF", ".tiff": "TIFF", ".webp": "WEBP"}  # without loss
_JPEG = (".jpg", ".jpeg", ".jpe", ".jfif")


def name_after_change(path: Path) -> Path:
    """The name of the corrupted picture: unchanged, but .png for formats that cannot be written without loss (GIF)."""
    return path if path.suffix.lower() in (*_KEEPS, *_JPEG) else path.with_suffix(".png")


def encode_as(picture: Picture, suffix: str, quality: int) -> bytes:
    """The encoded picture: JPEG with this quality and without chroma subsampling; other formats without loss."""
    file, image, kind = io.BytesIO(), Image.fromarray(picture), suffix.lower()
    if kind in _JPEG:
        image.save(file, "JPEG", quality=quality, subsampling=0)
    elif _KEEPS[kind] == "WEBP":
        image.save(file, "WEBP", lossless=True)
    else:
        image.save(file, _KEEPS[kind])
    return file.getvalue()
