"""Cosines that several probes need are computed once, within a memory budget, and are the plain products."""

import numpy as np
import pytest

from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.classification.shared_scores import SharedScores

N, CLASSES, WIDTH = 2500, 7, 16


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    made = [rng.standard_normal((count, WIDTH)).astype(np.float32) for count in (N, CLASSES)]
    return [v / np.linalg.norm(v, axis=1, keepdims=True) for v in made]


def collected(logits):
    return np.concatenate([block for _, block in logits.blocks()])


@pytest.mark.parametrize("rows", [None, np.array([2499, 0, 1024, 1023, 0]), np.arange(1000, 1100), np.empty(0, np.int64)])
@pytest.mark.parametrize("columns", [None, np.array([5, 1, 2]), np.arange(7)])
def test_shared_scores_are_the_products_of_the_rows_and_columns(vectors, rows, columns):
    images, classes = vectors
    logits = CosineLogits(images, classes, 100.0, -3.0, shared=SharedScores())
    for _ in range(2):
        of = logits if rows is None else logits.take(rows)
        of = of if columns is None else of.choose(columns)
        rows_of, columns_of = (slice(None) if chosen is None else chosen for chosen in (rows, columns))
        expected = 100 * images[rows_of].astype(np.float64) @ classes[columns_of].astype(np.float64).T - 3
        if len(of):
            np.testing.assert_allclose(collected(of), expected, atol=1e-4)
        np.testing.assert_array_equal(of.best(), expected.argmax(axis=1))


def test_duplicate_classes_tie_exactly_where_some_are_chosen(vectors):
    images, classes = vectors
    classes[4] = classes[1] + np.float32(1e-6)
    duplicates = np.array([0, 1, 2, 3, 1, 5, 6])
    for shared in (None, SharedScores()):
        logits = CosineLogits(images, classes, 1.0, duplicates=duplicates, shared=shared)
        found = collected(logits.choose(np.array([4, 6, 1])))
        np.testing.assert_array_equal(found[:, 0], found[:, 2])
        best = logits.choose(np.array([4, 1])).best()
        np.testing.assert_array_equal(best, 0)


def test_a_choice_of_a_choice_counts_within_it(vectors):
    images, classes = vectors
    logits = CosineLogits(images, classes, 1.0, shared=SharedScores())
    twice = logits.choose(np.array([6, 4, 2])).choose(np.array([2, 0]))
    np.testing.assert_array_equal(collected(twice), collected(logits)[:, [2, 6]])


def test_cosines_are_computed_once_for_the_same_arrays(vectors):
    """Arrays that change afterwards show it: what is kept stays as it was."""
    images, classes = vectors
    shared = SharedScores()
    before = collected(CosineLogits(images, classes, 1.0, shared=shared).take(np.arange(1000)))
    images[:] = 0
    np.testing.assert_array_equal(collected(CosineLogits(images, classes, 1.0, shared=shared).take(np.arange(1000))), before)
    # Rows of the first 1,024 were computed together, the others were not yet.
    rest = collected(CosineLogits(images, classes, 1.0, shared=shared).take(np.arange(1024, N)))
    assert not rest.any()


def test_what_does_not_fit_the_budget_is_computed_each_time(vectors):
    images, classes = vectors
    other = classes[::-1].copy()
    shared = SharedScores(budget=4 * N * CLASSES)
    kept, not_kept = (CosineLogits(images, of, 1.0, shared=shared) for of in (classes, other))
    before = collected(kept)
    np.testing.assert_allclose(collected(not_kept), before[:, ::-1], atol=1e-6)
    images[:] = 0
    np.testing.assert_array_equal(collected(kept), before)
    assert not collected(not_kept).any()


def test_what_is_kept_cannot_be_changed_by_a_reader(vectors):
    images, classes = vectors
    _, cosines = next(CosineLogits(images, classes, 1.0, shared=SharedScores()).cosines())
    with pytest.raises(ValueError, match="read-only"):
        cosines[0, 0] = 2.0


def test_once_makes_a_thing_once_for_every_key():
    shared, made = SharedScores(), []
    for key in ("a", "b", "a"):
        shared.once(key, lambda key=key: made.append(key))
    assert made == ["a", "b"]
