"""The map is a PCA: compared with scikit-learn."""

import numpy as np
from sklearn.decomposition import PCA

from eyechart.workbench.vector_map import vector_map


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
