"""npz archives: no pickles, no bombs."""

import numpy as np
import pytest

from eyechart.errors import DataError
from eyechart.files.npz import read_npz


def test_arrays_come_back(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.arange(3), b=np.zeros((1000, 1000)))
    assert read_npz(tmp_path / "a.npz")["a"].tolist() == [0, 1, 2]


def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path):
    """The archive's own directory says how large its members are; here it is changed to 320 MB."""
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(1000))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (320_000_000).to_bytes(4, "little")
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(DataError, match="would expand to 320 MB"):
        read_npz(tmp_path / "a.npz")


def test_pickles_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.array([{}], dtype=object))
    with pytest.raises(DataError, match="pickled objects, which are never loaded"):
        read_npz(tmp_path / "a.npz")
