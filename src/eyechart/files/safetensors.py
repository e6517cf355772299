"""Arrays in the safetensors format, read and written with NumPy only: a JSON header, then the raw numbers.

Nothing in such a file is executed. Every claim of the header is checked against the file before it is used.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError, EyechartError
from eyechart.files.atomic import atomic_path
from eyechart.files.readable import require_regular
from eyechart.files.records import unique_keys

Array = npt.NDArray[Any]

_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "|b1",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip
# Types that NumPy lacks: their place in the file is checked, their numbers cannot be read here.
_OTHER_SIZES = {"BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1}
_MOST_HEADER_BYTES = 100_000_000  # the format's own limit
_MOST_DIMENSIONS = 32  # of NumPy 1; NumPy 2 has 64
_MOST_NUMBERS = 1 << 59  # an array of 8 bytes each is then below the 63 bits that NumPy counts with; zeros count as ones
_METADATA = "__metadata__"


@dataclass(frozen=True)
class StoredTensor:
    """Where one array lies in a file.

    dtype: The format's name of the type, such as "F16".
    shape: The array's shape.
    offset: Bytes from the beginning of the file.
    length: Bytes of the array.
    """

    dtype: str
    shape: tuple[int, ...]
    offset: int
    length: int

    @property
    def readable(self) -> bool:
        """Whether NumPy has this type."""
        return self.dtype in _DTYPES


@dataclass(frozen=True)
class SafetensorsHeader:
    """The header of a safetensors file.

    tensors: Every array by name, in the order of the file.
    metadata: The texts that the header holds besides.
    """

    tensors: Mapping[str, StoredTensor]
    metadata: Mapping[str, str]


def read_header(path: Path, *, error: type[EyechartError] = DataError) -> SafetensorsHeader:
    """The checked header of a file. No array is read."""
    require_regular(path, error=error)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _header(file, size)
    except OSError as reason:
        raise error(f"{path}: cannot be read ({reason.strerror or reason})") from reason
    except (ValueError, OverflowError) as reason:
        raise error(f"{path}: not a valid safetensors file ({reason}); write or download it again") from reason


def read_tensor(path: Path, tensor: StoredTensor) -> Array:
    """One array of a file. DataError where NumPy lacks its type or the file has become shorter."""
    if not tensor.readable:
        raise DataError(f"{path}: an array of type {tensor.dtype}, which NumPy does not have")
    with path.open("rb") as file:
        file.seek(tensor.offset)
        data = file.read(tensor.length)
    if len(data) < tensor.length:
        raise DataError(f"{path}: the file ends inside an array; download it again")
    return np.frombuffer(data, _DTYPES[tensor.dtype]).reshape(tensor.shape)


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """All arrays of a file by name, and its metadata."""
    header = read_header(path)
    return {name: read_tensor(path, tensor) for name, tensor in header.tensors.items()}, dict(header.metadata)


def write_tensors(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write arrays atomically, in their order. The header is padded so that the numbers begin at a multiple of eight."""
    names = {np.dtype(code): name for name, code in _DTYPES.items()}
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


def _header(file: BinaryIO, size: int) -> SafetensorsHeader:
    if size < 8:
        raise ValueError(f"{size} bytes are too few for a header")
    length = int.from_bytes(file.read(8), "little")
    if length > min(_MOST_HEADER_BYTES, size - 8):
        raise ValueError(f"its header claims {length:,} bytes of {size:,}")
    try:
        header = json.loads(file.read(length).decode(), object_pairs_hook=unique_keys, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError("its header is not an object")
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("its metadata are not texts")
    return SafetensorsHeader(_tensors(header, 8 + length, size), metadata)


def _tensors(header: Mapping[str, Any], begin: int, size: int) -> dict[str, StoredTensor]:
    """Each array must begin where the one before it ends, and the last must end with the file: no gaps, no overlaps."""
    found: dict[str, StoredTensor] = {}
    end = 0
    for name, entry in sorted(header.items(), key=lambda item: _span(*item)):
        start, stop = _span(name, entry)
        dtype, shape = entry.get("dtype"), entry.get("shape")
        if not isinstance(dtype, str) or (dtype not in _DTYPES and dtype not in _OTHER_SIZES):
            raise ValueError(f"{name!r} has the unknown type {dtype!r}")
        if not isinstance(shape, list) or not all(map(_is_count, shape)):
            raise ValueError(f"{name!r} has the shape {shape!r}")
        if len(shape) > _MOST_DIMENSIONS or prod(length or 1 for length in shape) > _MOST_NUMBERS:
            raise ValueError(f"{name!r} has more dimensions or numbers than an array can have")
        width = np.dtype(_DTYPES[dtype]).itemsize if dtype in _DTYPES else _OTHER_SIZES[dtype]
        if start != end or stop - start != prod(shape) * width:
            raise ValueError(f"the place of {name!r} does not fit its shape {shape} or the arrays before it")
        if begin + stop > size:
            raise ValueError(f"{name!r} ends beyond the end of the file")
        found[name] = StoredTensor(dtype, tuple(shape), begin + start, stop - start)
        end = stop
    if begin + end != size:
        raise ValueError(f"{size - begin - end:,} bytes belong to no array")
    return found


def _span(name: str, entry: Any) -> tuple[int, int]:
    span = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not isinstance(span, list) or len(span) != 2 or not all(map(_is_count, span)):
        raise ValueError(f"{name!r} has no valid data_offsets")
    return span[0], span[1]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} in place of a number")
