"""Which pictures are in-distribution, and which are out-of-distribution: rows of the table, and of companions."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import among
from tests.probes.vectors import given_by_vectors

from eyechart.probes.tasks.ood_rows import LEAST, OodRows, enough_ood, id_rows, made_set, ood_rows


def made(n, name="exam", role="exam", clusters=None, truth=None, **columns):
    named = {key.replace("__", "."): pa.array(values, pa.string()) for key, values in columns.items()}
    truth = [0] * n if truth is None else truth
    more = {} if clusters is None else {"clusters": np.asarray(clusters)}
    return given_by_vectors(np.eye(2)[[0] * n], np.eye(2), truth, None, columns=named, name=name, role=role, **more)


def test_rows_of_other_kinds_are_sets_within_the_table():
    one = made(6, clusters=[0, 1, 2, 3, 3, 5], attr__kind=["known", "far", None, "near", "far", "known"],
               attr__shows=["a", "b", "c", "d", None, "f"])  # fmt: skip
    assert id_rows(one).tolist() == [0, 5]
    far, near = ood_rows(one)
    assert (far.name, far.rows.tolist(), far.kinds, far.clusters.tolist()) == ("far", [1, 4], ("b", ""), [1, 3])
    assert (near.name, near.rows.tolist(), near.kinds, near.clusters.tolist()) == ("near", [3], ("d",), [3])
    assert far.ids == ["exam-1", "exam-4"] and len(far) == 2


@pytest.mark.parametrize("kinds", [["known", "known", None], ["far", "near", "far"], [None, None, None]])
def test_a_column_without_both_sides_says_nothing(kinds):
    one = made(3, attr__kind=kinds)
    assert id_rows(one).tolist() == [0, 1, 2] and ood_rows(one) == []


def test_shifted_rows_are_not_in_distribution():
    assert id_rows(made(3, attr__shift=["none", "dark", None])).tolist() == [0, 2]


def test_companions_are_numbered_after_the_table_and_after_each_other():
    one = made(3, clusters=[4, 2, 4])  # two pictures, numbered 0 and 1
    plain = made(2, "plain", "ood", clusters=[0, 6], truth=[1, -1])
    mixed = made(4, "mixed", "ood", clusters=[1, 1, 0, 3], attr__kind=["known", "far", "", "near"])
    empty = made(2, "empty", "ood", truth=[-1, -1])
    other = made(2, "other", "shift")
    found = ood_rows(among(one, plain, mixed, empty, other))
    assert [group.name for group in found] == ["plain", "mixed", "empty"]
    assert [group.rows.tolist() for group in found] == [[0, 1], [1, 3], [0, 1]]
    assert [group.kinds for group in found] == [("class-1", ""), ("far", "near"), ()]
    assert [group.clusters.tolist() for group in found] == [[2, 3], [4 + 1, 4 + 2], [7, 8]]


def test_ten_pictures_of_each_side_are_enough():
    def group(n):
        return OodRows("x", made(1), np.arange(n), (), np.arange(n))

    assert LEAST == 10
    assert enough_ood(np.arange(10), [group(4), group(6)])
    assert not enough_ood(np.arange(9), [group(20)]) and not enough_ood(np.arange(20), [group(4), group(5)])


def test_a_set_that_was_made_is_named_where_it_is_the_only_one():
    def group(name, is_made):
        of = made(2, name, "ood")
        return OodRows(name, replace(of, dataset=replace(of.dataset, made=is_made)), np.arange(2), (), np.arange(2))

    assert made_set([group("noise", True)]) == {"ood": "noise"}
    assert made_set([group("photos", False)]) == {}
    assert made_set([group("noise", True), group("photos", False)]) == {}
