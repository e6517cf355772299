"""The external data files of an ONNX file, read from its protobuf without loading it.

A model may name its external data by any path, and a path out of its folder would make the runtime read any file of the machine.
Only messages that can contain such a name are parsed; weights are skipped.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

from eyechart.errors import ModelError
from eyechart.models.inside import file_inside

# message → {field number: message it holds}; numbers from onnx.proto3 (ONNX specification).
_HOLDS = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
_LENGTH_DELIMITED = 2


def external_files(path: Path) -> list[Path]:
    """The files of external data that an ONNX file needs, each inside the file's folder; ModelError for any that is not."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise ModelError(f"{path}: the file is empty; export or copy the model again")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                locations = sorted(set(_locations(data, 0, len(data), "model")))
            except (ValueError, IndexError) as error:
                raise ModelError(f"{path}: not an ONNX file ({error}); export or copy the model again") from None
            except RecursionError:
                raise ModelError(f"{path}: graphs nested too deeply for any real model; export or copy it again") from None
    return [file_inside(path.parent, location, f"{path}: its external data is") for location in locations]


def _locations(data: mmap.mmap, start: int, stop: int, message: str) -> Iterator[str]:
    for field, begin, end in _fields(data, start, stop):
        held = _HOLDS[message].get(field)
        if held == "entry":
            entry = {number: data[a:b] for number, a, b in _fields(data, begin, end)}
            if entry.get(1) == b"location":
                yield entry.get(2, b"").decode("utf-8", "replace")
        elif held:
            yield from _locations(data, begin, end, held)


def _fields(data: mmap.mmap, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """(field number, begin, end) of every length-delimited field of a message."""
    at = start
    while at < stop:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _LENGTH_DELIMITED:
            length, at = _varint(data, at)
            if at + length > stop:
                raise ValueError("a field extends past the end")
            yield tag >> 3, at, at + length
            at += length
        elif kind == 0:
            _, at = _varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError(f"unknown wire type {kind}")


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("an unterminated number")
