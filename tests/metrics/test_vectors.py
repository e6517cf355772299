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


@pytest.mark.parametrize("width", [1, 7, 512, 200_000])
def test_many_rows_are_normalized_in_blocks_as_they_are_alone(width):
    """More rows than a block has; a row that is wider than a block is one of its own."""
    rows = 3 if width > 1000 else 300_001 // width
    vectors = np.random.default_rng(width).normal(size=(rows, width)).astype(np.float32)
    expected = vectors / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    assert np.allclose(unit(vectors), expected, rtol=1e-6, atol=0)
    unit(vectors, out=vectors)
    assert np.allclose(vectors, expected, rtol=1e-6, atol=0)


def test_a_row_without_direction_in_a_later_block_is_named():
    vectors = np.ones((1000, 512), np.float32)
    vectors[777] = 0
    with pytest.raises(ValueError, match="vector 777 has no direction"):
        unit(vectors)
