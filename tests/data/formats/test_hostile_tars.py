"""Tars that were made to mislead. Every header here has a right checksum, so that it is believed."""

import io
import tarfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyechart.data.formats.tar_index import index_tar
from eyechart.errors import DataError

BLOCK = 512


def header(name=b"a.png", size=b"0000001\0", kind=b"0"):
    cells = bytearray(BLOCK)
    cells[: len(name)] = name
    cells[124 : 124 + len(size)] = size
    cells[156:157] = kind
    cells[257:265] = b"ustar\x0000"
    return signed(cells)


def signed(cells):
    cells[148:156] = b" " * 8
    cells[148:156] = b"%06o\0 " % sum(cells)
    return bytes(cells)


def tar(*blocks):
    return b"".join(block.ljust(-(-len(block) // BLOCK) * BLOCK, b"\0") for block in blocks) + bytes(2 * BLOCK)


@pytest.mark.parametrize("size", [b"-1000", b"-1", b"+10", b"1_0", b"0o7", b"0x1", b"9", b"1 1", b"\xff" * 12, b"\x81" * 12])
def test_a_size_that_is_no_octal_number_is_refused(tmp_path, size):
    (tmp_path / "a.tar").write_bytes(tar(header(size=b"0000001\0"), b"x", header(b"b.png", size)))
    with pytest.raises(DataError, match=r"a\.tar: damaged at byte 1024"):
        index_tar(tmp_path / "a.tar")


@pytest.mark.parametrize("value", [b"abc", b"-512", b"", b"1e3", b" 5", b"\xd9\xa1", b"9" * 5000])
def test_a_pax_size_that_is_no_number_is_refused(tmp_path, value):
    body = b"size=" + value + b"\n"
    length = len(body) + 2
    while len(b"%d " % length + body) != length:
        length += 1
    record = b"%d " % length + body
    (tmp_path / "a.tar").write_bytes(tar(header(size=b"%07o\0" % length, kind=b"x"), record, header(), b"x"))
    with pytest.raises(DataError, match=r"a\.tar: damaged header at byte 0"):
        index_tar(tmp_path / "a.tar")


@pytest.mark.parametrize("record", [b"-5 path=a\n", b"0 path=a\n", b"99 path=a\n", b"path=a\n", b"10 pathab\n", b"+11 path=a\n"])
def test_a_pax_record_that_does_not_hold_together_is_refused(tmp_path, record):
    (tmp_path / "a.tar").write_bytes(tar(header(size=b"%07o\0" % len(record), kind=b"x"), record, header(), b"x"))
    with pytest.raises(DataError, match=r"a\.tar: damaged header at byte 0"):
        index_tar(tmp_path / "a.tar")


def whole():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as made:
        for name in ("a.png", "long" * 40 + ".png", "café.png"):
            member = tarfile.TarInfo(name)
            member.size = 700
            made.addfile(member, io.BytesIO(bytes(700)))
    return file.getvalue()


WHOLE = whole()


@settings(max_examples=300, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=12)), min_size=1, max_size=4), st.booleans()
)
def test_whatever_is_written_over_a_tar_it_is_read_or_refused(tmp_path, changes, sign):
    content = bytearray(WHOLE)
    for at, bytes_ in changes:
        content[at : at + len(bytes_)] = bytes_[: len(content) - at]
        block = at // BLOCK * BLOCK
        if sign and content[block + 257 : block + 262] == b"ustar":
            content[block : block + BLOCK] = signed(content[block : block + BLOCK])
    (tmp_path / "a.tar").write_bytes(content)
    try:
        members = index_tar(tmp_path / "a.tar")
    except DataError as error:
        assert "a.tar" in str(error)
    else:
        assert all(m.offset >= 0 and m.size >= 0 and m.offset + m.size <= len(content) for m in members)
