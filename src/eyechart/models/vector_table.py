"""Tables of precomputed vectors by name: read from npz or Parquet, checked row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.errors import DataError, did_you_mean
from eyechart.files.readable import require_regular


@dataclass(frozen=True, eq=False)
class VectorTable:
    """A table of vectors. `names` are picture ids or texts; `thing` is the word for them in messages."""

    file: Path
    thing: str
    names: Sequence[str]
    vectors: Floats

    def __post_init__(self) -> None:
        names, vectors, file, thing = self.names, self.vectors, self.file, self.thing
        if vectors.ndim != 2 or len(names) != len(vectors):
            raise DataError(
                f"{file}: {len(names)} {thing}s and vectors of shape {vectors.shape} do not match; give one row per {thing}"
            )
        if not len(names):
            raise DataError(f"{file}: it contains no {thing}s; write the vectors again")
        unusable = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(unusable):
            raise DataError(
                f"{file}, row {unusable[0]} ({thing} {names[unusable[0]]!r}): its vector holds NaN or infinity"
                f" ({len(unusable)} such rows); compute it again or leave the {thing} out"
            )
        zero = np.flatnonzero(~vectors.any(axis=1))
        if len(zero):
            raise DataError(
                f"{file}, row {zero[0]} ({thing} {names[zero[0]]!r}): its vector is zero and has no direction"
                f" ({len(zero)} such rows); compute it again or leave the {thing} out"
            )
        if len(self._rows) != len(names):
            seen: dict[str, int] = {}
            for row, name in enumerate(names):
                if name in seen:
                    raise DataError(f"{file}, row {row}: {thing} {name!r} is already in row {seen[name]}; keep one of them")
                seen[name] = row

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def known(self) -> Sequence[str]:
        return self.names

    def look_up(self, names: Sequence[str]) -> Floats:
        """[n, d] vectors in the given order. DataError names the first missing one, and the nearest one that is there."""
        try:
            rows = [self._rows[name] for name in names]
        except KeyError:
            missing = [name for name in names if name not in self._rows]
            raise DataError(
                f"{self.file}: no vector for the {self.thing} {missing[0]!r}{did_you_mean(missing[0], self._rows)}"
                f" ({len(missing)} of {len(names)} are missing); add them, or use known names"
            ) from None
        return self.vectors[np.array(rows, dtype=np.int64)]


def table_of(file: Path, thing: str, names: npt.NDArray[Any], vectors: npt.NDArray[Any]) -> VectorTable:
    """A checked table from arrays: names of any string or integer kind, vectors of any float kind."""
    if names.ndim != 1 or names.dtype.kind not in "USiu":
        raise DataError(f"{file}: the {thing}s have dtype {names.dtype} and shape {names.shape}; give a list of strings")
    if vectors.dtype.kind != "f":
        raise DataError(f"{file}: the vectors of the {thing}s have dtype {vectors.dtype}; give floating-point numbers")
    if names.dtype.kind == "S":
        texts = [_decoded(file, row, name) for row, name in enumerate(names.tolist())]
    else:
        texts = [str(name) for name in names.tolist()]
    return VectorTable(file, thing, texts, np.ascontiguousarray(vectors, dtype=np.float32))


def read_parquet(file: Path, thing: str, column: str) -> VectorTable:
    """A table from Parquet with the columns `column` and `vector` (a list of numbers, the same number in each row)."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    require_regular(file)
    try:
        table = pq.read_table(file, memory_map=True, partitioning=None)
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{file}: not readable as Parquet ({error}); write it again") from None
    for wanted in (column, "vector"):
        if wanted not in table.column_names:
            raise DataError(f"{file}: there is no column {wanted!r} (there are: {', '.join(table.column_names)}); rename it")
        if table.column(wanted).null_count:
            row = int(np.flatnonzero(np.asarray(pc.is_null(table.column(wanted))))[0])
            raise DataError(f"{file}, row {row}: its {wanted} is missing; fill it in or leave the row out")
    vectors = table.column("vector").combine_chunks()
    numbers = getattr(vectors.type, "value_type", None)
    if numbers is None or not (pa.types.is_floating(numbers) or pa.types.is_integer(numbers)):
        raise DataError(f"{file}: the column 'vector' is of type {vectors.type}; give a list of numbers in each row")
    lengths = np.asarray(pc.list_value_length(vectors))
    odd = np.flatnonzero(lengths != (lengths[0] if len(lengths) else 0))
    if len(odd):
        raise DataError(
            f"{file}, row {odd[0]}: its vector has {lengths[odd[0]]} numbers, row 0 has {lengths[0]}; all need the same length"
        )
    if not len(lengths) or not lengths[0]:
        raise DataError(f"{file}: it contains no {thing}s, or vectors without numbers; write the vectors again")
    flat = vectors.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    names = [str(name) for name in table.column(column).to_pylist()]
    return VectorTable(file, thing, names, flat.reshape(len(names), -1))


def _decoded(file: Path, row: int, name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{file}, row {row}: the name {name!r} is not UTF-8; write names as strings") from None
