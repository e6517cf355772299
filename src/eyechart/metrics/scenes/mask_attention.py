"""The share of an attention map on an object, by its exact mask."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles

_MOST_EXTRA = 4  # tokens before the patches, beside the class token: registers


def covered(mask: npt.NDArray[np.bool_], window: Sequence[float], grid: tuple[int, int]) -> Doubles:
    """[h, w]: the part of each cell of a grid over `window` (left, top, right, bottom, in pixels) that the mask covers.

    Exact for cells that cut pixels: the mask's integral is linear within a pixel. What lies outside the picture is not covered.

    >>> covered(np.array([[True, False], [True, False]]), (0, 0, 2, 2), (1, 1)).tolist()
    [[0.5]]
    """
    height, width = mask.shape
    integral = np.zeros((height + 1, width + 1))
    integral[1:, 1:] = mask.cumsum(axis=0).cumsum(axis=1)
    left, top, right, bottom = window
    down, across = np.linspace(top, bottom, grid[0] + 1), np.linspace(left, right, grid[1] + 1)
    at = _between(_between(integral, np.clip(down, 0, height)).T, np.clip(across, 0, width)).T
    inside = np.diff(np.diff(at, axis=0), axis=1)
    return np.asarray(inside / ((bottom - top) / grid[0] * (right - left) / grid[1]))


def _between(rows: Doubles, at: Doubles) -> Doubles:
    """Rows at fractional places, linear between whole ones."""
    low = np.minimum(np.floor(at).astype(np.int64), len(rows) - 2)
    part = (at - low)[:, None]
    return np.asarray(rows[low] * (1 - part) + rows[low + 1] * part)


def patch_maps(weights: npt.ArrayLike) -> tuple[Doubles, tuple[int, int]]:
    """Of what the class token gives to the tokens [..., tokens], itself first, what it gives to the patches [..., patches], each
    map summing to 1; and the grid of the patches, which is square and comes last. Tokens between are registers.

    ValueError where there is no such grid."""
    weights = np.asarray(weights)
    tokens = weights.shape[-1]
    side = int(np.sqrt(tokens - 1))
    if side < 1 or tokens - 1 - side * side > _MOST_EXTRA:
        raise ValueError(f"{tokens} tokens are no square of patches behind a class token")
    maps = weights[..., tokens - side * side :].astype(np.float64)
    return maps / maps.sum(axis=-1, keepdims=True), (side, side)
