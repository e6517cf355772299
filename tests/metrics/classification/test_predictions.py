import numpy as np
import pytest
from sklearn.metrics import confusion_matrix as sklearn_confusion
from sklearn.metrics import top_k_accuracy_score

from eyechart.metrics.classification import predictions as classification
from eyechart.metrics.classification.predictions import (
    best_classes,
    classify,
    confusion_matrix,
    duplicate_classes,
    ensembles,
    same_vectors,
)
from eyechart.metrics.vectors import unit


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    images, classes = unit(rng.normal(size=(500, 16)).astype(np.float32)), unit(rng.normal(size=(12, 16)).astype(np.float32))
    return images, classes, rng.integers(0, 12, 500)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_top_k_agrees_with_sklearn(vectors, k):
    images, classes, truth = vectors
    ours = (classify(images, classes, truth).rank < k).mean()
    assert ours == pytest.approx(top_k_accuracy_score(truth, images @ classes.T, k=k, labels=np.arange(12)))


def test_blocks_do_not_change_the_answer(vectors, monkeypatch):
    images, classes, truth = vectors
    whole = classify(images, classes, truth)
    monkeypatch.setattr(classification, "_FAST", 12 * 7)
    blocks = classify(images, classes, truth)
    assert (whole.predicted == blocks.predicted).all()
    assert (whole.rank == blocks.rank).all()


def test_confusion_agrees_with_sklearn(vectors):
    images, classes, truth = vectors
    predicted = classify(images, classes, truth).predicted
    assert (confusion_matrix(truth, predicted, 12) == sklearn_confusion(truth, predicted, labels=np.arange(12))).all()


def test_twins_tie_and_the_first_wins():
    classes = np.eye(3, dtype=np.float32)[[0, 1, 0]]
    images = np.eye(3, dtype=np.float32)[[0, 0, 1]]
    duplicates = duplicate_classes([["missile"], ["rocket"], ["missile"]])
    result = classify(images, classes, np.array([0, 2, 1]), duplicates)
    assert duplicates.tolist() == [0, 1, 0]
    assert result.predicted.tolist() == [0, 0, 1]
    assert result.rank.tolist() == [0, 1, 0]
    assert result.tied.tolist() == [True, True, False]


def test_twins_tie_exactly_at_any_place_in_a_wide_product():
    # A matrix product may round equal columns differently; twins must tie all the same.
    rng = np.random.default_rng(1)
    names = [f"class {i % 499}" for i in range(998)]
    vectors = unit(rng.normal(size=(499, 512)).astype(np.float32))[np.arange(998) % 499]
    images = unit(rng.normal(size=(300, 512)).astype(np.float32))
    result = classify(images, vectors, np.zeros(300, np.int64), duplicate_classes([[n] for n in names]))
    assert result.tied.all()
    assert (result.predicted < 499).all()


def test_pictures_without_truth_have_no_rank(vectors):
    images, classes, truth = vectors
    truth = np.where(np.arange(500) % 2, truth, -1)
    rank = classify(images, classes, truth).rank
    assert (rank[truth < 0] == -1).all()
    assert (rank[truth >= 0] >= 0).all()


def test_equal_scores_rank_in_the_order_of_the_class_list():
    """Three classes of one score: the truth is behind the earlier ones of its score and behind all that score more."""
    classes = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], np.float32)
    image = np.array([[0.6, 0.8]], np.float32)
    assert [int(classify(image, classes, np.array([t])).rank[0]) for t in range(4)] == [1, 0, 2, 3]


def test_ensembles_are_the_mean_directions():
    # Lengths 1 and 3 must not weigh: the mean of directions (1,0) and (0,1) is (1,1)/√2. The second class has one prompt.
    vectors = np.array([[1, 0], [0, 3], [0, 2]], np.float32)
    assert ensembles(vectors, np.array([2, 1])) == pytest.approx(np.array([[0.5**0.5, 0.5**0.5], [0, 1]]))


def test_vectors_that_differ_by_rounding_are_twins_and_close_ones_are_not():
    rng = np.random.default_rng(3)
    vectors = unit(rng.normal(size=(40, 64)).astype(np.float32))
    vectors[7] = vectors[2] + np.float32(1e-7)
    vectors[9] = unit((vectors[2] + 1e-3 * vectors[5])[None])[0]
    duplicates = same_vectors(vectors, np.arange(40))
    assert duplicates[7] == 2
    assert np.delete(duplicates, 7).tolist() == np.delete(np.arange(40), 7).tolist()


@pytest.mark.parametrize("block", [1, 7, 1 << 21])
def test_best_classes_are_those_of_the_whole_score_matrix(monkeypatch, block):
    monkeypatch.setattr("eyechart.metrics.classification.predictions._FAST", block)
    rng = np.random.default_rng(0)
    images, vectors = unit(rng.normal(size=(50, 8)).astype(np.float32)), unit(rng.normal(size=(9, 8)).astype(np.float32))
    vectors[7] = vectors[3]
    duplicates = np.array([0, 1, 2, 3, 4, 5, 6, 3, 8])
    expected = (images.astype(float) @ vectors.T.astype(float)).argmax(axis=1)
    assert best_classes(images, vectors, duplicates).tolist() == np.where(expected == 7, 3, expected).tolist()
    part = np.array([2, 3, 7, 8])  # a part of the classes keeps its numbers of twins
    expected = (images.astype(float) @ vectors[[2, 3, 8]].T.astype(float)).argmax(axis=1)
    assert best_classes(images, vectors[part], duplicates[part]).tolist() == np.array([0, 1, 3])[expected].tolist()


@pytest.mark.parametrize("block", [1, 40 * 3, 1 << 24])
def test_duplicates_are_found_across_blocks_and_chains(block, monkeypatch):
    """5, 17 and 33 differ by rounding; 20 was a duplicate of 2 before, and 30 is one of 20."""
    monkeypatch.setattr(classification, "_BLOCK", block)
    vectors = unit(np.random.default_rng(4).normal(size=(40, 64)).astype(np.float32))
    vectors[17] = vectors[5] + np.float32(5e-7)
    vectors[33] = vectors[5] - np.float32(5e-7)
    vectors[30] = vectors[20]
    known = np.arange(40)
    known[20] = 2
    found = same_vectors(vectors, known)
    expected = known.copy()
    expected[[17, 33, 30]] = 5, 5, 2
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("step", "same"), [(1.5e-6, True), (3e-6, False)])
def test_the_tolerance_is_for_every_number(step, same):
    vectors = unit(np.random.default_rng(5).normal(size=(2, 256)).astype(np.float32))
    vectors[1] = vectors[0]
    vectors[1, 7] += np.float32(step)
    assert same_vectors(vectors, np.arange(2)).tolist() == ([0, 0] if same else [0, 1])


def test_a_picture_without_truth_is_harmless_beside_ties():
    classes = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    found = classify(np.array([[1, 0], [0, 1]], np.float32), classes, np.array([-1, 2]))
    assert found.rank.tolist() == [-1, 0]
    assert found.tied.tolist() == [True, False]


def test_ensembles_of_many_classes_are_those_of_a_loop():
    rng = np.random.default_rng(6)
    counts = np.array([3, 1, 4])
    prompts = rng.normal(size=(8, 5)).astype(np.float32)
    found = ensembles(prompts, counts)
    start = 0
    for c, count in enumerate(counts):
        each = [v / np.linalg.norm(v) for v in prompts[start : start + count].astype(float)]
        mean = np.mean(each, axis=0)
        assert found[c] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
        start += count
