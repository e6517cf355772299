"""Matching by patch tokens against SciPy's interpolation and scikit-learn's neighbors, and by hand."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from scipy.spatial.distance import cdist

from eyechart.metrics.scenes.patch_matching import directions, match, middles, sample


def test_tokens_between_patches_are_scipys_interpolation():
    rng = np.random.default_rng(0)
    patches = rng.standard_normal((5, 7, 3)).astype(np.float32)
    places = np.column_stack([rng.uniform(0.5, 6.5, 40), rng.uniform(0.5, 4.5, 40)])
    between = RegularGridInterpolator((np.arange(5) + 0.5, np.arange(7) + 0.5), patches.astype(float))(places[:, ::-1])
    expected = between / np.linalg.norm(between, axis=1, keepdims=True)
    np.testing.assert_allclose(sample(patches, places), expected, atol=1e-5)


def test_the_middle_of_a_patch_is_its_own_token_and_the_rim_its_nearest():
    patches = directions(np.random.default_rng(1).standard_normal((3, 4, 8)).astype(np.float32))
    np.testing.assert_allclose(sample(patches, middles(3, 4)), patches.reshape(12, 8), atol=1e-6)
    np.testing.assert_allclose(sample(patches, np.array([[0.0, 0.1], [4.0, 3.0]])), patches[[0, 2], [0, 3]], atol=1e-6)


def test_neighbors_and_weights_are_those_of_all_distances():
    rng = np.random.default_rng(2)
    queries, tokens = (directions(rng.standard_normal((n, 16)).astype(np.float32)) for n in (30, 50))
    distances = cdist(queries, tokens, "cosine")
    found = match(queries, tokens)
    assert found.nearest.tolist() == distances.argmin(axis=1).tolist()
    nearest, second = np.sort(distances, axis=1)[:, :2].T
    np.testing.assert_allclose(found.weight, 1 - nearest / second, atol=1e-5)


def test_an_exact_match_weighs_one_and_two_alike_weigh_nothing():
    tokens = np.eye(4, dtype=np.float32)[[0, 1, 1]]
    found = match(np.eye(4, dtype=np.float32)[[0, 1, 3]], tokens)
    assert found.weight == pytest.approx([1, 0, 0], abs=1e-6)


def test_a_token_of_zero_has_no_direction():
    assert directions(np.zeros((1, 3), np.float32)).tolist() == [[0, 0, 0]]


def test_one_token_is_no_choice():
    with pytest.raises(ValueError, match="two tokens"):
        match(np.ones((1, 2), np.float32), np.ones((1, 2), np.float32))


def test_two_tokens_are_enough_and_distances_are_ratios():
    """Cosines 0.8 and 0.6: distances 0.2 and 0.4."""
    tokens = np.eye(2, dtype=np.float32)
    found = match(np.array([[0.8, 0.6], [0.6, 0.8]], np.float32), tokens)
    assert found.nearest.tolist() == [0, 1]
    assert found.weight == pytest.approx([0.5, 0.5], abs=1e-6)


def test_middles_are_row_by_row():
    assert middles(2, 3).tolist() == [[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [0.5, 1.5], [1.5, 1.5], [2.5, 1.5]]


def test_places_at_the_lower_right_rim_stay_within_the_grid():
    patches = directions(np.random.default_rng(3).standard_normal((2, 3, 4)).astype(np.float32))
    between = patches[0, 2].astype(float) * 0.25 + patches[1, 2].astype(float) * 0.75
    found = sample(patches, np.array([[3.0, 1.25], [2.5, 1.25]]))
    np.testing.assert_allclose(found, np.tile(between / np.linalg.norm(between), (2, 1)), atol=1e-6)
