"""Removing the alpha channel of a picture without a second copy of it where that can be avoided."""

from collections.abc import Sequence
from typing import Any

from PIL import Image

STRIP = 64  # rows
# How a row of a PNG is stored → the same row, its alpha channel skipped.
_WITHOUT_ALPHA = {"RGBA": "RGBX", "RGBA;16B": "RGBX;16B"}
_GRAY = frozenset({"1", "L", "LA", "La"})


def skip_alpha(picture: Image.Image) -> None:
    """Let the decoder skip the alpha channel of a PNG that is opened and not yet decoded. Other pictures stay as they are.

    The colors are those of `convert("RGB")`, which would take 4 more bytes a pixel."""
    if picture.mode != "RGBA" or getattr(picture, "is_animated", False):
        return
    if (stored := _WITHOUT_ALPHA.get(_stored(picture))) is not None:
        tile = picture.tile[0]  # type: ignore[attr-defined]
        # Pillow before version 11 has plain tuples.
        picture.tile = [tile._replace(args=stored) if hasattr(tile, "_replace") else (*tile[:3], stored)]  # type: ignore[attr-defined]
        picture._mode = "RGB"  # as Pillow's guide for decoders sets it


def is_gray_in_color(picture: Image.Image) -> bool:
    """Whether Pillow decodes this opened picture as RGBA though it is gray: a PNG of 16 bits with an alpha channel."""
    return picture.mode == "RGBA" and _stored(picture) == "LA;16B"


def _stored(picture: Image.Image) -> str:
    """How the rows of a PNG are stored; "" for other formats."""
    tiles: Sequence[Any] = getattr(picture, "tile", ())
    return str(tiles[0][3]) if picture.format == "PNG" and len(tiles) == 1 else ""


def without_alpha(picture: Image.Image) -> Image.Image:
    """A picture without its transparency, whose `convert("RGB")` has the same colors."""
    # A palette's transparency has no part in its colors, and Pillow would warn about it.
    picture.info.pop("transparency", None)
    # 1 byte a pixel: the 4 of the original are free before RGB takes 4.
    return picture.getchannel("L") if picture.mode == "LA" else picture


def on_ground(picture: Image.Image, color: str) -> Image.Image:
    """A picture with transparency on a ground of one color; `convert("RGB")` has its colors. The picture itself is used up.

    In strips: whole copies would take 20 bytes a pixel."""
    made = picture if picture.mode in ("RGB", "RGBA") else Image.new("L" if picture.mode in _GRAY else "RGB", picture.size)
    for top in range(0, picture.height, STRIP):
        strip = picture.crop((0, top, picture.width, min(top + STRIP, picture.height))).convert("RGBA")
        shown = Image.alpha_composite(Image.new("RGBA", strip.size, color), strip)
        made.paste(shown.getchannel("R") if made.mode == "L" else shown.convert("RGB"), (0, top))
    return made
