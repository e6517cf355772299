"""A command that makes arrays does not load pandas; what uses pandas still does."""

import subprocess
import sys

import pytest

pytest.importorskip("pandas")

_CODE = """
import sys
from eyechart.files.arrow_start import start_without_pandas
start_without_pandas()
import pyarrow as pa
table = pa.Table.from_pylist([{"a": 1}, {"a": 2}])
assert "pandas" not in sys.modules
assert table.to_pandas()["a"].tolist() == [1, 2]
import pandas as pd
assert pa.array(pd.Series([1, None])).null_count == 1
start_without_pandas()
assert pa.array(pd.Series([1, None])).null_count == 1
"""


def test_pandas_is_loaded_only_where_it_is_used():
    subprocess.run([sys.executable, "-c", _CODE], check=True, timeout=120)
