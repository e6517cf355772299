"""Neighbors against scikit-learn, and the order in which pictures are shown."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from eyechart.metrics.classification.top_classes import TopClasses
from eyechart.probes.tasks.picture_neighbors import nearest_neighbors, pictures_to_show


def unit_rows(n: int, width: int) -> np.ndarray:
    rows = np.random.default_rng(3).normal(size=(n, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_neighbors_are_those_of_scikit_learn():
    images = unit_rows(700, 16)  # more than one block of queries
    queries = np.arange(0, 700, 2)
    near, cosines = nearest_neighbors(images, np.arange(700), queries, 4)
    peer = NearestNeighbors(n_neighbors=5, metric="cosine").fit(images)
    distances, places = peer.kneighbors(images[queries])
    assert (near == places[:, 1:]).all()  # the first is the picture itself
    assert cosines == pytest.approx(1 - distances[:, 1:], abs=1e-5)


def test_a_copy_is_no_neighbor():
    images = unit_rows(6, 8)
    images[3] = images[0]
    near, _ = nearest_neighbors(images, np.array([0, 1, 2, 0, 4, 5]), np.array([0, 3]), 4)
    assert sorted(near[0]) == sorted(near[1]) == [1, 2, 4, 5]


def test_where_there_are_too_few_others_places_stay_empty():
    near, cosines = nearest_neighbors(unit_rows(3, 4), np.arange(3), np.array([0]), 4)
    assert (near[0] >= 0).tolist() == [True, True, False, False]
    assert np.isnan(cosines[0]).tolist() == [False, False, True, True]


def test_the_surest_error_of_each_cell_comes_first_and_close_decisions_before_clear_ones():
    truth = np.array([0, 0, 0, 1, 1, 1, -1])
    predicted = np.array([1, 1, 2, 1, 1, 0, 2])
    confidence = np.array([0.9, 0.8, 0.3, 0.6, 0.9, 0.5, 0.7], np.float32)
    top = TopClasses(
        classes=predicted[:, None],
        probabilities=confidence[:, None],
        margin=np.array([0.5, 0.5, 0.1, 0.2, 0.8, 0.1, 0.05], np.float32),
        rank=(predicted != truth).astype(np.int64),
        tied=np.zeros(7, bool),
        mcm=confidence,
    )
    # Cells (0, 1), (1, 0) and (0, 2) by their surest error, then the second error of (0, 1); then rows 6, 3 and 4 by margin.
    assert pictures_to_show(truth, top, 10).tolist() == [0, 5, 2, 1, 6, 3, 4]
    assert pictures_to_show(truth, top, 2).tolist() == [0, 5]
