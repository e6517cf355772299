"""Balance is counted, cell by cell."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from eyechart.world.design import balanced_rows


def rows(names: int, objects: int, count: int, seed: int = 0) -> list:
    return list(islice(balanced_rows(names, objects, np.random.default_rng(seed)), count))


def cells(found: list) -> Counter:
    return Counter(
        (name, place, rank) for row in found for place, (name, rank) in enumerate(zip(row.names, row.ranks, strict=True))
    )


@pytest.mark.parametrize(("names", "objects"), [(7, 2), (5, 5), (18, 3), (12, 4)])
def test_over_a_block_every_name_has_every_place_and_rank_exactly_once(names, objects):
    found = cells(rows(names, objects, names * objects))
    assert len(found) == names * objects * objects
    assert set(found.values()) == {1}


def test_a_second_block_is_balanced_too_and_pairs_other_names():
    found = rows(9, 4, 72)
    assert set(cells(found).values()) == {2}
    assert [row.names for row in found[:36]] != [row.names for row in found[36:]]


@pytest.mark.parametrize("count", [1, 10, 23, 40])
def test_in_the_middle_of_a_block_counts_differ_by_one_at_most(count):
    assert max(cells(rows(8, 3, count)).values()) <= 1 + count // 24


def test_no_name_stands_twice_in_a_row_and_every_rank_is_there():
    for row in rows(6, 5, 200):
        assert len(set(row.names)) == 5
        assert sorted(row.ranks) == [0, 1, 2, 3, 4]


def test_the_next_rank_is_not_always_on_the_same_side():
    right = [row.ranks[row.ranks.index(0) + 1] for row in rows(6, 4, 400) if row.ranks[-1] != 0]
    assert set(right) == {1, 2, 3}


def test_a_longer_list_begins_like_a_shorter_one_and_seeds_differ():
    assert rows(9, 3, 50)[:20] == rows(9, 3, 20)
    assert rows(9, 3, 20, seed=1) != rows(9, 3, 20)
