"""Decoding: from a file's bytes to an upright RGB picture, or to the reason why it cannot be decoded."""

import io
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from PIL import ExifTags, Image, UnidentifiedImageError

from eyechart.data.transparency import STRIP, is_gray_in_color, on_ground, skip_alpha, without_alpha
from eyechart.errors import DataError, UsageError

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF")
EXTENSIONS = frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif"})
MAX_PIXELS = 178_956_970  # Pillow's own limit: twice 89,478,485 pixels, a quarter of a gigabyte at 24 bits each

# `Decoding` checks the size itself before it decodes; Pillow's warning at half that size would disturb the progress display.
# Set once for all threads: filters cannot be changed safely while others decode.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

# Pillow allocates a picture in blocks. glibc gives freed memory back to the system at once only above 32 MiB, its highest mmap
# threshold; smaller blocks would stay with every thread that has decoded a large picture.
Image.core.set_block_size(64 << 20)  # type: ignore[attr-defined]  # documented, but not exported

Exif = Literal["apply", "ignore"]
Alpha = Literal["drop", "white", "black"]

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class _PixelBudget:
    """Lets large pictures be decoded one after the other, so that memory does not grow with the number of threads.

    A picture that is larger than what is left waits, unless no other is being decoded."""

    def __init__(self, most: int) -> None:
        self._most, self._used, self._free, self._thread = most, 0, threading.Condition(), threading.local()

    def held_here(self) -> bool:
        """Whether this thread holds pixels; if it waited for more, it would wait for itself."""
        return getattr(self._thread, "holds", False)

    @contextmanager
    def hold(self, pixels: int) -> Iterator[None]:
        with self._free:
            self._free.wait_for(lambda: not self._used or self._used + pixels <= self._most)
            self._used += pixels
        self._thread.holds = True
        try:
            yield
        finally:
            self._thread.holds = False
            with self._free:
                self._used -= pixels
                self._free.notify_all()


_PIXELS = _PixelBudget(MAX_PIXELS)


def _pixels(data: bytes) -> int:
    """The number of pixels that a file claims; 0 where it is no picture, which decoding says."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            return min(picture.width * picture.height, MAX_PIXELS)
    except Exception:  # noqa: BLE001 - a decoder may raise anything on corrupt bytes
        return 0


@contextmanager
def memory_for(data: bytes) -> Iterator[None]:
    """Wait until there is memory for this picture, and hold it while the picture is decoded and used in this thread.

    `Decoding.decode` alone holds it until the picture is decoded, so that a thread may keep several."""
    with nullcontext() if _PIXELS.held_here() else _PIXELS.hold(_pixels(data)):
        yield


class BrokenPicture(DataError):
    """A picture that cannot be decoded. It is set aside and listed with `reason`; the examination continues."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Decoding:
    """The choices between a file's bytes and its pixels. They are part of the protocol and of every picture vector's key.

    exif: "apply" rotates the picture as its EXIF orientation says; "ignore" takes the pixels as stored, as the loaders of
        open_clip and torchvision do. A TIFF's orientation is part of its format, not of EXIF, and is always applied.
    alpha: "drop" ignores transparency, as `convert("RGB")` in open_clip and torchvision does; "white" and "black" put the
        picture on such a background.
    max_pixels: A larger picture is set aside before it is decoded.

    Example:
        >>> Decoding().describe()["exif"]
        'apply'
    """

    exif: Exif = "apply"
    alpha: Alpha = "drop"
    max_pixels: int = MAX_PIXELS

    def __post_init__(self) -> None:
        if self.exif not in ("apply", "ignore"):
            raise UsageError(f"exif is {self.exif!r}; choose 'apply' or 'ignore'")
        if self.alpha not in ("drop", "white", "black"):
            raise UsageError(f"alpha is {self.alpha!r}; choose 'drop', 'white' or 'black'")
        if not 1 <= self.max_pixels <= MAX_PIXELS:
            raise UsageError(f"max_pixels is {self.max_pixels}; choose a number from 1 to {MAX_PIXELS}")

    def describe(self) -> dict[str, Any]:
        """Every choice, for the protocol."""
        return asdict(self)

    def decode(self, data: bytes) -> Image.Image:
        """The picture as upright RGB. BrokenPicture where the bytes are empty, truncated, corrupt, too large or no picture.

        Thread-safe.

        Args:
            data: The bytes of the file.
        """
        with _reasons(), memory_for(data):
            return _rgb(self._load(data, colors=self.alpha == "drop"), self.alpha)

    def decode_cutout(self, data: bytes) -> Image.Image | None:
        """The picture as RGBA, whatever `alpha` is; None where the file has no transparency.

        Args:
            data: The bytes of the file.
        """
        with _reasons(), memory_for(data):
            picture = self._load(data)
            return picture.convert("RGBA") if picture.has_transparency_data else None

    def _load(self, data: bytes, *, colors: bool = False) -> Image.Image:
        """The decoded picture. With `colors`, its alpha channel may be left out."""
        if not data:
            raise BrokenPicture("empty file")
        picture = Image.open(io.BytesIO(data), formats=FORMATS)
        if picture.width * picture.height > self.max_pixels:
            raise BrokenPicture(
                f"too large: {picture.width} x {picture.height} pixels, more than the {self.max_pixels:,} that are allowed"
            )
        gray = colors and is_gray_in_color(picture)
        if colors:
            skip_alpha(picture)
        picture.load()
        upright = _upright(picture) if self.exif == "apply" else picture
        return upright.getchannel("R") if gray else upright


