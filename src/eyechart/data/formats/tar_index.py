"""The places of a tar's members, so that they can be read in place; nothing is unpacked.

Headers follow POSIX.1-2017 (pax, "ustar Interchange Format") and the GNU tar manual ("Basic Tar Format"). Python's tarfile is
several times slower, which matters for millions of members, and takes a damaged header for the end of the archive.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from eyechart.errors import DataError
from eyechart.files.readable import require_regular
from eyechart.files.remote import RemotePath

_BLOCK = 512
_END = b"\0" * _BLOCK
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_FILE = b"\0" + b"07"
_WITHOUT_CONTENT = b"123456"  # links, devices, folders, pipes


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a tar.

    name: Its name, which is never used as a path.
    offset: The first byte of its content.
    size: The number of bytes.
    """

    name: str
    offset: int
    size: int


def index_tar(path: Path | RemotePath) -> list[Member]:
    """The regular files of a tar in their order; links, devices and folders are ignored."""
    if isinstance(path, RemotePath):
        return _index_remote(path)
    require_regular(path)
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise DataError(f"{path}: the file is empty; download or write it again")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                _refuse_compressed(content, path)
                return list(_members(content, path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error


class _RemoteContent:
    """The content of a remote file by slices, read ahead in large blocks: headers are a picture apart."""

    def __init__(self, path: RemotePath) -> None:
        self._size = int(path.info()["size"])
        self._file = path.open("rb")

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        self._file.seek(start)
        return self._file.read(max(0, stop - start))


def _index_remote(path: RemotePath) -> list[Member]:
    try:
        content = _RemoteContent(path)
        if not len(content):
            raise DataError(f"{path}: the file is empty; upload it again")
        _refuse_compressed(content, path)
        return list(_members(content, path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error


def _refuse_compressed(content: "mmap.mmap | _RemoteContent", path: Path | RemotePath) -> None:
    for magic, kind in _COMPRESSED.items():
        if content[: len(magic)] == magic:
            raise DataError(f"{path}: a tar compressed with {kind} cannot be read in place; decompress it to a plain .tar first")


def read_member(file: BinaryIO, member: Member) -> bytes:
    file.seek(member.offset)
    data = file.read(member.size)
    if len(data) < member.size:
        raise OSError(f"the shard ends within {member.name}")
    return data


def _members(content: mmap.mmap | _RemoteContent, path: Path | RemotePath) -> Iterator[Member]:
    at = 0
    long_name: str | None = None  # of the member that follows, from a GNU or pax header before it
    long_size: int | None = None
    while (header := content[at : at + _BLOCK]) != _END:
        if not header.strip(b"\0"):
            raise DataError(f"{path}: cut off at byte {len(content)}, before the end of the archive; download it again")
        size, kind = _size_and_kind(header, path, at)
        begin = at + _BLOCK
        if kind in _FILE and long_size is not None:
            size = long_size
        if begin + size > len(content):
            raise DataError(f"{path}: cut off within the member at byte {at}; download it again")
        if kind in b"L":
            long_name = _text(content[begin : begin + size])
        elif kind in b"x":
            records = _pax(content[begin : begin + size], path, at)
            long_name = _text(records[b"path"]) if b"path" in records else long_name
            long_size = _decimal(records[b"size"], path, at) if b"size" in records else None
            if any(key.startswith(b"GNU.sparse") for key in records):
                raise DataError(f"{path}: the member at byte {at} is a sparse file; write the shard again without --sparse")
        elif kind in b"S":
            raise DataError(f"{path}: the member at byte {at} is a sparse file; write the shard again without --sparse")
        elif kind not in b"gK":
            if kind in _FILE:
                yield Member(long_name or _name(header), begin, size)
            long_name = long_size = None
        at = begin if kind in _WITHOUT_CONTENT else begin + (size + _BLOCK - 1) // _BLOCK * _BLOCK


def _size_and_kind(header: bytes, path: Path | RemotePath, at: int) -> tuple[int, bytes]:
    try:
        if len(header) < _BLOCK or _number(header[148:156]) != sum(header) - sum(header[148:156]) + 8 * ord(" "):
            raise ValueError("checksum")
        return _number(header[124:136]), header[156:157]
    except ValueError:
        what = "not a tar" if at == 0 else f"damaged at byte {at}, where a member should begin"
        raise DataError(f"{path}: {what}; download or write it again") from None


def _number(cell: bytes) -> int:
    """An octal number; ValueError for anything else. `int` alone would accept signs, underscores and prefixes, and a negative
    size would cause an endless loop."""
    if cell[0] == 0x80:  # GNU's notation for numbers too large for the octal field
        return int.from_bytes(cell[1:], "big")
    digits = cell.split(b"\0", 1)[0].strip(b" ")
    if digits.strip(b"01234567"):
        raise ValueError("not octal")
    return int(digits or b"0", 8)


def _decimal(value: bytes, path: Path | RemotePath, at: int) -> int:
    if not value.isdigit() or len(value) > 20:
        raise DataError(f"{path}: damaged header at byte {at}, size {value[:20]!r}; download or write it again")
    return int(value)


def _name(header: bytes) -> str:
    name = _text(header[:100])
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _text(cell: bytes) -> str:
    return cell.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")


def _pax(content: bytes, path: Path | RemotePath, at: int) -> dict[bytes, bytes]:
    """Records of the form '<length> <key>=<value>\\n', where the length counts the whole record."""
    records: dict[bytes, bytes] = {}
    while content.strip(b"\0"):
        length = _decimal(content[:21].split(b" ", 1)[0], path, at)
        if length > len(content):
            raise DataError(f"{path}: damaged header at byte {at}; download or write it again")
        try:
            key, value = content[:length].split(b" ", 1)[1].removesuffix(b"\n").split(b"=", 1)
        except (ValueError, IndexError):
            raise DataError(f"{path}: damaged header at byte {at}; download or write it again") from None
        records[key] = value
        content = content[length:]
    return records
