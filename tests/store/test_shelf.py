import hashlib
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from eyechart.errors import StoreError
from eyechart.store import Store
from eyechart.store.compaction import MANY

MODEL = "ab" * 32
ROOT = Path(__file__).resolve().parents[2]


def keys_of(numbers):
    return [hashlib.sha256(str(number).encode()).digest() for number in numbers]


def vectors_of(numbers, width=6):
    return np.stack([np.arange(width, dtype=np.float32) + number for number in numbers])


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def shelf(store):
    return store.shelf(MODEL, "image")


def test_what_is_put_is_got_in_the_order_asked_for(shelf):
    shelf.put(keys_of(range(10)), vectors_of(range(10)))
    np.testing.assert_array_equal(shelf.get(keys_of([7, 0, 7, 3])), vectors_of([7, 0, 7, 3]))


def test_a_new_process_finds_it_all(store, shelf):
    shelf.put(keys_of(range(5)), vectors_of(range(5)))
    shelf.put(keys_of(range(5, 9)), vectors_of(range(5, 9)))
    again = Store(store.path).shelf(MODEL, "image")
    np.testing.assert_array_equal(again.get(keys_of(range(9))), vectors_of(range(9)))


def test_missing_sees_what_others_put_meanwhile(store, shelf):
    assert shelf.missing(keys_of([1, 2])).tolist() == [True, True]
    Store(store.path).shelf(MODEL, "image").put(keys_of([2]), vectors_of([2]))
    assert shelf.missing(keys_of([1, 2])).tolist() == [True, False]


def test_a_missing_key_is_named(shelf):
    shelf.put(keys_of([1]), vectors_of([1]))
    with pytest.raises(KeyError, match=keys_of([2])[0].hex()):
        shelf.get(keys_of([1, 2]))


def test_nothing_asked_nothing_given(shelf):
    assert shelf.get([]).shape[0] == 0
    assert shelf.missing([]).tolist() == []


def test_the_first_vector_of_a_key_stays(shelf):
    shelf.put(keys_of([1, 1]), vectors_of([1, 2]))
    shelf.put(keys_of([1, 3]), vectors_of([9, 3]))
    np.testing.assert_array_equal(shelf.get(keys_of([1, 3])), vectors_of([1, 3]))
    assert sum(segment.rows for segment in shelf.refresh()) == 2


def test_keys_that_share_their_first_bytes_or_end_in_zeros_are_told_apart(shelf):
    keys = [bytes(8) + bytes([i]) + bytes(23) for i in range(200)]
    shelf.put(keys[::2], vectors_of(range(0, 200, 2)))
    assert shelf.missing(keys).tolist() == [False, True] * 100
    shelf.put(keys[1::2], vectors_of(range(1, 200, 2)))
    np.testing.assert_array_equal(shelf.get(keys), vectors_of(range(200)))


def test_roles_variants_and_models_do_not_mix(store, shelf):
    shelf.put(keys_of([1]), vectors_of([1]))
    for other in (store.shelf(MODEL, "text"), store.shelf(MODEL, "image", "upright"), store.shelf("cd" * 32, "image")):
        assert other.missing(keys_of([1])).all()


def test_another_width_is_refused(shelf):
    shelf.put(keys_of([1]), vectors_of([1], width=6))
    with pytest.raises(StoreError, match=r"width 7 .* width 6"):
        shelf.put(keys_of([2]), vectors_of([2], width=7))


def test_many_puts_leave_few_segments(shelf):
    for number in range(MANY + 10):
        shelf.put(keys_of([number]), vectors_of([number]))
    assert len(shelf.refresh()) < MANY
    np.testing.assert_array_equal(shelf.get(keys_of(range(MANY + 10))), vectors_of(range(MANY + 10)))


def test_compaction_leaves_one_segment_with_the_same_vectors(store, shelf):
    for start in range(0, 50, 10):
        shelf.put(keys_of(range(start, start + 10)), vectors_of(range(start, start + 10)))
    reader = Store(store.path).shelf(MODEL, "image")
    reader.missing(keys_of([0]))
    (done,) = Store(store.path).compact()
    assert (done.segments_before, done.segments_after, done.vectors) == (5, 1, 50)
    assert len(list((shelf.folder / "segments").iterdir())) == 1
    np.testing.assert_array_equal(reader.get(keys_of(range(50))), vectors_of(range(50)))  # from files that are gone
    assert not reader.missing(keys_of(range(50))).any()
    assert store.verify().damaged == ()