def same_pixels(data: bytes, a: Decoding, b: Decoding) -> bool:
    """Whether both ways of decoding give the same picture, as far as its header tells; False where that is not certain."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            if picture.width * picture.height > min(a.max_pixels, b.max_pixels):
                return False
            # Only in these formats are transparency and orientation known before all of the file is decoded.
            if picture.format not in ("JPEG", "PNG", "BMP"):
                return a == b
            turned = a.exif != b.exif and _upright(picture) is not picture
            return not turned and not (a.alpha != b.alpha and picture.has_transparency_data)
    except Exception:  # noqa: BLE001 - a decoder may raise anything on corrupt bytes
        return False


@contextmanager
def _reasons() -> Iterator[None]:
    """Turn whatever a decoder raises into a BrokenPicture with the reason."""
    try:
        yield
    except BrokenPicture:
        raise
    except UnidentifiedImageError:
        raise BrokenPicture("not a JPEG, PNG, WebP, BMP, TIFF or GIF picture") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BrokenPicture(f"too large: {error}") from None
    except MemoryError:
        raise BrokenPicture("too large for the memory of this machine") from None
    except Exception as error:  # a decoder may raise anything on corrupt bytes
        raise BrokenPicture(f"truncated or corrupt: {error or type(error).__name__}") from error


def decode_picture(data: bytes, *, exif: Exif = "apply", alpha: Alpha = "drop", max_pixels: int = MAX_PIXELS) -> Image.Image:
    """Decode a picture file's bytes to an upright RGB picture.

    Args:
        data: The bytes of a picture file.
        exif: "apply" turns the picture upright, "ignore" leaves it as it is stored.
        alpha: What transparent pixels become: "drop" keeps their stored color, "white" and "black" put a background behind them.
        max_pixels: Larger pictures are refused.

    Raises:
        BrokenPicture: If there is no usable picture in the bytes.

    Example:
        >>> import io
        >>> from PIL import Image
        >>> file = io.BytesIO()
        >>> Image.new("L", (4, 3), 128).save(file, "PNG")
        >>> decode_picture(file.getvalue()).mode
        'RGB'
    """
    return Decoding(exif, alpha, max_pixels).decode(data)


def _upright(picture: Image.Image) -> Image.Image:
    try:
        orientation = picture.getexif().get(ExifTags.Base.Orientation)
    except (SyntaxError, ValueError, KeyError, IndexError, OSError):
        return picture  # unreadable EXIF tells no orientation; the pixels are fine
    method = _UPRIGHT.get(orientation) if isinstance(orientation, int) else None
    return picture if method is None else picture.transpose(method)


def _rgb(picture: Image.Image, alpha: Alpha) -> Image.Image:
    if picture.mode.startswith("I;16") or (picture.mode == "I" and picture.format == "PNG"):
        picture = _eight_bits(picture)
    elif picture.mode in ("I", "F"):
        raise BrokenPicture("32-bit pixel values, which have no agreed range; save it with 8 or 16 bits")
    # The name is given to the next copy at once, so that memory of the last one is free.
    on = alpha if picture.has_transparency_data else "drop"
    picture = without_alpha(picture) if on == "drop" else on_ground(picture, on)
    return picture if picture.mode == "RGB" else picture.convert("RGB")


def _eight_bits(picture: Image.Image) -> Image.Image:
    """The upper eight of sixteen bits, as Pillow reads sixteen-bit color; `convert` alone would clip at 255.

    In strips: arrays of the whole picture would take 2 GB where its pixels take 0.2 GB."""
    made = Image.new("L", picture.size)
    for top in range(0, picture.height, STRIP):
        strip = picture.crop((0, top, picture.width, min(top + STRIP, picture.height)))
        values = np.asarray(strip).astype(np.int32) >> 8
        made.paste(Image.fromarray(values.clip(0, 255).astype(np.uint8)), (0, top))
    return made
