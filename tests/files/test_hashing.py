"""The table of hashes: damaged, on a full disk, or where nothing may be written."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from eyechart.errors import StoreError
from eyechart.files.hashing import HashMemory, Identity, hash_bytes, hash_file
from eyechart.store import Store

MODEL = "ab" * 32
KEYS = [bytes([number]) * 32 for number in range(1, 4)]
MANY = [(Identity(f"/pictures/{number}.jpg", number, number, number), hash_bytes(b"%d" % number)) for number in range(3000)]


@pytest.fixture
def damaged(tmp_path):
    """A store whose table of hashes opens without complaint and is nonsense further in."""
    store = Store(tmp_path / "store")
    store.hashes.remember(MANY)
    store.close()
    path = tmp_path / "store" / "hashes.sqlite"
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : (page + 1) * 4096] = os.urandom(4096)
    path.write_bytes(content)
    return path.parent


def test_damage_met_while_recalling_sets_the_table_aside(damaged):
    store = Store(damaged)
    assert store.hashes.recall([identity for identity, _ in MANY]) == [None] * len(MANY)
    (notice,) = store.notices
    assert "hashes.sqlite" in notice.where and "damaged table of hashes" in notice.what
    assert list((damaged / "damaged").glob("hashes.sqlite.*"))


def test_damage_met_while_remembering_sets_the_table_aside(damaged):
    store = Store(damaged)
    store.hashes.remember(MANY)
    assert len(store.notices) == 1
    store.close()
    assert Store(damaged).hashes.recall([MANY[7][0]]) == [MANY[7][1]]


def test_a_table_that_another_process_has_begun_anew_is_taken_up(damaged):
    first, second = Store(damaged), Store(damaged)
    assert second.hashes.recall([]) == []  # it has the damaged table open
    first.hashes.remember(MANY)
    assert second.hashes.recall([identity for identity, _ in MANY]) == [digest for _, digest in MANY]
    assert len(first.notices) == 1 and second.notices == []


def test_a_hash_of_a_wrong_length_is_not_believed(tmp_path):
    store = Store(tmp_path)
    store.hashes.remember([(MANY[1][0], b"short")])
    assert store.hashes.recall([MANY[1][0]]) == [None]


def test_damage_that_nobody_sets_aside_is_an_error_with_a_remedy(damaged):
    with pytest.raises(StoreError, match=r"hashes\.sqlite: .*EYECHART_STORE"):
        HashMemory(damaged / "hashes.sqlite").recall([identity for identity, _ in MANY])


@contextmanager
def nobodys_rights():
    """Root may write anywhere; read-only folders are only so for others."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only():
    """A store with three vectors and a remembered hash, in which nobody may write."""
    if os.name == "nt":
        pytest.skip("Windows has other rights")
    folder = Path(tempfile.mkdtemp())  # where everybody may look, unlike pytest's own
    folder.chmod(0o755)
    store = Store(folder / "store")
    store.shelf(MODEL, "image").put(KEYS, np.eye(3, dtype=np.float32))
    store.remember_facts(MODEL, {"spec": "demo:"})
    (folder / "file").write_bytes(b"one")
    store.hashes.file(folder / "file")
    store.close()
    paths = [folder / "store", *(folder / "store").rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder / "store"
    for path in paths:
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_vectors_are_read_where_nothing_may_be_written(read_only):
    with nobodys_rights():
        store = Store(read_only)
        shelf = store.shelf(MODEL, "image")
        assert not shelf.missing(KEYS).any()
        assert shelf.get(KEYS).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        assert store.facts(MODEL) == {"spec": "demo:"} and store.epoch(MODEL) == 0


def test_hashes_are_kept_in_memory_where_nothing_may_be_written(read_only):
    with nobodys_rights():
        store = Store(read_only)
        assert store.hashes.file(read_only.parent / "file") == hash_file(read_only.parent / "file").hex()
        store.hashes.remember(MANY)
        assert store.hashes.recall([MANY[3][0]]) == [MANY[3][1]]
        (notice,) = store.notices
        assert "cannot be written" in notice.what and "EYECHART_STORE" in notice.remedy


def test_a_new_vector_needs_a_store_that_can_be_written_to(read_only):
    with nobodys_rights(), pytest.raises(StoreError, match="EYECHART_STORE"):
        Store(read_only).shelf(MODEL, "image").put([b"\x09" * 32], np.ones((1, 3), np.float32))