COMPACT_ON_AND_ON = """
import sys
from pathlib import Path
from eyechart.store import Store
from tests.store.test_shelf import MODEL, keys_of, vectors_of
shelf = Store(Path(sys.argv[1])).shelf(MODEL, "image")
for number in range(1000, 100000):
    shelf.put(keys_of([number]), vectors_of([number]))
    if number % 4 == 0:
        shelf.compact()
"""


@pytest.mark.slow
def test_readers_never_miss_a_vector_while_another_process_compacts(store, shelf):
    for number in range(20):
        shelf.put(keys_of([number]), vectors_of([number]))
    process = subprocess.Popen([sys.executable, "-c", COMPACT_ON_AND_ON, str(store.path)], cwd=ROOT)
    try:
        wanted, swaps, seen = keys_of(range(20)), 0, set()
        end = time.monotonic() + 20
        while swaps < 25 and time.monotonic() < end:
            reader = Store(store.path).shelf(MODEL, "image")
            assert not reader.missing(wanted).any()
            np.testing.assert_array_equal(reader.get(wanted), vectors_of(range(20)))
            assert not shelf.missing(wanted).any()
            names = frozenset(segment.path.name for segment in reader.refresh())
            swaps += names not in seen
            seen.add(names)
    finally:
        running = process.poll() is None
        process.kill()
        process.wait()
    assert swaps >= 25 and running


def test_a_claim_keeps_others_out_until_it_is_given_back(store, shelf):
    other = Store(store.path).shelf(MODEL, "image")
    with shelf.claim(3, wait=False) as mine:
        assert mine
        with other.claim(3, wait=False) as theirs, other.claim(4, wait=False) as another:
            assert (theirs, another) == (False, True)
    with other.claim(3, wait=False) as theirs:
        assert theirs


def test_a_waiting_claim_is_given_when_the_holder_lets_go(store, shelf):
    order = []
    entered = threading.Event()

    def wait_for_it():
        entered.set()
        with Store(store.path).shelf(MODEL, "image").claim(0, wait=True) as held:
            order.append(("second", held))

    with shelf.claim(0, wait=True):
        thread = threading.Thread(target=wait_for_it)
        thread.start()
        entered.wait()
        time.sleep(0.1)
        order.append(("first", True))
    thread.join(5)
    assert order == [("first", True), ("second", True)]


def test_notes_are_kept_and_seen_by_others(store, shelf):
    one, two, three = keys_of([1, 2, 3])
    other = Store(store.path).shelf(MODEL, "image")
    assert other.notes("broken", [one]) == {}
    shelf.put_notes("broken", {one: "truncated", two: "ein Käse"})
    assert other.notes("broken", [one, two, three]) == {one: "truncated", two: "ein Käse"}
    assert other.notes("cut", [one]) == {}


def test_a_million_keys_are_indexed_and_found_within_a_second(tmp_path):
    shelf = Store(tmp_path).shelf(MODEL, "image")
    raw = np.random.default_rng(0).bytes(32 * 1_000_000)
    keys = [raw[at : at + 32] for at in range(0, len(raw), 32)]
    shelf.put(keys, np.arange(1_000_000, dtype=np.float32)[:, None])
    fresh = Store(tmp_path).shelf(MODEL, "image")
    fresh.refresh()
    some = list(range(1, 1_000_000, 997))
    np.testing.assert_array_equal(fresh.get([keys[i] for i in some])[:, 0], some)


