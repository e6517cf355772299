"""Originals of shifted pictures: which rows name one, and which rows show the same scene."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.vectors import given_by_vectors

from eyechart.probes.tasks.originals import originals, paired_rows, refers_to_source, shift_units
from eyechart.probes.tasks.shift_pairs import pair_with

TRUTH = [0, 1, 0, 1]


def source():
    """Rows 0 and 3 show one picture; row 1 is shifted itself."""
    columns = {"attr.shift": pa.array([None, "dark", None, None])}
    return given_by_vectors(np.eye(2)[TRUTH], np.eye(2), TRUTH, None, columns=columns, name="s", clusters=np.array([7, 8, 9, 7]))


def shifted(named, ids=None):
    made = given_by_vectors(
        np.eye(2)[TRUTH], np.eye(2), TRUTH, None, name="t", role="shift", columns={"attr.source_id": pa.array(named, pa.string())}
    )
    if ids is None:
        return made
    table = made.dataset.table.set_column(0, "id", pa.array(ids))
    return replace(made, dataset=replace(made.dataset, table=table))


def pair(other, of):
    return pair_with(of, other, np.ones(4, bool))


def test_empty_texts_name_nothing():
    assert originals(source()) is None  # no such column
    assert originals(shifted([None, "", "  ", None])) is None
    assert originals(shifted([" s-0 ", "", None, "s-2"])) == ["s-0", None, None, "s-2"]


@pytest.mark.parametrize(
    ("named", "ids", "expected"),
    [
        (["s-0", None, None, "s-2"], None, True),
        ([None] * 4, None, False),
        (["t-1", None, None, "s-2"], None, False),  # one row is a version of another
        (["s-0", None, None, "s-2"], ["s-0", "x", "y", "s-2"], True),  # a row that names itself is no version
        (["s-0", None, None, "s-2"], ["s-2", "x", "y", "s-0"], False),
    ],
)
def test_a_set_whose_rows_are_versions_of_each_other_keeps_its_originals(named, ids, expected):
    assert refers_to_source(shifted(named, ids), source()) is expected


def test_a_table_refers_to_itself_where_it_names_originals():
    one = shifted([None, None, "t-0", None])
    assert refers_to_source(one, one) and not refers_to_source(source(), source())


def test_a_version_has_the_unit_of_its_original_and_other_rows_one_of_their_own():
    """Row 1 of the source is shifted, so that it is no original. Units are numbered from 0 in the order of their clusters."""
    of = source()
    assert of.units.tolist() == [0, 1, 2, 0]
    other = shifted(["s-3", "s-1", None, "elsewhere"])
    assert shift_units(pair(other, of), of, 100).tolist() == [0, 101, 102, 103]
    assert shift_units(pair(shifted([None] * 4), of), of, 100).tolist() == [100, 101, 102, 103]
    inside = shifted(["t-1", "s-1", None, "s-3"])
    assert shift_units(pair(inside, of), of, 100).tolist() == (100 + inside.units).tolist()


def test_pairs_are_positions_in_both_lists():
    """Row 1 of the source is shifted, so that the source rows are 0, 2 and 3."""
    of = source()
    found = paired_rows(pair(shifted(["s-3", "s-1", None, "s-2"]), of), of)
    assert [part.tolist() for part in found] == [[0, 3], [2, 1]]
    assert paired_rows(pair(shifted(["elsewhere", None, None, None]), of), of) is None
    assert paired_rows(pair(shifted(["t-1", None, None, "s-2"]), of), of) is None
    assert paired_rows(pair(shifted([None] * 4), of), of) is None
