"""Keypoint matching by patch tokens: cosine nearest neighbors, weighted by the ratio of the two smallest distances."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats

Places = npt.NDArray[np.float64]  # [n, 2]: x, y

_SMALLEST = 1e-9  # distances below are taken for it, so that a ratio of two zeros is one


@dataclass(frozen=True)
class Matches:
    """Nearest tokens of the queries.

    nearest: The token nearest to each query.
    weight: 1 − d1/d2 with the cosine distances of its two nearest tokens: 0 where they are equally near, 1 for an exact match.
    """

    nearest: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]


def directions(tokens: Floats) -> Floats:
    """Every token [..., d] at unit length. A token of zero stays zero, and is as far from all others."""
    lengths = np.sqrt(np.einsum("...d,...d->...", tokens, tokens, dtype=np.float64))[..., None]
    out: Floats = np.divide(tokens, lengths, out=np.zeros_like(tokens, np.float32), where=lengths > 0, casting="same_kind")
    return out


def sample(patches: Floats, places: Places) -> Floats:
    """Tokens [n, d] at places of a grid of patches [h, w, d], between the middles of the four around (bilinear), at unit length.

    Places are (x, y) in patches from the top left corner: the middle of the first patch is (0.5, 0.5)."""
    high, wide, _ = patches.shape
    x, y = np.clip(places[:, 0] - 0.5, 0, wide - 1), np.clip(places[:, 1] - 0.5, 0, high - 1)
    left, top = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    right, bottom = np.minimum(left + 1, wide - 1), np.minimum(top + 1, high - 1)
    across, down = (x - left)[:, None], (y - top)[:, None]
    upper = patches[top, left] * (1 - across) + patches[top, right] * across
    lower = patches[bottom, left] * (1 - across) + patches[bottom, right] * across
    return directions((upper * (1 - down) + lower * down).astype(np.float32))


def match(queries: Floats, tokens: Floats) -> Matches:
    """The nearest of unit tokens [m, d], two at least, for each of the unit queries [n, d]."""
    if len(tokens) < 2:
        raise ValueError("there must be two tokens to choose from")
    cosines = queries @ tokens.T
    nearest = cosines.argmax(axis=1)
    rows = np.arange(len(queries))
    first = cosines[rows, nearest].astype(np.float64)
    cosines[rows, nearest] = -np.inf
    second = cosines.max(axis=1).astype(np.float64)
    near, far = np.maximum(1 - first, _SMALLEST), np.maximum(1 - second, _SMALLEST)
    return Matches(nearest.astype(np.int64), 1 - near / far)


def middles(high: int, wide: int) -> Places:
    """The middles of a grid of patches, row by row, in patches from the top left corner."""
    rows, columns = np.divmod(np.arange(high * wide), wide)
    return np.column_stack([columns + 0.5, rows + 0.5]).astype(np.float64)
