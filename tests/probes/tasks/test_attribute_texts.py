"""Attributes as texts: numbers, truth values and unknown values, row by row."""

import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.attribute_texts import attribute_texts


def texts(**columns):
    named = {name.replace("__", "."): values for name, values in columns.items()}
    table = pa.table({"id": [str(i) for i in range(len(next(iter(columns.values()))))], **named})
    return {
        name: values.to_pylist() for name, values in attribute_texts(Dataset("test", table, NoPictures(table.num_rows))).items()
    }


def test_values_are_texts_and_unknown_ones_are_null():
    assert texts(attr__hat=["red", None, "blue", "red"]) == {"hat": ["red", None, "blue", "red"]}
    assert texts(attr__age=[3, 4, None, 3]) == {"age": ["3", "4", None, "3"]}


def test_dictionaries_may_hold_an_unknown_value_themselves():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None], pa.int32()), pa.array(["red", None]))
    assert texts(attr__hat=coded) == {"hat": ["red", None, "red", None]}


@pytest.mark.parametrize("values", [[True, False, None], ["yes", "no", None], [1, 0, None]])
def test_factors_are_true_or_false_however_they_are_written(values):
    assert texts(factor__dark=values) == {"dark": ["true", "false", None]}
