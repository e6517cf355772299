import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import accuracy_score, top_k_accuracy_score

from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.classification import top_classes as module
from eyechart.metrics.classification.top_classes import top_classes
from eyechart.metrics.vectors import unit


def vectors(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(n, 16)).astype(np.float32)), unit(rng.normal(size=(classes, 16)).astype(np.float32))


def test_probabilities_ranks_and_mcm_agree_with_scipy_and_scikit_learn(monkeypatch):
    images, classes = vectors(300, 12)
    monkeypatch.setattr("eyechart.metrics.calibration.logits._BLOCK", 12 * 7)  # several blocks
    truth = np.random.default_rng(1).integers(0, 12, 300)
    found = top_classes(CosineLogits(images, classes, 1.0), truth, scale=20.0)
    cosines = (images @ classes.T).astype(np.float64)
    p = softmax(20 * cosines, axis=1)
    order = np.argsort(-cosines, axis=1, kind="stable")
    assert (found.classes == order[:, :5]).all()
    assert found.probabilities == pytest.approx(np.take_along_axis(p, order[:, :5], axis=1), abs=1e-6)
    assert found.margin == pytest.approx(np.sort(p)[:, -1] - np.sort(p)[:, -2], abs=1e-6)
    assert found.mcm == pytest.approx(softmax(cosines, axis=1).max(axis=1), abs=1e-6)
    assert (found.rank == (order == truth[:, None]).argmax(axis=1)).all()
    for k in (1, 3, 5):
        assert (found.rank < k).mean() == top_k_accuracy_score(truth, cosines, k=k, labels=np.arange(12))
    assert (found.rank == 0).mean() == accuracy_score(truth, found.predicted)
    assert module.K == 5


def test_classes_with_equal_scores_are_in_the_order_of_the_list():
    images, classes = vectors(40, 4)
    doubled = classes[[0, 1, 0, 2, 1, 3]]  # class 2 = class 0, class 4 = class 1
    truth = np.tile([2, 4, 0, 1], 10)
    duplicates = np.array([0, 1, 0, 3, 1, 5])
    found = top_classes(CosineLogits(images, doubled, 1.0, duplicates=duplicates), truth, scale=1.0)
    distinct = (images @ classes.T)[:, [0, 1, 0, 2, 1, 3]]
    order = np.lexsort((np.tile(np.arange(6), (40, 1)), -distinct))
    assert (found.classes == order[:, :5]).all()
    assert (found.rank == (order == truth[:, None]).argmax(axis=1)).all()
    assert ((found.rank == 0) == (found.predicted == truth)).all(), "top-1 and rank follow one tie rule"
    assert (found.tied == np.isin(order[:, 0], [0, 1])).all()


def test_an_unknown_class_has_no_rank_and_a_missing_scale_no_probabilities():
    images, classes = vectors(3, 2)
    found = top_classes(CosineLogits(images, classes, 1.0), np.array([-1, 0, 1]), scale=None)
    assert found.rank[0] == -1
    assert (found.rank[1:] >= 0).all()
    assert found.probabilities is None
    assert np.isnan(found.margin).all()
    assert found.classes.shape == (3, 2)


def test_one_class_has_no_margin():
    images, classes = vectors(3, 1)
    found = top_classes(CosineLogits(images, classes, 1.0), np.zeros(3, np.int64), scale=10.0)
    assert np.isnan(found.margin).all()
    assert found.probabilities.tolist() == [[1.0]] * 3


@pytest.mark.parametrize("k", [2, 5])
def test_two_classes_have_a_margin(k):
    images, classes = vectors(6, 2)
    found = top_classes(CosineLogits(images, classes, 1.0), np.zeros(6, np.int64), scale=10.0, k=k)
    p = softmax(10 * (images @ classes.T).astype(np.float64), axis=1)
    assert found.margin == pytest.approx(np.abs(p[:, 0] - p[:, 1]), abs=1e-6)
    assert found.classes.shape == found.probabilities.shape == (6, 2)
