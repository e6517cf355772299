import hashlib

import pytest

from eyechart.files.hashing import HashMemory, Identity
from eyechart.store import Store
from eyechart.store.hash_files import FOLDER, read_hashes, write_hashes

HASHES = [(Identity(f"/data/{n}\udcff.png", n, 10 + n, 2**63 + n, -n), hashlib.sha256(bytes([n])).digest()) for n in range(3)]


def test_what_a_worker_hashed_is_read_again(tmp_path):
    write_hashes(tmp_path, "ab", HASHES)
    assert list(read_hashes(tmp_path, "ab")) == HASHES
    assert list(read_hashes(tmp_path, "other")) == []


def test_a_store_takes_in_the_hashes_of_workers_once(tmp_path):
    small = [(Identity(f"/data/{n}.png", n, 10 + n, n, n), hashlib.sha256(bytes([n])).digest()) for n in range(3)]
    write_hashes(tmp_path, "ab", small)
    assert Store(tmp_path).hashes.recall([i for i, _ in small]) == [key for _, key in small]
    changed = [(Identity("/data/0.png", 0, 10, 0, 0), b"x" * 32)]
    store = Store(tmp_path)
    store.hashes.remember(changed)
    store.close()
    assert Store(tmp_path).hashes.recall([changed[0][0]]) == [b"x" * 32], "it was taken in again"


def test_rehash_forgets_the_hashes_of_workers_too(tmp_path):
    write_hashes(tmp_path, "ab", [(Identity("/a", 1, 2, 3, 4), bytes(32))])
    assert Store(tmp_path, rehash=True).hashes.recall([Identity("/a", 1, 2, 3, 4)]) == [None]


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing", None])
def test_a_damaged_file_only_costs_time(tmp_path, content):
    write_hashes(tmp_path, "ab", HASHES)
    path = next((tmp_path / FOLDER).iterdir())
    flipped = bytearray(path.read_bytes())
    flipped[40] ^= 1
    path.write_bytes(flipped if content is None else content)
    assert list(read_hashes(tmp_path, "ab")) == []


def test_known_gives_back_what_was_remembered():
    memory = HashMemory()
    memory.remember([(Identity("/a", 1, 2, 3, 4), bytes(32))])
    assert memory.known() == [(Identity("/a", 1, 2, 3, 4), bytes(32))]
