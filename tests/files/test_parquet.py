"""Parquet files with checksums: every flipped bit is noticed, or changes nothing."""

import pyarrow as pa
import pytest

from eyechart.files.parquet import read_checked, write_checked

TABLE = pa.table({"a": [1.5, 2.5, 3.5], "b": ["x", "y", "z"]}).replace_schema_metadata({"about": "three rows"})


def test_a_table_comes_back_with_its_metadata(tmp_path):
    write_checked(TABLE, tmp_path / "t.parquet")
    assert read_checked(tmp_path / "t.parquet").equals(TABLE, check_metadata=True)


def test_no_flipped_bit_changes_a_number_silently(tmp_path):
    write_checked(TABLE, tmp_path / "t.parquet")
    good = (tmp_path / "t.parquet").read_bytes()
    noticed = 0
    for bit in range(0, 8 * len(good), 11):
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        (tmp_path / "t.parquet").write_bytes(data)
        try:
            found = read_checked(tmp_path / "t.parquet")
        except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError):
            noticed += 1
            continue
        assert found.equals(TABLE, check_metadata=True), bit
    assert noticed > 300


def test_a_file_without_checksums_is_read(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(TABLE, tmp_path / "t.parquet")
    assert read_checked(tmp_path / "t.parquet").equals(TABLE)


@pytest.mark.parametrize("metadata", [{}, {"about": "four rows"}])
def test_changed_metadata_are_noticed(tmp_path, metadata):
    import pyarrow.parquet as pq

    write_checked(TABLE, tmp_path / "t.parquet")
    raw = pq.read_table(tmp_path / "t.parquet")
    checksum = {key: value for key, value in raw.schema.metadata.items() if key.startswith(b"eyechart.checksum")}
    pq.write_table(raw.replace_schema_metadata(metadata | checksum), tmp_path / "t.parquet")
    with pytest.raises(pa.ArrowInvalid, match="checksum"):
        read_checked(tmp_path / "t.parquet")
