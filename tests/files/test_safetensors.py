"""The safetensors format against its own library, and against files that lie about themselves."""

import json
from pathlib import Path

import numpy as np
import pytest

from eyechart.errors import DataError
from eyechart.files.safetensors import read_tensors, write_tensors

GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def written(path: Path, header: object, numbers: bytes = bytes(8), length: int | None = None) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + numbers)
    return path


def test_what_is_written_is_read(tmp_path):
    arrays = {
        "vectors": np.arange(6, dtype=np.float32).reshape(2, 3),
        "numbers": np.array([-1, 7], np.int64),
        "flags": np.array([True, False, True]),
        "nothing": np.empty((0, 4), np.float64),
    }
    write_tensors(tmp_path / "a.safetensors", arrays, {"said": "käse ☃"})
    found, metadata = read_tensors(tmp_path / "a.safetensors")
    assert metadata == {"said": "käse ☃"} and list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_the_layout_is_the_one_of_the_format(tmp_path):
    """By hand, from the description of the format: eight bytes of length, JSON, numbers in little endian."""
    write_tensors(tmp_path / "a.safetensors", {"x": np.array([1.5, -2.0], np.float32)}, {})
    content = (tmp_path / "a.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    assert json.loads(content[8 : 8 + length]) == {"__metadata__": {}, "x": GOOD}
    assert length % 8 == 0 and content[8 + length :] == b"\x00\x00\xc0\x3f\x00\x00\x00\xc0"


@pytest.mark.parametrize(
    ("header", "numbers", "length", "reason"),
    [
        ({"x": GOOD}, bytes(8), 1 << 62, "claims"),
        ({"x": GOOD}, bytes(8), 200_000_000, "claims"),
        (b"{", bytes(8), None, "Expecting"),
        (b"\xff\xfe{}", bytes(8), None, "decode"),
        (b"[" * 100_000, bytes(8), None, "nested"),
        ([1, 2], bytes(8), None, "not an object"),
        ({"x": GOOD}, bytes(4), None, "beyond the end"),
        ({"x": GOOD}, bytes(9), None, "belong to no array"),
        ({"x": {**GOOD, "shape": [3]}}, bytes(8), None, "does not fit"),
        ({"x": {**GOOD, "shape": [1 << 20, 1 << 20]}}, bytes(8), None, "does not fit"),
        ({"x": {**GOOD, "shape": [1 << 40, 1 << 40]}}, bytes(8), None, "more dimensions or numbers"),
        ({"x": {**GOOD, "shape": [-1, -2]}}, bytes(8), None, "shape"),
        ({"x": {**GOOD, "shape": [True, 2]}}, bytes(8), None, "shape"),
        ({"x": {**GOOD, "shape": [2, *[1] * 99]}}, bytes(8), None, "more dimensions"),
        ({"x": {**GOOD, "shape": [1] * 1_000_000}}, bytes(8), None, "more dimensions"),
        ({"x": {**GOOD, "shape": [0, 1 << 70], "data_offsets": [0, 0]}}, b"", None, "more dimensions or numbers"),
        ({"x": {**GOOD, "shape": [0, 1 << 40, 1 << 40], "data_offsets": [0, 0]}}, b"", None, "more dimensions or numbers"),
        ({"x": {**GOOD, "dtype": "object"}}, bytes(8), None, "type"),
        ({"x": {**GOOD, "dtype": "BF16", "shape": [4]}}, bytes(8), None, "type"),
        ({"x": {**GOOD, "data_offsets": [8, 0]}}, bytes(8), None, "does not fit"),
        ({"x": {**GOOD, "data_offsets": [4, 12]}}, bytes(12), None, "does not fit"),
        ({"x": {**GOOD, "data_offsets": [-8, 0]}}, bytes(8), None, "no valid data_offsets"),
        ({"x": GOOD, "y": GOOD}, bytes(8), None, "does not fit"),
        ({"x": "here"}, bytes(8), None, "no valid data_offsets"),
        ({"x": GOOD, "__metadata__": {"a": 1}}, bytes(8), None, "not texts"),
        (b'{"x": 1, "x": 2}', bytes(8), None, "repeated"),
        (b'{"x": NaN}', bytes(8), None, "in place of a number"),
    ],
)  # fmt: skip
def test_a_file_that_lies_is_refused(tmp_path, header, numbers, length, reason):
    path = written(tmp_path / "bad.safetensors", header, numbers, length)
    with pytest.raises(DataError, match=reason) as caught:
        read_tensors(path)
    assert "bad.safetensors" in str(caught.value) and len(str(caught.value)) < 1000


def test_a_pickle_is_refused(tmp_path):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.")
    with pytest.raises(DataError, match="not a valid safetensors file"):
        read_tensors(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.safetensors: cannot be read"):
        read_tensors(tmp_path / "none.safetensors")
