"""Files of named arrays in the safetensors format, read and written with NumPy alone: a header of JSON, then the bare numbers.

Nothing in such a file is run. Whatever its header claims is checked against the file before anything is read by it."""

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError
from eyechart.files.atomic import atomic_path

Array = npt.NDArray[Any]

_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "|b1",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip
_MOST = 100_000_000  # bytes of a header, the format's own limit
_METADATA = "__metadata__"


def write_tensors(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write all or nothing. The arrays keep their order; the header is padded so that numbers start at a multiple of eight."""
    names = {np.dtype(code): name for name, code in _TYPES.items()}
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    start = 0
    for name, array in arrays.items():
        end = start + array.nbytes
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with atomic_path(path) as unfinished, unfinished.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).tobytes())


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays, and the texts that stand in the header."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    try:
        header, numbers = _split(content)
        metadata = _texts(header.pop(_METADATA, {}))
        return _arrays(header, numbers), metadata
    except ValueError as error:
        raise DataError(f"{path} is not a sound safetensors file: {error}; write or fetch it again") from error


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    """The header and the bytes behind it."""
    if len(content) < 8:
        raise ValueError(f"it has {len(content)} bytes, too few for a header")
    length = int.from_bytes(content[:8], "little")
    if length > min(_MOST, len(content) - 8):
        raise ValueError(f"its header claims {length:,} bytes of {len(content):,}")
    try:
        header = json.loads(content[8 : 8 + length].decode(), object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("its header is nested too deep") from None
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    return header, memoryview(content)[8 + length :]


def _arrays(header: dict[str, Any], numbers: memoryview) -> dict[str, Array]:
    """Every array exactly where the one before it ends, the last at the end of the file: no holes, nothing read twice."""
    found, end = {}, 0
    for name, about in sorted(header.items(), key=lambda item: _span(*item)):
        start, stop = _span(name, about)
        code, shape = about.get("dtype"), about.get("shape")
        if code not in _TYPES:
            raise ValueError(f"{name!r} is of type {code!r}, which NumPy does not have")
        if not isinstance(shape, list) or not all(map(_is_count, shape)):
            raise ValueError(f"{name!r} has the shape {shape!r}")
        kind = np.dtype(_TYPES[code])
        if start != end or stop - start != prod(shape) * kind.itemsize:
            raise ValueError(f"the place of {name!r} does not fit its shape {shape} or its neighbours")
        if stop > len(numbers):
            raise ValueError(f"{name!r} would reach beyond the end of the file")
        found[name] = np.frombuffer(numbers[start:stop], kind).reshape(shape)
        end = stop
    if end != len(numbers):
        raise ValueError(f"{len(numbers) - end:,} bytes belong to no array")
    return found


def _span(name: str, about: Any) -> tuple[int, int]:
    span = about.get("data_offsets") if isinstance(about, dict) else None
    if not isinstance(span, list) or len(span) != 2 or not all(map(_is_count, span)):
        raise ValueError(f"{name!r} does not say where it lies")
    return span[0], span[1]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _texts(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("its metadata are not texts")
    return metadata


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that stands twice may mean one thing to us and another to the next reader."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in its header")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} stands where a number belongs")
