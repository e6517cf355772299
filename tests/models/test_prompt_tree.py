"""Prompt trees: every row can be read back along its path, and no beginning is stored twice."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.models.prompt_tree import PromptTree, groves, plant

rows_of_tokens = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=25)


def read_back(tree: PromptTree) -> dict[int, list[int]]:
    """End node → tokens along its path, from the branches alone."""
    return {int(path[-1]): tree.tokens[path].tolist() for branch in tree.branches for path in branch.path}


def beginnings(rows: list[list[int]]) -> set[tuple[int, ...]]:
    return {tuple(row[:end]) for row in rows for end in range(1, len(row) + 1)}


@settings(max_examples=200, deadline=None)
@given(rows_of_tokens)
def test_rows_are_read_back_and_beginnings_are_unique(rows: list[list[int]]) -> None:
    tree = plant([np.array(row) for row in sorted(rows)])
    paths = read_back(tree)
    assert [paths[int(end)] for end in tree.ends] == sorted(rows)
    assert len(tree.tokens) == len(beginnings(rows))


@settings(max_examples=100, deadline=None)
@given(rows_of_tokens)
def test_positions_count_along_the_path(rows: list[list[int]]) -> None:
    tree = plant([np.array(row) for row in sorted(rows)])
    for branch in tree.branches:
        for row, path in enumerate(branch.path):
            assert tree.positions[path].tolist() == list(range(len(path)))
            own = path[len(path) - branch.own :].tolist()
            assert own == [branch.start + row * branch.own + i for i in range(branch.own)]


@settings(max_examples=100, deadline=None)
@given(rows_of_tokens, st.integers(1, 12))
def test_groves_hold_every_row_once(rows: list[list[int]], most: int) -> None:
    seen: dict[int, list[int]] = {}
    for places, tree in groves([np.array(row) for row in rows], most):
        paths = read_back(tree)
        seen |= {int(place): paths[int(end)] for place, end in zip(places, tree.ends, strict=True)}
        assert len(tree.tokens) <= max(most, max(len(rows[int(place)]) for place in places))
    assert [seen[i] for i in range(len(rows))] == rows


def test_shared_beginnings_by_hand() -> None:
    """'a photo of a cat', 'a photo of a dog', 'a photo': five nodes, one more for dog."""
    tree = plant([np.array(row) for row in ([1, 2], [1, 2, 3, 1, 4], [1, 2, 3, 1, 5])])
    assert len(tree.tokens) == 6
    assert sorted((branch.own, branch.path.shape) for branch in tree.branches) == [(1, (1, 5)), (2, (1, 2)), (3, (1, 5))]
