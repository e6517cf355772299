import numpy as np
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import entropy
from sklearn.covariance import ledoit_wolf
from sklearn.neighbors import NearestNeighbors

from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.ranking.feature_scores import Mahalanobis, nearest_neighbor, shrunk_covariance
from eyechart.metrics.ranking.ood_scores import ood_scores
from eyechart.metrics.vectors import unit


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return tuple(unit(rng.normal(size=(k, 16)).astype(np.float32)) for k in (60, 7, 40))


@pytest.mark.parametrize("temperature", [1.0, 0.1])
def test_scores_agree_with_scipy(vectors, temperature):
    images, classes, _ = vectors
    found = ood_scores(CosineLogits(images, classes, 1.0), temperature, logit_scale=50.0)
    cosines = (images @ classes.T).astype(float)
    p = softmax(cosines / temperature, axis=1)
    expected = {
        "mcm": p.max(axis=1),
        "energy": temperature * logsumexp(cosines / temperature, axis=1),
        "max_cosine": cosines.max(axis=1),
        "entropy": -entropy(p, axis=1),
        "variance": p.var(axis=1),
        "msp": softmax(50 * cosines, axis=1).max(axis=1),
    }
    assert found.by_name.keys() == expected.keys()
    for name, values in expected.items():
        rel = 1e-5 if name == "msp" else 1e-6  # its exponentials are of single precision
        assert found.by_name[name] == pytest.approx(values, rel=rel, abs=1e-12), name
    assert (found.nearest == cosines.argmax(axis=1)).all()


def test_without_a_scale_there_is_no_msp(vectors):
    assert "msp" not in ood_scores(CosineLogits(vectors[0], vectors[1], 1.0)).by_name


@pytest.mark.parametrize("k", [1, 5])
def test_neighbors_agree_with_sklearn(vectors, k):
    images, _, bank = vectors
    distances, _ = NearestNeighbors(n_neighbors=k).fit(bank.astype(float)).kneighbors(images.astype(float))
    assert nearest_neighbor(images, bank, k) == pytest.approx(-distances[:, -1], abs=1e-6)


def test_more_neighbors_than_the_bank_has_are_refused(vectors):
    with pytest.raises(ValueError, match="the bank has 40"):
        nearest_neighbor(vectors[0], vectors[2], 41)


@pytest.mark.parametrize("n", [12, 400])
def test_the_covariance_agrees_with_sklearn(n):
    rows = np.random.default_rng(1).normal(size=(n, 20)) @ np.random.default_rng(2).normal(size=(20, 20))
    expected, _ = ledoit_wolf(rows, assume_centered=True)
    assert shrunk_covariance(rows) == pytest.approx(expected)


def test_mahalanobis_is_the_nearest_class_under_one_covariance(vectors):
    images, _, bank = vectors
    labels = np.arange(40) % 4
    means = np.stack([bank[labels == c].astype(float).mean(axis=0) for c in range(4)])
    precision = np.linalg.inv(shrunk_covariance(bank - means[labels]))
    expected = [-min((x - m) @ precision @ (x - m) for m in means) for x in images.astype(float)]
    assert Mahalanobis.of(bank, labels)(images) == pytest.approx(expected)


def test_mahalanobis_needs_two_pictures_of_a_class(vectors):
    with pytest.raises(ValueError, match="no class has two different pictures"):
        Mahalanobis.of(vectors[2], np.arange(40))
