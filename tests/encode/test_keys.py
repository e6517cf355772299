import hashlib
import os

import pyarrow as pa
import pytest
from tests.encode.tiny import drawn, drawn_dataset, key_of

from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import file_pictures
from eyechart.encode.keys import SetAside, picture_keys, text_key
from eyechart.files.hashing import HashMemory, identity_of
from eyechart.progress import SilentProgress

QUIET = SilentProgress()


@pytest.fixture
def folder(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}.png").write_bytes(drawn(number))
    return tmp_path


def dataset_of(folder, names):
    return Dataset("files", pa.table({"id": names}), file_pictures(folder, pa.array(names)))


def test_the_key_is_the_sha_256_of_the_bytes(folder):
    data = dataset_of(folder, ["7.png", "8.png"])
    expected = [hashlib.sha256((folder / name).read_bytes()).digest() for name in ("7.png", "8.png")]
    assert picture_keys(data, HashMemory(), QUIET).keys == expected


def test_rows_keep_their_order_over_many_stretches(folder):
    names = [f"{number}.png" for number in range(299, -1, -1)]
    assert picture_keys(dataset_of(folder, names), HashMemory(), QUIET).keys == [key_of(n) for n in range(299, -1, -1)]


def test_an_unchanged_file_is_not_read_again(folder):
    hashes = HashMemory()
    planted = b"p" * 32  # no content has this hash, so it can only come from memory
    hashes.remember([(identity_of(folder / "1.png"), planted)])
    keys = picture_keys(dataset_of(folder, ["1.png", "2.png"]), hashes, QUIET).keys
    assert keys == [planted, key_of(2)]


def test_a_file_that_was_replaced_in_place_with_its_times_kept_is_read_again(folder):
    """As tools that copy or unpack do: same path, size, inode and modification time. The time of change tells."""
    hashes = HashMemory()
    data = dataset_of(folder, ["1.png"])
    picture_keys(data, hashes, QUIET)
    times, content = (folder / "1.png").stat(), (folder / "1.png").read_bytes()
    with (folder / "1.png").open("r+b") as file:
        file.write(b"x")
    os.utime(folder / "1.png", ns=(times.st_atime_ns, times.st_mtime_ns))
    now = (folder / "1.png").stat()
    assert (now.st_size, now.st_ino, now.st_mtime_ns) == (times.st_size, times.st_ino, times.st_mtime_ns)
    assert picture_keys(data, hashes, QUIET).keys == [hashlib.sha256(b"x" + content[1:]).digest()]


def test_a_changed_file_is_read_again(folder):
    hashes = HashMemory()
    data = dataset_of(folder, ["1.png"])
    picture_keys(data, hashes, QUIET)
    (folder / "1.png").write_bytes(drawn(5) + b" ")
    assert picture_keys(data, hashes, QUIET).keys == [hashlib.sha256(drawn(5) + b" ").digest()]


def test_missing_and_empty_files_are_set_aside_with_their_reason(folder):
    (folder / "empty.png").write_bytes(b"")
    data = dataset_of(folder, ["1.png", "gone.png", "empty.png"])
    hashes = HashMemory()
    for _ in range(2):  # recalled hashes must not hide that a file is empty
        found = picture_keys(data, hashes, QUIET)
        assert found.keys == [key_of(1), None, None]
        assert found.set_aside[1] == SetAside(2, "empty.png", "empty file")
        assert found.set_aside[0].row == 1 and "No such file" in found.set_aside[0].reason


def test_pictures_without_identity_are_always_read():
    hashes = HashMemory()
    assert picture_keys(drawn_dataset([4]), hashes, QUIET).keys == [key_of(4)]
    other = drawn_dataset([4], {4: drawn(6)})
    assert picture_keys(other, hashes, QUIET).keys == [key_of(6)]


def test_an_empty_dataset_has_no_keys():
    assert picture_keys(drawn_dataset([]), HashMemory(), QUIET).keys == []


def test_a_text_key_is_the_sha_256_of_its_utf_8():
    assert text_key("ein Käse") == hashlib.sha256("ein Käse".encode()).digest()
