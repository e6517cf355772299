"""Copies and versions of one picture belong together."""

import numpy as np
import pyarrow as pa
import pytest

from eyechart.data.dataset import Dataset
from eyechart.data.independent_units import independent_units


def units(sources, clusters, ids="abcdef"):
    table = pa.table({"id": list(ids)[: len(sources)], "attr.source_id": pa.array(sources, pa.string())})
    return independent_units(Dataset("t", table, []), np.array(clusters)).tolist()


@pytest.mark.parametrize(
    ("sources", "clusters", "expected"),
    [
        ([None] * 4, [7, 3, 7, 9], [1, 0, 1, 2]),  # copies alone
        ([None, None, "a", "a"], [0, 1, 2, 3], [0, 1, 0, 0]),  # versions of a picture of the table
        (["x", "y", "x", None], [0, 1, 2, 3], [0, 1, 0, 2]),  # of a picture that is not in it
        ([None, None, "a", "b"], [0, 0, 1, 2], [0, 0, 0, 0]),  # of two copies of one picture
        ([None, "a", "b", None], [0, 1, 2, 3], [0, 0, 0, 1]),  # a version of a version
        (["a", " ", "b", ""], [0, 1, 2, 3], [0, 1, 1, 2]),  # names itself; blank entries name nothing
    ],
)
def test_rows_of_one_original_have_one_number(sources, clusters, expected):
    assert units(sources, clusters) == expected


def test_a_table_without_originals_has_its_clusters():
    table = pa.table({"id": ["a", "b", "c"]})
    assert independent_units(Dataset("t", table, []), np.array([4, 4, 2])).tolist() == [1, 1, 0]
    assert independent_units(Dataset("t", table.slice(0, 0), []), np.array([], np.int64)).tolist() == []
