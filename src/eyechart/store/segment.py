"""A segment: an immutable Arrow file of keys and vectors, sorted by key and named by the hash of its content.

The segment of a shard is named by the shard, so that its name is known before it is made; the manifest has its hash.

Every block has a checksum. It is compared when the block is first used in a process: a damaged vector is as finite and as long as
a sound one, so nothing else would notice.
"""

import math
import os
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Floats
from eyechart.files.hashing import hash_file
from eyechart.store.label import FORMAT, Label

Keys = npt.NDArray[np.bytes_]  # dtype S32: compares like the 32 raw bytes, since all are equally long

SUFFIX = ".arrow"
OF_SHARD = "shard-"  # begins the name of a shard's segment
BLOCK_ROWS = 16384
_CHECKSUM = b"eyechart.crc32"
KEY = np.dtype("S32")


class Damaged(Exception):
    """A damaged file of the store; the message is the reason."""


@dataclass(frozen=True)
class Block:
    """One record batch, as views into the memory-mapped file.

    keys: The sorted keys.
    vectors: [n, d] vectors, float32 or float16.
    checksum: The CRC-32 of both as they were written; None in a file of an earlier version.
    path: The file.
    file_bytes: The size of the file when it was mapped.
    """

    keys: Keys
    vectors: npt.NDArray[np.floating]
    checksum: int | None
    path: Path
    file_bytes: int


@dataclass(frozen=True)
class Segment:
    """An open segment.

    path: The file.
    width: The width of its vectors.
    created_ns: When it was written, in nanoseconds since 1970.
    blocks: Its blocks.
    bytes: Its size.
    """

    path: Path
    width: int
    created_ns: int
    blocks: tuple[Block, ...]
    bytes: int

    @property
    def rows(self) -> int:
        return sum(len(block.keys) for block in self.blocks)


def write_segment(
    file: BinaryIO, label: Label, width: int, blocks: Iterable[tuple[Keys, Floats]], created_ns: int | None = None
) -> None:
    """Write a segment. Keys are sorted within and across blocks."""
    made = time.time_ns() if created_ns is None else created_ns
    about = {
        "eyechart.format": str(FORMAT),
        "fingerprint": label.fingerprint,
        "role": label.role,
        "variant": label.variant,
        "created_ns": str(made),
    }
    kind = _arrow_type(label)
    schema = pa.schema([("key", pa.binary(32)), ("vector", pa.list_(kind, width))], metadata=about)
    with pa.ipc.new_file(file, schema) as writer:
        for keys, vectors in blocks:
            # Built from buffers: NumPy would strip zero bytes at the end of a key, and `pa.array` would import pandas.
            raw = pa.py_buffer(np.ascontiguousarray(keys, dtype=KEY).tobytes())
            flat = pa.py_buffer(np.ascontiguousarray(vectors, dtype=_dtype(label)).reshape(-1))
            numbers = pa.Array.from_buffers(kind, len(keys) * width, [None, flat])
            columns = [
                pa.Array.from_buffers(pa.binary(32), len(keys), [None, raw]),
                pa.FixedSizeListArray.from_arrays(numbers, width),
            ]
            checksum = str(zlib.crc32(flat, zlib.crc32(raw))).encode()
            writer.write_batch(pa.record_batch(columns, schema=schema), custom_metadata={_CHECKSUM: checksum})


def open_segment(path: Path, label: Label) -> Segment:
    """Map a segment into memory and check its shape, not its content (see `check_content`).

    Raises:
        Damaged: If the file is not a segment of this shelf.
        OSError: If it cannot be opened.
    """
    size = path.stat().st_size
    if size == 0:
        raise Damaged("the file is empty")
    # The mapping stays valid after the handle is closed, so that thousands of segments need no open files.
    with pa.memory_map(os.fsencode(path)) as mapped:
        try:
            reader = pa.ipc.open_file(mapped)
            width, created_ns = _check_schema(reader.schema, label)
            batches = [reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches)]
            blocks = tuple(_block(batch, width, _dtype(label), about, path, size) for batch, about in batches)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise Damaged(f"not a complete Arrow file ({error})") from error
    _check_order(blocks)
    return Segment(path, width, created_ns, blocks, size)


