import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from eyechart.store import Store
from eyechart.store.epoch import begin_new

MODEL, OTHER = "ab" * 32, "cd" * 32
KEYS = [bytes([number]) * 32 for number in range(1, 5)]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    for model in (MODEL, OTHER):
        store.shelf(model, "image").put(KEYS, np.ones((4, 3), np.float32))
    return store


def damage(store):
    (path,) = (store.path / "models" / MODEL / "image" / "segments").iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def generations(store):
    """Read anew, as the next process would."""
    fresh = Store(store.path)
    return fresh.epoch(MODEL), fresh.epoch(OTHER)


def test_it_starts_at_0_and_stays_while_vectors_are_added(store):
    store.shelf(MODEL, "image").put([b"\x09" * 32], np.ones((1, 3), np.float32))
    store.compact()
    store.verify(repair=True)
    assert generations(store) == (0, 0)


def test_it_rises_when_verifying_sets_a_segment_aside(store):
    damage(store)
    store.verify()
    assert generations(store) == (0, 0)
    store.verify(repair=True)
    assert generations(store) == (1, 0)


def test_it_rises_when_a_damaged_segment_is_met(store):
    damage(store).write_bytes(b"no segment at all")
    shelf = Store(store.path).shelf(MODEL, "image")
    assert shelf.missing(KEYS).all()
    assert shelf.epoch == 1 and generations(store) == (1, 0)


def test_it_rises_when_damaged_notes_are_met(store):
    store.shelf(MODEL, "image").put_notes("broken", {KEYS[0]: "truncated"})
    (path,) = (store.path / "models" / MODEL / "image" / "notes").rglob("*.json")
    path.write_text(json.dumps({}))
    Store(store.path).shelf(MODEL, "image").notes("broken", KEYS)
    assert generations(store) == (1, 0)


@pytest.mark.parametrize("forget", [lambda store: Store(store.path, rehash=True), lambda store: store.verify(repair=True)])
def test_it_rises_when_broken_pictures_get_another_chance(store, forget):
    store.shelf(MODEL, "image").put_notes("broken", {KEYS[0]: "truncated"})
    forget(store)
    assert generations(store) == (1, 0)


def test_it_outlives_what_gc_removes(store):
    store.gc(models=[MODEL], dry_run=True)
    assert generations(store) == (0, 0)
    store.gc(models=[MODEL])
    assert not (store.path / "models" / MODEL).exists()
    assert generations(store) == (1, 0)


def test_it_is_one_number_for_all_shelves_of_a_model(store):
    damage(store)
    store.verify(repair=True)
    assert store.shelf(MODEL, "text").epoch == store.shelf(MODEL, "image").epoch == 1


def test_none_is_lost_when_several_raise_it_at_once(store):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: begin_new(store.path, MODEL), range(40)))
    assert generations(store) == (40, 0)
