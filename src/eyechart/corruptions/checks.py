"""Checks of a corruption's arguments. Errors tell what to give instead."""

import operator

import numpy as np

from eyechart.corruptions.corruption import SEVERITIES, Depth, Picture
from eyechart.errors import DataError, UsageError


def checked_picture(picture: Picture) -> None:
    if not isinstance(picture, np.ndarray):
        raise DataError(f"the picture is a {type(picture).__name__}, not an array; give np.asarray(picture.convert('RGB'))")
    if picture.dtype != np.uint8:
        raise DataError(f"the picture's values are {picture.dtype}; give uint8 from 0 to 255")
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.size == 0:
        raise DataError(f"the picture's shape is {list(picture.shape)}; give [height, width, 3], converted to RGB")


def checked_severity(severity: int) -> int:
    whole = _whole(severity)
    if whole not in SEVERITIES:
        raise UsageError(f"severity {severity!r} is not one of 1, 2, 3, 4, 5; 1 is slight and 5 is strong")
    return whole


def checked_seed(seed: int) -> int:
    whole = _whole(seed)
    if whole is None or whole < 0:
        raise UsageError(f"seed {seed!r} is not a whole number of 0 or more; give one, such as 0")
    return whole


def checked_depth(depth: Depth, shape: tuple[int, ...]) -> Depth:
    """The depth map, if every pixel has a valid distance."""
    if not isinstance(depth, np.ndarray) or depth.dtype.kind not in "fiu":
        kind = depth.dtype if isinstance(depth, np.ndarray) else type(depth).__name__
        raise DataError(f"the depth map is of {kind}; give an array of numbers, such as float32")
    if depth.shape != shape:
        raise DataError(f"the depth map's shape is {list(depth.shape)}, the picture's {list(shape)}; resize one to the other")
    without = ~np.isfinite(depth) | (depth <= 0)
    if without.any():
        row, column = (int(place) for place in np.argwhere(without)[0])
        raise DataError(
            f"the depth map is {depth[row, column]} at row {row}, column {column} "
            f"({int(without.sum())} of {without.size} pixels are not finite or not above 0); "
            "every pixel needs a finite distance above 0: fill unknown pixels, for example with the largest distance"
        )
    return depth


def _whole(number: object) -> int | None:
    """A whole number; None for anything else, including True and False."""
    if isinstance(number, bool):
        return None
    try:
        return operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        return None
