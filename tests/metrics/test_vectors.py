import numpy as np
import pytest

from eyechart.metrics.vectors import unit


def test_rows_have_length_one_and_keep_their_direction():
    assert unit(np.array([[3, 4], [1e-30, 0], [0, 2e30]], np.float32)) == pytest.approx(np.array([[0.6, 0.8], [1, 0], [0, 1]]))


def test_a_million_times_larger_row_is_as_exact():
    row = np.random.default_rng(0).normal(size=(1, 512)).astype(np.float32)
    assert np.array_equal(unit(row * 2**40), unit(row))


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_row_without_direction_is_named(bad):
    vectors = np.ones((5, 3), np.float32)
    vectors[2] = bad
    with pytest.raises(ValueError, match="vector 2 has no direction"):
        unit(vectors)
