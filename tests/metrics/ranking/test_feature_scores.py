"""Scores from image vectors: limits of k, blocks, and covariances that shrink to nothing or to a sphere."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from eyechart.metrics.ranking import feature_scores
from eyechart.metrics.ranking.feature_scores import Mahalanobis, nearest_neighbor, shrunk_covariance
from eyechart.metrics.vectors import unit


def vectors(seed, n, d=6):
    return unit(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


@pytest.mark.parametrize("k", [1, 2, 9])
def test_neighbors_are_those_of_a_sorted_list_in_blocks_too(k, monkeypatch):
    images, bank = vectors(0, 23), vectors(1, 9)
    expected = [-np.sort(np.linalg.norm(bank.astype(float) - image, axis=1))[k - 1] for image in images.astype(float)]
    assert nearest_neighbor(images, bank, k) == pytest.approx(expected, abs=1e-6)
    monkeypatch.setattr(feature_scores, "_BLOCK", 9 * 4)
    assert nearest_neighbor(images, bank, k) == pytest.approx(expected, abs=1e-6)
    monkeypatch.setattr(feature_scores, "_BLOCK", 1)  # less than a row
    assert nearest_neighbor(images, bank, k) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("k", [0, 10, -1])
def test_a_k_beyond_the_bank_is_refused(k):
    with pytest.raises(ValueError, match=f"k is {k}, and the bank has 9"):
        nearest_neighbor(vectors(0, 2), vectors(1, 9), k)


def test_a_vector_is_at_no_distance_from_itself():
    """Where the cosine is rounded above 1, too."""
    bank = vectors(2, 50, 300)
    assert nearest_neighbor(bank, bank) == pytest.approx(np.zeros(50), abs=3e-3)
    assert np.isfinite(nearest_neighbor(bank * np.float32(1 + 1e-6), bank)).all()


def mahalanobis_by_hand(images, bank, labels):
    means = np.stack([bank[labels == c].astype(float).mean(axis=0) for c in np.unique(labels)])
    of_row = np.unique(labels, return_inverse=True)[1]
    precision = np.linalg.inv(ledoit_wolf(bank - means[of_row], assume_centered=True)[0])
    return [-min((x - m) @ precision @ (x - m) for m in means) for x in images.astype(float)]


def test_mahalanobis_with_classes_of_different_sizes_in_blocks(monkeypatch):
    images, bank = vectors(3, 20), vectors(4, 40)
    labels = np.random.default_rng(5).permutation(np.repeat([7, 2, 9], [25, 10, 5]))
    expected = mahalanobis_by_hand(images, bank, labels)
    assert Mahalanobis.of(bank, labels)(images) == pytest.approx(expected, rel=1e-4)
    monkeypatch.setattr(feature_scores, "_BLOCK", 6 * 3)
    assert Mahalanobis.of(bank, labels)(images) == pytest.approx(expected, rel=1e-4)
    monkeypatch.setattr(feature_scores, "_BLOCK", 1)
    assert Mahalanobis.of(bank, labels)(images) == pytest.approx(expected, rel=1e-4)


def test_a_covariance_that_is_a_sphere_stays_one():
    """S = μI: there is nothing to shrink, and nothing to divide by."""
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert shrunk_covariance(rows) == pytest.approx(0.5 * np.eye(2))


@pytest.mark.parametrize("n", [2, 3, 5, 50])
def test_few_rows_shrink_to_a_sphere_as_in_scikit_learn(n):
    rows = np.random.default_rng(n).normal(size=(n, 4)) * [3, 1, 1, 0.5]
    assert shrunk_covariance(rows) == pytest.approx(ledoit_wolf(rows, assume_centered=True)[0])


def test_pictures_that_are_all_alike_in_their_class_say_nothing():
    with pytest.raises(ValueError, match="no class has two different pictures"):
        Mahalanobis.of(np.repeat(vectors(6, 3), 4, axis=0), np.repeat([0, 1, 2], 4))


def test_directions_without_variance_count_as_nearly_none():
    """Two pictures either side of the mean: no variance but along them, and nothing to shrink. Across, the variance is taken
    for 1e-10 of that along them."""
    bank = np.array([[0.3, 0.0], [-0.3, 0.0]], np.float32)
    found = Mahalanobis.of(bank, np.zeros(2, int))(np.array([[0.3, 0.0], [0.0, 0.6]], np.float32))
    assert found == pytest.approx([-1.0, -(0.6**2) / (0.09 * 1e-10)], rel=1e-3)
