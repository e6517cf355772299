import numpy as np
import pytest

from eyechart.metrics.ranking.compact_letters import compact_letters


def different(count, *pairs):
    matrix = np.zeros((count, count), bool)
    for a, b in pairs:
        matrix[a, b] = matrix[b, a] = True
    return matrix


@pytest.mark.parametrize(
    ("matrix", "letters"),
    [
        (different(3), ["a", "a", "a"]),
        (different(2, (0, 1)), ["a", "b"]),
        (different(3, (0, 1), (0, 2), (1, 2)), ["a", "b", "c"]),
        (different(3, (0, 2)), ["a", "ab", "b"]),
        (different(4, (0, 2), (0, 3), (1, 3)), ["a", "ab", "bc", "c"]),
        (different(4, (0, 1), (0, 2), (0, 3)), ["a", "b", "b", "b"]),
    ],
)
def test_hand_cases(matrix, letters):
    assert compact_letters(matrix) == letters


def test_models_share_a_letter_exactly_where_they_do_not_differ():
    rng = np.random.default_rng(0)
    for _ in range(50):
        upper = np.triu(rng.random((6, 6)) < 0.4, 1)
        matrix = upper | upper.T
        letters = compact_letters(matrix)
        for a in range(6):
            for b in range(6):
                assert bool(set(letters[a]) & set(letters[b])) == (a == b or not matrix[a, b])


def test_more_than_26_columns_get_a_number():
    letters = compact_letters(different(28, *((a, b) for a in range(28) for b in range(a))))
    assert letters[25:] == ["z", "a1", "b1"]
