"""Neighbors against scikit-learn, and the order in which pictures are shown."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.neighbors import NearestNeighbors
from tests.probes.vectors import given_by_vectors

from eyechart.metrics.classification.top_classes import TopClasses
from eyechart.probes.tasks import picture_neighbors
from eyechart.probes.tasks.picture_neighbors import nearest_neighbors, neighbor_exhibit, pictures_to_show


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


def test_without_probabilities_errors_of_a_lower_rank_come_first():
    truth, predicted = np.array([0, 0, 0, 0]), np.array([1, 1, 1, 0])
    top = TopClasses(
        classes=predicted[:, None], probabilities=None, margin=np.full(4, np.nan, np.float32), rank=np.array([3, 1, 2, 0]),
        tied=np.zeros(4, bool), mcm=np.zeros(4, np.float32),
    )  # fmt: skip
    assert pictures_to_show(truth, top, 9).tolist() == [1, 2, 0, 3]


def shown(images, truth, predicted, **more):
    inputs = given_by_vectors(images, np.eye(3), truth, None, **more)
    predicted = np.asarray(predicted)
    top = TopClasses(
        classes=predicted[:, None], probabilities=np.full((len(predicted), 1), 0.5, np.float32),
        margin=np.linspace(0, 1, len(predicted)).astype(np.float32), rank=(predicted != np.asarray(truth)).astype(np.int64),
        tied=np.zeros(len(predicted), bool), mcm=np.full(len(predicted), 0.5, np.float32),
    )  # fmt: skip
    return inputs, top


def test_rows_have_neighbors_attributes_and_titles():
    columns = {"attr.size": pa.array([1, None, 3, 4]), "factor.dark": pa.array([True, None, False, None])}
    inputs, top = shown(unit_rows(4, 3), [0, -1, 2, 1], [0, 1, 1, 1], columns=columns)
    found = neighbor_exhibit(inputs, top, ["a", "b", "c"], {"prompts": "bare"})
    rows = {row["id"]: row for row in found.table.to_pylist()}
    assert [row["id"] for row in found.table.to_pylist()] == ["exam-2", "exam-0", "exam-1", "exam-3"]
    assert [(rows[f"exam-{i}"]["true"], rows[f"exam-{i}"]["predicted"]) for i in range(4)] == [
        ("a", "a"),
        (None, "b"),
        ("c", "b"),
        ("b", "b"),
    ]
    assert rows["exam-0"]["attributes"] == "size: 1 · dark: True" and rows["exam-1"]["attributes"] == ""
    cosines = inputs.images @ inputs.images.T
    order = sorted((i for i in range(4) if i != 2), key=lambda i: -cosines[2, i])
    assert rows["exam-2"]["ids"] == [f"exam-{i}" for i in order]
    assert rows["exam-2"]["cosines"] == pytest.approx([cosines[2, i] for i in order], abs=1e-5)
    assert found.name.endswith("-bare") and found.sentence.startswith("4 pictures, 1 error first, each with the ")


def test_a_model_without_vectors_has_no_neighbors_and_some_rows_are_enough():
    inputs, _ = shown(np.eye(3), [0, 1, 2], [0, 1, 2])
    _, top = shown(np.eye(3)[:2], [0, 2], [0, 2])
    bare = replace(inputs, images=np.empty((3, 0), np.float32))
    found = neighbor_exhibit(bare, top, ["a", "b", "c"], {}, np.array([0, 2]))
    assert [(row["id"], row["ids"], row["cosines"]) for row in found.table.to_pylist()] == [
        ("exam-0", [], []),
        ("exam-2", [], []),
    ]
    assert found.title == "Pictures to look at first" and found.sentence == "2 pictures, 0 errors first."


@pytest.mark.parametrize(("every", "count"), [(5, 5), (4, 2)])
def test_of_many_pictures_some_are_shown(monkeypatch, every, count):
    monkeypatch.setattr(picture_neighbors, "EVERY", every)
    monkeypatch.setattr(picture_neighbors, "CHOSEN", 2)
    inputs, top = shown(unit_rows(5, 3), [0] * 5, [0] * 5)
    assert neighbor_exhibit(inputs, top, ["a", "b", "c"], {}).table.num_rows == count
