"""Parquet files of our own, with checksums: of every page, as the format defines them, and of the metadata.

Without them a flipped bit on the disk changes a number without a word.
"""

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CHECKSUMS = {"write_page_checksum": True}  # for writers
VERIFY = {"page_checksum_verification": True}  # for readers; pages without a checksum are read as they are
_CHECKS = (b"eyechart.checksum", b"eyechart.checksum.again")  # twice: a flipped bit in one key must not make it look absent


def write_checked(table: pa.Table, where: Any, **options: Any) -> None:
    """Write a table, with checksums, to a path or a stream."""
    pq.write_table(_with_checksum(table), where, **CHECKSUMS, **options)


def read_checked(path: Path) -> pa.Table:
    """The table of a file; ArrowInvalid or OSError where a checksum is wrong."""
    # pq.read_table would import pandas where it is installed, which is slow.
    try:
        with pq.ParquetFile(path, **VERIFY) as file:
            table = file.read()
    except UnicodeDecodeError as error:  # of a name in a damaged footer
        raise pa.ArrowInvalid(f"the file is damaged ({error})") from None
    metadata = dict(table.schema.metadata or {})
    expected = [metadata.pop(key, None) for key in _CHECKS]
    if not any(expected):  # written by an earlier version
        return table
    if set(expected) != {_checksum(metadata, table)}:
        raise pa.ArrowInvalid("the checksum of its metadata is wrong: the file is damaged")
    return table.replace_schema_metadata(metadata or None)


def _with_checksum(table: pa.Table) -> pa.Table:
    metadata = dict(table.schema.metadata or {})
    return table.replace_schema_metadata(metadata | dict.fromkeys(_CHECKS, _checksum(metadata, table)))


def _kind(type: pa.DataType) -> str:
    """A type by what it holds: names of list elements and the like change on the way through a file."""
    if pa.types.is_dictionary(type):
        return _kind(type.value_type)
    if pa.types.is_nested(type):
        return f"nested({', '.join(_kind(type.field(place).type) for place in range(type.num_fields))})"
    return str(type).removeprefix("large_")


def _checksum(metadata: Mapping[bytes, bytes], table: pa.Table) -> bytes:
    """Of everything that pages do not hold: metadata, names, types, and the number of rows."""
    facts = [part for item in sorted(metadata.items()) for part in item]
    parts = [
        *facts,
        str(table.num_rows).encode(),
        *(f"{field.name} {_kind(field.type)} {field.nullable}".encode() for field in table.schema),
    ]
    return b"%08x" % zlib.crc32(b"\0".join(parts))
