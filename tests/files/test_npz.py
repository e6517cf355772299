"""npz archives: no pickles, no bombs."""

import zipfile

import numpy as np
import pytest

from eyechart.errors import DataError
from eyechart.files.npz import read_npy, read_npz


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


@pytest.mark.parametrize("kind", ["'|S0'", "'<U0'", "'|V0'"])
def test_values_of_no_bytes_are_refused(tmp_path, kind):
    """A list of them would fill the memory, however small the file is."""
    header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': (9223372036854775807,)}}\n".encode()
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    (tmp_path / "a.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("ids.npy", content)
    with pytest.raises(DataError, match=r"a\.npy: .* values of no bytes"):
        read_npy(tmp_path / "a.npy")
    with pytest.raises(DataError, match=r"a\.npz: 'ids' has .* values of no bytes"):
        read_npz(tmp_path / "a.npz")


def test_an_array_without_values_is_read(tmp_path):
    np.save(tmp_path / "a.npy", np.array([], dtype="S"))
    assert read_npy(tmp_path / "a.npy").shape == (0,)