def _check_schema(schema: pa.Schema, label: Label) -> tuple[int, int]:
    about = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    if about.get("eyechart.format") != str(FORMAT):
        raise Damaged(f"its format is {about.get('eyechart.format')!r}, not {FORMAT}")
    found = (about.get("fingerprint"), about.get("role"), about.get("variant"))
    if found != (label.fingerprint, label.role, label.variant):
        raise Damaged(f"it belongs to another shelf: {found}")
    if schema.names != ["key", "vector"] or schema.field("key").type != pa.binary(32):
        raise Damaged(f"its columns are {schema.names}")
    vector = schema.field("vector").type
    if not pa.types.is_fixed_size_list(vector) or vector.value_type != _arrow_type(label) or vector.list_size < 1:
        raise Damaged(f"its vectors are {vector}")
    return int(vector.list_size), int(about.get("created_ns", "0"))


def _dtype(label: Label) -> np.dtype[np.floating]:
    return np.dtype(np.float16 if label.half else np.float32)


def _arrow_type(label: Label) -> pa.DataType:
    return pa.float16() if label.half else pa.float32()


def _block(
    batch: pa.RecordBatch, width: int, dtype: np.dtype[np.floating], about: pa.KeyValueMetadata | None, path: Path, size: int
) -> Block:
    batch.validate()
    keys, vectors = batch.columns
    values = vectors.values
    if keys.null_count or vectors.null_count or values.null_count or len(values) != len(keys) * width:
        raise Damaged("it has missing values")
    raw = np.frombuffer(keys.buffers()[1], dtype=KEY, count=len(keys))
    numbers = np.frombuffer(values.buffers()[1], dtype=dtype, count=len(values))
    checksum = None if about is None or _CHECKSUM not in about else int(about[_CHECKSUM])
    return Block(raw, numbers.reshape(len(keys), width), checksum, path, size)


def _check_order(blocks: tuple[Block, ...]) -> None:
    last = None
    for block in blocks:
        if len(block.keys) == 0:
            continue
        if not bool(np.all(block.keys[:-1] < block.keys[1:])) or (last is not None and not last < block.keys[0]):
            raise Damaged("its keys are not in order")
        last = block.keys[-1]


def check_size(block: Block) -> None:
    """The file must be as long as when it was mapped: reading beyond the end of a mapped file would end the process.

    Raises:
        Damaged: If it is shorter.
    """
    with suppress(FileNotFoundError):  # compaction has replaced it; the mapping keeps the removed file
        size = block.path.stat().st_size
        if size < block.file_bytes:
            raise Damaged(f"it was cut from {block.file_bytes} to {size} bytes while in use")


def check_block(block: Block) -> None:
    """Compare the checksum of a block; in a file of an earlier version, the hash of the whole file.

    Raises:
        Damaged: If it is another one, or the file was cut.
    """
    check_size(block)
    if block.checksum is None:
        check_hash(block.path)
    elif zlib.crc32(block.vectors.data, zlib.crc32(block.keys.view(np.uint8).data)) != block.checksum:
        raise Damaged("the checksum of a block does not match its content")


def check_hash(path: Path, expected: str | None = None) -> None:
    """The hash of the file must match its name, or `expected`. A file that compaction has removed meanwhile is not checked."""
    with suppress(FileNotFoundError):
        if hash_file(path).hex() != (expected or path.name.removesuffix(SUFFIX)):
            raise Damaged(f"its content does not match the hash in {'the manifest' if expected else 'its name'}")


def check_content(segment: Segment, recorded: str | None = None) -> None:
    """Read every byte: the hash must match the file's name or `recorded`, and every number must be finite.

    The segment of a shard without a record, whose worker was killed before it wrote one, has the checksums of its blocks."""
    if recorded or not segment.path.name.startswith(OF_SHARD):
        check_hash(segment.path, recorded)
    for block in segment.blocks:
        check_block(block)
        # A sum is NaN or infinite if any number is, and needs no second array.
        if not math.isfinite(float(np.sum(block.vectors, dtype=np.float64))):
            raise Damaged("it contains numbers that are not finite")