def damage(path, at, to=None):
    content = bytearray(path.read_bytes())
    content[at : at + 1] = bytes([content[at] ^ 0x10]) if to is None else to
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("seed", range(4))
def test_a_flipped_bit_never_gives_other_vectors(tmp_path, seed):
    """Fifty flips anywhere in a segment: the same vectors, or they are missing, set aside and reported."""
    rng = np.random.default_rng(seed)
    store = Store(tmp_path / "store")
    shelf = store.shelf(MODEL, "image")
    shelf.put(keys_of(range(40)), vectors_of(range(40)))
    (path,) = shelf.segment_folder.iterdir()
    whole = path.read_bytes()
    outcomes = {"missing": 0, "same": 0}
    for at in rng.integers(0, len(whole), 50):
        path.write_bytes(whole)
        damage(path, int(at), bytes([whole[at] ^ (1 << int(rng.integers(8)))]))
        again = Store(store.path)
        found = again.shelf(MODEL, "image")
        missing = found.missing(keys_of(range(40)))
        if missing.any():
            assert missing.all() and len(again.notices) == 1 and "set aside" in str(again.notices[0])
            outcomes["missing"] += 1
        else:
            np.testing.assert_array_equal(found.get(keys_of(range(40))), vectors_of(range(40)))
            outcomes["same"] += 1
    assert outcomes["missing"] > 30


def test_damaged_vectors_are_encoded_again(store, shelf):
    shelf.put(keys_of([1, 2]), np.full((2, 4), 1234.5, dtype=np.float32))
    (path,) = shelf.segment_folder.iterdir()
    damage(path, path.read_bytes().index(np.float32(1234.5).tobytes()))
    again = Store(store.path)
    found = again.shelf(MODEL, "image")
    assert found.missing(keys_of([1, 2])).all()
    assert "checksum" in str(again.notices[0]) and "set aside" in str(again.notices[0])
    found.put(keys_of([1, 2]), np.full((2, 4), 1234.5, dtype=np.float32))
    np.testing.assert_array_equal(found.get(keys_of([1, 2])), np.full((2, 4), 1234.5))
    assert not again.verify().damaged


def test_a_reader_that_asks_for_no_missing_keys_is_told_of_damage(store, shelf):
    shelf.put(keys_of([1]), np.full((1, 4), 1234.5, dtype=np.float32))
    (path,) = shelf.segment_folder.iterdir()
    damage(path, path.read_bytes().index(np.float32(1234.5).tobytes()))
    with pytest.raises(StoreError, match=r"checksum.*run this again"):
        Store(store.path).shelf(MODEL, "image").get(keys_of([1]))


def test_a_segment_of_an_earlier_version_is_checked_by_its_hash(store, shelf, monkeypatch):
    import pyarrow as pa

    write = pa.RecordBatchFileWriter.write_batch
    monkeypatch.setattr(pa.RecordBatchFileWriter, "write_batch", lambda self, batch, custom_metadata=None: write(self, batch))
    shelf.put(keys_of([1]), np.full((1, 4), 1234.5, dtype=np.float32))
    monkeypatch.undo()
    sound = Store(store.path).shelf(MODEL, "image")
    assert sound.refresh()[0].blocks[0].checksum is None
    assert not sound.missing(keys_of([1])).any()
    (path,) = shelf.segment_folder.iterdir()
    damage(path, path.read_bytes().index(np.float32(1234.5).tobytes()))
    assert Store(store.path).shelf(MODEL, "image").missing(keys_of([1])).all()


def test_a_segment_that_is_cut_while_in_use_is_reported(store, shelf):
    shelf.put(keys_of(range(4000)), vectors_of(range(4000)))
    again = Store(store.path).shelf(MODEL, "image")
    again.get(keys_of([1]))
    (path,) = shelf.segment_folder.iterdir()
    with path.open("r+b") as file:
        file.truncate(5000)
    with pytest.raises(StoreError, match="cut from"):
        again.get(keys_of(range(4000)))


def test_compaction_does_not_give_damaged_vectors_a_new_checksum(store, shelf):
    for number in range(3):
        shelf.put(keys_of([number]), np.full((1, 4), 1000.5 + number, dtype=np.float32))
    for path in shelf.segment_folder.iterdir():
        if np.float32(1001.5).tobytes() in path.read_bytes():
            damage(path, path.read_bytes().index(np.float32(1001.5).tobytes()))
    again = Store(store.path)
    again.compact()
    assert again.shelf(MODEL, "image").missing(keys_of(range(3))).tolist() == [False, True, False]
    assert len(again.notices) == 1


def test_vectors_whose_squares_overflow_are_sound(shelf):
    shelf.put(keys_of([1, 2]), np.array([[1e30, 1], [1e-30, 0]], dtype=np.float32))
    np.testing.assert_array_equal(shelf.get(keys_of([1, 2])), np.array([[1e30, 1], [1e-30, 0]], dtype=np.float32))
