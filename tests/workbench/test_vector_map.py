"""The map is a PCA: compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from eyechart.workbench.vector_map import umap_map, vector_map


def test_places_are_the_first_two_components():
    rng = np.random.default_rng(3)
    vectors = (rng.standard_normal((400, 10)) * np.linspace(3, 0.2, 10)).astype(np.float32)
    found, pca = vector_map(vectors), PCA(2).fit(vectors.astype(np.float64))
    expected = pca.transform(vectors.astype(np.float64))
    for axis in range(2):
        r = np.corrcoef(found.places[:, axis], expected[:, axis])[0, 1]
        assert abs(abs(r) - 1) < 1e-6
    np.testing.assert_allclose(found.explained, pca.explained_variance_ratio_, atol=1e-6)
    assert found.places.min() == 0 and found.places.max() == 1


def test_a_large_set_is_sampled():
    vectors = np.random.default_rng(0).standard_normal((21_000, 4)).astype(np.float32)
    found = vector_map(vectors)
    assert len(found.rows) == 20_000 and len(set(found.rows)) == 20_000


def test_umap_is_an_extra(server):
    from importlib.util import find_spec

    at = {"run": "r-shapes", "model": "demo", "dataset": "shapes"}
    if find_spec("umap") is None:
        status, answer = server.post("map", {"at": at, "layout": "umap"})
        assert status == 400 and "pip install 'eyechart[umap]'" in answer["error"]
    status, answer = server.post("map", {"at": at, "layout": "other"})
    assert status == 400 and "pca or umap" in answer["error"]
    assert server.post("map", {"at": at})[1]["layout"] == "pca"


def test_umap_keeps_groups_apart_and_is_the_same_each_time():
    pytest.importorskip("umap")
    rng = np.random.default_rng(0)
    centers = np.eye(3, 16)
    group = np.repeat(np.arange(3), 40)
    vectors = centers[group] + 0.05 * rng.normal(size=(120, 16))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = umap_map(vectors)
    distance = np.linalg.norm(found.places[:, None] - found.places[None], axis=2) + 10 * np.eye(120)
    assert (group[distance.argmin(axis=1)] == group).all() and found.explained is None
    assert found.places.min() == 0 and found.places.max() == 1
    np.testing.assert_array_equal(umap_map(vectors).places, found.places)
