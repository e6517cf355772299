"""What is read as a severity, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from eyechart.data.open import open_dataset
from eyechart.data.severity import read_severities
from eyechart.errors import DataError


@pytest.mark.parametrize("values", [[3, 0, None], ["3", "", None], ["3", " ", "0"], [3.0, float("nan"), 0.0]])
def test_numbers_however_they_are_written_and_nothing_is_0(values):
    assert read_severities(pa.chunked_array([values]), str).tolist() == [3, 0, 0]


def test_yes_is_the_least_severity():
    assert read_severities(pa.chunked_array([[True, False]]), str).tolist() == [1, 0]


@pytest.mark.parametrize("values", [[1, -2], ["1", "low"], [1.0, 2.5], ["1", "inf"]])
def test_anything_else_is_refused_with_its_row(values):
    with pytest.raises(DataError, match=f"row 1: attr.severity is {values[1]!r}.*rename the column"):
        read_severities(pa.chunked_array([values]), lambda row: f"row {row}")


def test_a_table_is_refused_when_it_is_opened(tmp_path):
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "a.png")
    (tmp_path / "t.csv").write_text("path,label,attr.shift,attr.severity\na.png,cat,fog,low\n")
    with pytest.raises(DataError, match=r"t\.csv, row 2: attr\.severity is 'low'"):
        open_dataset(tmp_path / "t.csv")
