"""Parts of a dataset: which columns have them, in which order."""

import numpy as np
import pyarrow as pa
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.parts import parts_of


def titles(most=12, **columns):
    named = {name.replace("__", "."): values for name, values in columns.items()}
    n = len(next(iter(columns.values())))
    dataset = Dataset("test", pa.table({"id": [str(i) for i in range(n)], **named}), NoPictures(n))
    return {part.title: np.flatnonzero(part.members).tolist() for part in parts_of(dataset, most=most)}


def test_two_to_twelve_values_make_parts():
    assert len(titles(attr__n=[*range(12), 0])) == 12 and titles(attr__n=[*range(13)]) == {}
    assert len(titles(3, attr__n=[1, 2, 3])) == 3 and titles(2, attr__n=[1, 2, 3]) == {}
    assert titles(attr__n=[1, 1]) == {} and list(titles(attr__n=[2, 1])) == ["n: 1", "n: 2"]


def test_a_missing_value_is_in_no_part():
    assert titles(attr__n=[None, "b", "a", None, "b"]) == {"n: a": [2], "n: b": [1, 4]}


def test_an_unmarked_factor_is_no_part_and_an_attribute_that_is_not_is_one():
    assert titles(factor__dark=[True, False, None]) == {"dark": [0]}
    assert titles(attr__dark=[True, False, None]) == {"not dark": [1], "dark": [0]}


def test_other_columns_and_other_values_have_no_parts():
    assert titles(kind=["a", "b"], more__x=["a", "b"], attr__x=[0.5, 1.5], attr__list=[["a"], ["b"]]) == {}
