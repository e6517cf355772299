"""Columns of scores: as a matrix product and argmax have them, with ties, and bounded in number."""

import numpy as np

from eyechart.metrics.vectors import unit
from eyechart.workbench.score_columns import ScoreColumns, best_after_change, best_with_one_more, first_best

RNG = np.random.default_rng(0)


def test_columns_are_the_products_and_are_kept():
    vectors, classes = (unit(RNG.standard_normal((n, 16)).astype(np.float32)) for n in (200, 7))
    columns = ScoreColumns(vectors)
    found = columns.columns(classes, np.arange(7))
    np.testing.assert_allclose(np.stack(found, axis=1), vectors @ classes.T, atol=1e-6)
    again = columns.columns(classes[[3, 5]], np.arange(2))
    assert again[0] is found[3] and again[1] is found[5]


def test_the_first_of_equal_columns_wins_as_with_argmax():
    scores = RNG.integers(0, 3, (500, 6)).astype(np.float32)
    place, best = first_best(list(scores.T))
    assert place.tolist() == scores.argmax(axis=1).tolist() and best.tolist() == scores.max(axis=1).tolist()


def test_one_more_column_gives_the_same_as_all_anew():
    scores, more = RNG.integers(0, 3, (500, 6)).astype(np.float32), RNG.integers(0, 3, 500).astype(np.float32)
    place, best = first_best(list(scores.T))
    for at in range(7):
        larger = np.insert(scores, at, more, axis=1)
        assert best_with_one_more(place, best, more, at).tolist() == larger.argmax(axis=1).tolist()


def test_duplicates_share_a_column_and_dropped_ones_are_bounded():
    vectors, classes = (unit(RNG.standard_normal((n, 8)).astype(np.float32)) for n in (50, 300))
    columns = ScoreColumns(vectors)
    one, two = columns.columns(np.stack([classes[0], classes[0]]), np.array([0, 0]))
    assert one is two
    for start in range(0, 300, 10):
        columns.columns(classes[start : start + 10], np.arange(10))
    assert len(columns) == 10 + 32


def test_passing_columns_are_not_kept():
    vectors, classes = (unit(RNG.standard_normal((n, 8)).astype(np.float32)) for n in (50, 130))
    columns = ScoreColumns(vectors)
    np.testing.assert_allclose(np.stack(list(columns.passing(classes)), axis=1), vectors @ classes.T, atol=1e-6)
    assert len(columns) == 0


def test_the_best_after_any_change_is_that_of_all_anew():
    """Random drops, insertions, repetitions and orders, with many ties."""
    pool = [RNG.integers(0, 4, 300).astype(np.float32) for _ in range(14)]
    for _ in range(300):
        columns = [pool[i] for i in RNG.permutation(14)[: RNG.integers(1, 9)]]
        changed = [c for c in columns if RNG.random() < 0.7]
        for _ in range(RNG.integers(0, 3)):
            changed.insert(RNG.integers(0, len(changed) + 1), pool[RNG.integers(14)])
        if RNG.random() < 0.2:
            changed = [changed[i] for i in RNG.permutation(len(changed))]
        if not changed:
            continue
        found, expected = best_after_change(columns, *first_best(columns), changed), first_best(changed)
        assert found[0].tolist() == expected[0].tolist() and found[1].tolist() == expected[1].tolist()
