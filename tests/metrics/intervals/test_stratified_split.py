"""A stratified split: sizes, chances and clusters."""

import numpy as np
import pytest

from eyechart.metrics.intervals.stratified_split import stratified_split


def test_the_extra_picture_goes_to_either_side_by_chance():
    """2,000 classes of three, and 2,000 of one."""
    labels = np.r_[np.repeat(np.arange(2000), 3), np.arange(2000, 4000)]
    first = stratified_split(labels, seed=0)
    counts = np.bincount(labels, first)
    assert set(counts[:2000]) == {1, 2} and set(counts[2000:]) == {0, 1}
    assert (counts[:2000] == 2).mean() == pytest.approx(0.5, abs=0.05)
    assert counts[2000:].mean() == pytest.approx(0.5, abs=0.05)


def test_an_even_class_is_halved_and_every_picture_has_the_same_chance():
    labels = np.array([5, 2, 5, 5, 2, 5, 2, 2, 5, 5])
    drawn = np.array([stratified_split(labels, seed=seed) for seed in range(1500)])
    assert (drawn[:, labels == 5].sum(axis=1) == 3).all() and (drawn[:, labels == 2].sum(axis=1) == 2).all()
    assert drawn.mean(axis=0) == pytest.approx(np.full(10, 0.5), abs=0.06)


def test_clusters_are_halved_whole_with_the_class_of_their_first_row():
    """Class 0 has four clusters, class 1 two. The second row of cluster 9 has another label, which does not count."""
    clusters = np.array([9, 9, 3, 3, 7, 7, 1, 1, 4, 4, 6, 6])
    labels = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    for seed in range(20):
        first = stratified_split(labels, seed=seed, clusters=clusters)
        assert (first[::2] == first[1::2]).all()
        assert first[[0, 2, 4, 6]].sum() == 2 and first[[8, 10]].sum() == 1
