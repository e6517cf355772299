"""Changed pictures under the names that they had, in the format that a name says."""

import io
from pathlib import Path

from PIL import Image

from eyechart.corruptions import Picture

_KEEPS = {".png": "PNG", ".bmp": "BMP", ".tif": "TIFF", ".tiff": "TIFF", ".webp": "WEBP"}  # without loss
_JPEG = (".jpg", ".jpeg", ".jpe", ".jfif")


def name_after_change(path: Path) -> Path:
    """A picture keeps its name; one of a kind that cannot be written without loss (GIF) becomes a PNG."""
    return path if path.suffix.lower() in (*_KEEPS, *_JPEG) else path.with_suffix(".png")


def encode_as(picture: Picture, suffix: str, quality: int) -> bytes:
    """JPEG stays JPEG, with all its colours and this quality; other kinds are kept without loss."""
    file, image, kind = io.BytesIO(), Image.fromarray(picture), suffix.lower()
    if kind in _JPEG:
        image.save(file, "JPEG", quality=quality, subsampling=0)
    elif _KEEPS[kind] == "WEBP":
        image.save(file, "WEBP", lossless=True)
    else:
        image.save(file, _KEEPS[kind])
    return file.getvalue()
