import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from eyechart.data.masks import decode_mask, encode_mask
from eyechart.errors import DataError


def test_runs_go_row_by_row_and_begin_outside():
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    assert encode_mask(ring) == [0, 4, 1, 4]
    assert encode_mask(~ring) == [4, 1, 4]
    assert encode_mask(np.zeros((2, 3), dtype=bool)) == [6]


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=9)))
def test_a_mask_comes_back_as_it_was(mask):
    runs = encode_mask(mask)
    assert sum(runs) == mask.size
    assert sum(runs[1::2]) == mask.sum()
    assert np.array_equal(decode_mask(runs, *mask.shape), mask)


@pytest.mark.parametrize("runs", [[3, 2], [8, -2]])
def test_a_mask_of_another_size_is_refused(runs):
    with pytest.raises(DataError, match="give the size it was made for"):
        decode_mask(runs, 2, 3)
