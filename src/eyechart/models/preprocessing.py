"""Preprocessing: an upright RGB picture to the array a network was trained on, bit for bit as in the original libraries.

The arithmetic follows torchvision's Resize, CenterCrop, ToTensor and Normalize on Pillow pictures (which open_clip and
timm use), and, with `rescale` and `offset`, the two kinds of transformers' image processors.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.errors import ModelError, did_you_mean

Resize = Literal["shortest", "squash", "longest"]
Crop = Literal["center", "none"]
Interpolation = Literal["bicubic", "bilinear", "nearest", "lanczos"]
Rescale = Literal["divide", "multiply", "fused"]
Offset = Literal["nearest", "down"]

CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_STD = (0.26862954, 0.26130258, 0.27577711)

_FILTERS = {
    "bicubic": Image.Resampling.BICUBIC,
    "bilinear": Image.Resampling.BILINEAR,
    "nearest": Image.Resampling.NEAREST,
    "lanczos": Image.Resampling.LANCZOS,
}

# A strip of 1 × 20,000 pixels would grow to three gigabytes before its center is cropped. Beyond this many resized pixels
# only the part that survives the crop is computed; that may differ from the libraries by one gray level in a few places.
_MOST_PIXELS = 50_000_000


@dataclass(frozen=True)
class Preprocessing:
    """How a picture becomes an array.

    size: The network's input size: a side, or (height, width).
    resize: 'shortest' scales the shortest side to it, 'longest' the longest (the rest is padded with `fill`), 'squash' each
        side by itself.
    crop: 'center' or 'none'.
    interpolation: The resampling filter.
    mean: The mean of each channel.
    std: The standard deviation of each channel.
    fill: The gray level or color of padding.
    resize_size: The size to resize to, where it differs from `size` (timm's crop_pct, transformers' crop_size).
    rescale: 'divide' is (x / 255 - mean) / std; 'multiply' uses x · (1 / 255) in float64 (transformers' Pillow processors);
        'fused' is (x - 255 · mean) / (255 · std) (its torchvision processors).
    offset: How an odd center crop is placed: 'nearest' as torchvision rounds, 'down' as transformers does.

    For a size that is not square, open_clip and timm ignore the model's interpolation and use their resizer's default
    (bicubic and bilinear): give that one here.

    Example:
        >>> Preprocessing(224).height_width
        (224, 224)
    """

    size: int | tuple[int, int]
    resize: Resize = "shortest"
    crop: Crop = "center"
    interpolation: Interpolation = "bicubic"
    mean: tuple[float, float, float] = CLIP_MEAN
    std: tuple[float, float, float] = CLIP_STD
    fill: int | tuple[int, int, int] = 0
    resize_size: int | tuple[int, int] | None = None
    rescale: Rescale = "divide"
    offset: Offset = "nearest"

    def __post_init__(self) -> None:
        for name, known in (
            ("resize", Resize),
            ("crop", Crop),
            ("interpolation", Interpolation),
            ("rescale", Rescale),
            ("offset", Offset),
        ):
            value = getattr(self, name)
            if value not in get_args(known):
                hint = did_you_mean(str(value), get_args(known))
                raise ModelError(f"preprocessing: {name} is {value!r}{hint} (it may be {', '.join(get_args(known))})")
        for name in ("size", "resize_size"):
            value = getattr(self, name)
            if value is not None and min(_pair(value)) < 1:
                raise ModelError(
                    f"preprocessing: {name} is {value!r}; give pixels, one number or height and width, each at least 1"
                )
        for name in ("mean", "std"):
            value = getattr(self, name)
            if len(value) != 3 or not all(isfinite(v) and (v > 0 or name == "mean") for v in value):
                more = ", each above 0" if name == "std" else ""
                raise ModelError(f"preprocessing: {name} is {value!r}; it must be three finite numbers{more}")
        fill = self.fill if isinstance(self.fill, tuple) else (self.fill,)
        if not all(0 <= level <= 255 for level in fill):
            raise ModelError(f"preprocessing: fill is {self.fill!r}; give gray levels from 0 to 255")
        if self.crop == "none" and (self.resize != "squash" or self.resize_size not in (None, self.size)):
            raise ModelError("preprocessing: without a crop every picture must be resized to one size: resize must be 'squash'")

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Preprocessing":
        """The preprocessing of JSON settings; an unknown field or a wrong value is refused by name.

        Args:
            given: The settings; those that are left out have their defaults.
        """
        known = [f.name for f in fields(cls)]
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known)
                raise ModelError(f"preprocessing: there is no field {name!r}{hint} (there are: {', '.join(known)})")
        if "size" not in given:
            raise ModelError("preprocessing: the field 'size' is missing; give the side in pixels, or [height, width]")
        return cls(**{name: _checked(name, value) for name, value in given.items()})

    def describe(self) -> dict[str, Any]:
        """Every setting as JSON; `from_dict` reads it back."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @property
    def height_width(self) -> tuple[int, int]:
        """The network's input size."""
        return _pair(self.size)

    def __call__(self, picture: Image.Image) -> npt.NDArray[np.float32]:
        """[3, height, width]. A picture that is not RGB is converted first."""
        if picture.mode != "RGB":
            picture = picture.convert("RGB")
        pixels = np.asarray(self._cut(picture))
        out = np.empty((3, *pixels.shape[:2]), dtype=np.float32)
        for channel in range(3):
            # mode="clip" skips the bounds check of np.take; a byte is always a valid index of 256 entries.
            np.take(self._levels[channel], pixels[..., channel], out=out[channel], mode="clip")
        return out

    @cached_property
    def _levels(self) -> npt.NDArray[np.float32]:
        """[3, 256]: the value of each gray level of each channel, as a look-up table."""
        level = np.arange(256, dtype=np.float32)
        mean, std = (np.array(v, dtype=np.float32)[:, None] for v in (self.mean, self.std))
        if self.rescale == "fused":
            scale = np.float32(1.0 / 0.00392156862745098)
            return np.asarray((level - mean * scale) / (std * scale), dtype=np.float32)
        if self.rescale == "multiply":
            unit = (np.arange(256, dtype=np.float64) * (1 / 255)).astype(np.float32)
        else:
            unit = level / np.float32(255)
        return np.asarray((unit - mean) / std, dtype=np.float32)

    def resized_size(self, width: int, height: int) -> tuple[int, int]:
        """(width, height) after resizing, before the crop.

        Args:
            width: Of the picture.
            height: Of the picture.

        Example:
            >>> Preprocessing(224).resized_size(640, 480)
            (298, 224)
        """
        high, wide = _pair(self.resize_size or self.size)
        if self.resize == "squash":
            return wide, high
        if self.resize == "shortest" and high == wide:
            short, long = sorted((width, height))
            new_long = int(high * long / short)
            return (high, new_long) if width <= height else (new_long, high)
        ratios = (height / high, width / wide)
        ratio = max(ratios) if self.resize == "longest" else min(ratios)
        # The libraries raise an error where a very flat picture would round to zero rows; one row is kept here.
        return max(1, round(width / ratio)), max(1, round(height / ratio))

    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        """The part of a picture of this size that is encoded: left, top, right, bottom in the picture's own pixels. Padding
        extends it beyond the edges.

        Args:
            width: Of the picture.
            height: Of the picture.

        Example:
            >>> Preprocessing(200, resize="squash").window(640, 480)
            (0.0, 0.0, 640.0, 480.0)
        """
        size, wanted = self.resized_size(width, height), self.height_width[::-1]
        (left, top), across, down = self._starts(size), width / size[0], height / size[1]
        return left * across, top * down, (left + wanted[0]) * across, (top + wanted[1]) * down

    def _starts(self, size: tuple[int, int]) -> tuple[int, int]:
        """Where the crop begins in the resized picture."""
        high, wide = self.height_width
        return _offset(size[0], wide, self.offset), _offset(size[1], high, self.offset)

    def _cut(self, picture: Image.Image) -> Image.Image:
        """Resize and crop, padding where the resized picture is smaller than the crop."""
        size, wanted, method = self.resized_size(*picture.size), self.height_width[::-1], _FILTERS[self.interpolation]
        starts = self._starts(size)
        left, top = (max(0, start) for start in starts)
        right, bottom = (min(have, start + want) for have, start, want in zip(size, starts, wanted, strict=True))
        if size[0] * size[1] > _MOST_PIXELS:
            across, down = picture.width / size[0], picture.height / size[1]
            source = (left * across, top * down, min(right * across, picture.width), min(bottom * down, picture.height))
            picture = picture.resize((right - left, bottom - top), method, box=source)
        else:
            if size != picture.size:
                picture = picture.resize(size, method)
            if (right - left, bottom - top) != size:
                picture = picture.crop((left, top, right, bottom))
        if picture.size == wanted:
            return picture
        framed = Image.new("RGB", wanted, self.fill if isinstance(self.fill, tuple) else (self.fill,) * 3)
        framed.paste(picture, (max(0, -starts[0]), max(0, -starts[1])))
        return framed


def _offset(have: int, want: int, rule: Offset) -> int:
    """Where the crop begins along one side; negative where it is padded."""
    if rule == "down":
        return (have - want) // 2
    return round((have - want) / 2) if have >= want else -((want - have) // 2)


def _pair(size: int | tuple[int, int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def _checked(name: str, value: Any) -> Any:
    """One field from JSON: lists become tuples, and the type is checked."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name in ("resize", "crop", "interpolation", "rescale", "offset"):
        if isinstance(value, str):
            return value
        wants = "a word"
    elif name in ("mean", "std"):
        if isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
            # A whole number with hundreds of digits does not fit a float.
            return tuple(float(v) if isinstance(v, float) or abs(v) < 1 << 63 else inf for v in value)
        wants = "three numbers"
    else:
        if whole or (name == "resize_size" and value is None):
            return value
        count = 3 if name == "fill" else 2
        if isinstance(value, list | tuple) and len(value) == count and all(isinstance(v, int) for v in value):
            return tuple(value)
        wants = f"a whole number or {count} of them"
    raise ModelError(f"preprocessing: {name} is {value!r}; it must be {wants}")
