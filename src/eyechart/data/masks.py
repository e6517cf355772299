"""Masks as run lengths: how many pixels in a row are outside, inside, outside, … of an object.

Row by row from the top left, beginning with the outside (0 where the first pixel is inside). The lengths add up to the number of
pixels. (COCO's run lengths also begin with the outside, but go column by column.)"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError

Mask = npt.NDArray[np.bool_]  # [height, width]


def encode_mask(mask: Mask) -> list[int]:
    """The run lengths of a mask.

    >>> encode_mask(np.array([[False, True, True], [True, False, False]]))
    [1, 3, 2]
    """
    flat = np.asarray(mask, dtype=np.bool_).ravel()
    if not len(flat):
        return [0]
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = [int(run) for run in np.diff(np.concatenate([[0], changes, [len(flat)]]))]
    return [0, *runs] if flat[0] else runs


def decode_mask(runs: Sequence[int], height: int, width: int) -> Mask:
    """The mask of run lengths.

    >>> decode_mask([1, 3, 2], 2, 3).tolist()
    [[False, True, True], [True, False, False]]
    """
    lengths = np.asarray(runs, dtype=np.int64)
    if (lengths < 0).any() or lengths.sum() != height * width:
        raise DataError(
            f"a mask of {int(lengths.sum())} pixels for a picture of {height} x {width}; give the size it was made for"
        )
    inside = np.arange(len(lengths)) % 2 == 1
    return np.repeat(inside, lengths).reshape(height, width)
