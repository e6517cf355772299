"""Ranks of retrieval against a brute-force reference, ties by hand, and the memory they take."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import hypergeom

from eyechart.metrics.ranking import retrieval
from eyechart.metrics.ranking.retrieval import chance_of_recall, retrieval_ranks


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def brute_force(images, texts, right):
    """Sort every row and column of the whole matrix, wrong answers first among equals."""
    scores = texts.astype(float) @ images.astype(float).T
    is_right = np.zeros(scores.shape, bool)
    is_right[right] = True

    def rank(row, good):
        order = sorted(range(len(row)), key=lambda i: (-row[i], good[i]))
        return next((sum(not good[i] for i in order[:place]) for place, at in enumerate(order) if good[at]), -1)

    return [rank(*one) for one in zip(scores, is_right, strict=True)], [
        rank(*one) for one in zip(scores.T, is_right.T, strict=True)
    ]


def draw(rng, pictures=40, captions=5, noise=1.0, dims=16):
    images = unit(rng.standard_normal((pictures, dims)))
    owner = np.repeat(np.arange(pictures), captions)
    texts = unit(images[owner] + noise * rng.standard_normal((len(owner), dims)))
    return images, texts, (np.arange(len(owner)), owner)


@pytest.mark.parametrize("block", [1, 64, 1 << 23])
@pytest.mark.parametrize("captions", [1, 5])
def test_ranks_are_those_of_a_brute_force_sort(monkeypatch, block, captions):
    monkeypatch.setattr(retrieval, "_BLOCK", block)
    images, texts, right = draw(np.random.default_rng(captions), captions=captions)
    found = retrieval_ranks(images, texts, right)
    of_texts, of_images = brute_force(images, texts, right)
    assert found.of_texts.tolist() == of_texts
    assert found.of_images.tolist() == of_images
    assert found.first.tolist() == (texts @ images.T).argmax(axis=1).tolist()
    assert max(of_texts) > 5 and max(of_images) > 2  # the case is no trivial one


def test_a_text_may_be_right_for_several_pictures_and_a_picture_for_none():
    rng = np.random.default_rng(7)
    images, texts, right = draw(rng, pictures=30, captions=2, noise=2.0)
    texts, (of_text, of_image) = texts[:50], (right[0][:50], right[1][:50])  # five pictures are mute
    right = np.append(of_text, [0, 0, 3]), np.append(of_image, [11, 29, 5])
    shuffled = rng.permutation(len(right[0]))
    found = retrieval_ranks(images, texts, (right[0][shuffled], right[1][shuffled]))
    of_texts, of_images = brute_force(images, texts, right)
    assert found.of_texts.tolist() == of_texts
    assert found.of_images.tolist() == of_images
    assert found.of_images[25:].tolist()[:4] == [-1] * 4


def test_ties_count_against_the_model():
    """All vectors are equal: every wrong answer stands before the right one, and other right ones do not."""
    same = np.ones((6, 4), np.float32) / 2
    found = retrieval_ranks(same[:3], same, (np.arange(6), np.repeat(np.arange(3), 2)))
    assert found.of_texts.tolist() == [2] * 6
    assert found.of_images.tolist() == [4] * 3


def test_equal_vectors_tie_whatever_the_rounding_of_a_block():
    """Copies of one vector far apart in the matrix: a product may round their scores differently."""
    rng = np.random.default_rng(0)
    images = unit(rng.standard_normal((501, 512)))
    images[1::2] = images[0]
    texts = images[:1]
    assert retrieval_ranks(images, texts, (np.array([0]), np.array([0]))).of_texts.tolist() == [250]


def test_every_text_needs_a_picture():
    images, texts, right = draw(np.random.default_rng(0), pictures=3, captions=1)
    with pytest.raises(ValueError, match="every text needs a picture"):
        retrieval_ranks(images, texts, (right[0][:2], right[1][:2]))


def test_the_matrix_of_scores_is_never_held(monkeypatch):
    """4,000 × 2,000 scores are 32 MB; with blocks of 100,000 scores, under 8 MB are taken beside the vectors."""
    monkeypatch.setattr(retrieval, "_BLOCK", 100_000)
    images, texts, right = draw(np.random.default_rng(1), pictures=2000, captions=2, dims=32)
    tracemalloc.start()
    retrieval_ranks(images, texts, right)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


@pytest.mark.parametrize(("candidates", "right", "k"), [(1000, 1, 1), (1000, 1, 10), (25000, 5, 10), (6, 5, 3)])
def test_chance_is_hypergeometric(candidates, right, k):
    assert chance_of_recall(candidates, [right], k) == pytest.approx(hypergeom(candidates, right, k).sf(0), rel=1e-9)


def test_chance_is_the_mean_over_queries():
    assert chance_of_recall(10, [1, 4], 1) == pytest.approx(0.25)


@pytest.mark.parametrize(("step", "tied"), [(5e-7, True), (3e-6, False)])
def test_scores_within_the_rounding_of_a_product_tie(step, tied):
    """A wrong picture a little below the right one, and a wrong text a little below the right text."""
    images = np.array([[1.0, 0.0], [1.0 - step, 0.0]], np.float32)
    found = retrieval_ranks(images, images[:, :], (np.array([0, 1]), np.array([0, 1])))
    assert found.of_texts.tolist() == [int(tied), 1]
    assert found.of_images.tolist() == [int(tied), 1]


def test_more_results_than_candidates_find_everything():
    assert chance_of_recall(5, [1, 2], 9) == 1.0
    assert chance_of_recall(5, [0], 3) == 0.0
    assert chance_of_recall(5, [5], 1) == 1.0


def test_no_pair_is_refused():
    with pytest.raises(ValueError, match="every text needs a picture"):
        retrieval_ranks(np.eye(2, dtype=np.float32), np.empty((0, 2), np.float32), (np.empty(0, int), np.empty(0, int)))
