import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from eyechart.errors import StoreError
from eyechart.files.hashing import identity_of
from eyechart.files.locations import default_store_path
from eyechart.store import Store

MODEL, OTHER = "ab" * 32, "cd" * 32
ROOT = Path(__file__).resolve().parents[2]


def keys_of(numbers):
    return [bytes([number]) * 32 for number in numbers]


def vectors_of(numbers):
    return np.array([[number, number + 0.5] for number in numbers], dtype=np.float32)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    shelf = store.shelf(MODEL, "image")
    for start in (0, 10):
        shelf.put(keys_of(range(start, start + 10)), vectors_of(range(start, start + 10)))
    return store


def segments(store):
    return sorted((store.path / "models" / MODEL / "image" / "segments").glob("*.arrow"))


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def last_number(path):
    """Where the last vector of a segment is in its file."""
    return path.read_bytes().rfind(np.float32(9.5).tobytes())


def test_a_whole_store_verifies(store):
    done = store.verify()
    assert (done.segments, done.vectors, done.damaged) == (2, 20, ())


def test_a_flipped_bit_is_found_set_aside_and_encoded_again(store):
    (path,) = [path for path in segments(store) if last_number(path) > 0]
    flip(path, last_number(path))
    looked = Store(store.path).verify()
    assert [(d.path, d.set_aside) for d in looked.damaged] == [(str(path), False)] and path.exists()
    mended = Store(store.path).verify(repair=True)
    assert [d.set_aside for d in mended.damaged] == [True] and not path.exists()
    assert any(file.name.startswith(path.name) for file in (store.path / "damaged").rglob("*.arrow.*"))
    fresh = Store(store.path)
    missing = fresh.shelf(MODEL, "image").missing(keys_of(range(20)))
    assert missing.tolist() == [True] * 10 + [False] * 10
    fresh.shelf(MODEL, "image").put(keys_of(range(10)), vectors_of(range(10)))
    assert fresh.verify().vectors == 20 and fresh.verify().damaged == ()


@pytest.mark.parametrize("content", [b"", b"garbage" * 100, None], ids=["empty", "garbage", "cut in half"])
def test_a_ruined_segment_is_set_aside_when_it_is_met(store, content):
    path = segments(store)[0]
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if content is None else content)
    fresh = Store(store.path)
    assert fresh.shelf(MODEL, "image").missing(keys_of(range(20))).sum() == 10
    (notice,) = fresh.notices
    assert notice.where == str(path) and "damaged" in notice.remedy
    assert not path.exists()


def test_every_cut_of_a_segment_is_noticed(store, tmp_path):
    """At whatever byte a file is cut, opening it sets it aside or verifying it finds it: never a crash, never a wrong vector."""
    path = segments(store)[0]
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        fresh = Store(store.path)
        missing = fresh.shelf(MODEL, "image").missing(keys_of(range(20)))
        assert missing.sum() == 10 or fresh.verify().damaged


def test_a_segment_of_another_shelf_is_not_believed(store):
    stray = store.path / "models" / OTHER / "image" / "segments"
    stray.mkdir(parents=True)
    (stray / segments(store)[0].name).write_bytes(segments(store)[0].read_bytes())
    assert Store(store.path).shelf(OTHER, "image").missing(keys_of(range(20))).all()


def test_numbers_that_are_not_finite_are_found(tmp_path):
    store = Store(tmp_path)
    store.shelf(MODEL, "image").put(keys_of([1, 2]), np.array([[1, 2], [np.nan, 0]], dtype=np.float32))
    assert "not finite" in store.verify().damaged[0].reason


def test_ls_tells_what_is_there(store):
    store.remember_facts(MODEL, {"spec": "onnx:model", "width": 2})
    (row,) = Store(store.path).ls()
    assert (row.fingerprint, row.spec, row.role, row.vectors, row.width, row.segments) == (MODEL, "onnx:model", "image", 20, 2, 2)
    assert row.bytes == sum(path.stat().st_size for path in segments(store))
    assert abs(row.last_used - time.time()) < 60


def test_facts_are_remembered_and_added_to(store):
    assert store.facts(OTHER) is None
    store.remember_facts(MODEL, {"logit_scale": 100.00000381, "spec": "a"})
    store.remember_facts(MODEL, {"bias": -16.5, "spec": "b"})
    assert Store(store.path).facts(MODEL) == {"logit_scale": 100.00000381, "bias": -16.5, "spec": "b"}


def test_damaged_facts_are_set_aside(store):
    store.remember_facts(MODEL, {"width": 2})
    (store.path / "models" / MODEL / "facts.json").write_text('{"width": ')
    fresh = Store(store.path)
    assert fresh.facts(MODEL) is None and len(fresh.notices) == 1


def test_gc_removes_what_was_not_used_for_long(store):
    store.shelf(OTHER, "text").put(keys_of([1]), vectors_of([1]))
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(store.path / "models" / MODEL / "image" / "used", (long_ago, long_ago))
    fresh = Store(store.path)
    would = fresh.gc(keep_days=30, dry_run=True)
    assert [row.fingerprint for row in would.shelves] == [MODEL] and len(fresh.ls()) == 2
    assert [row.fingerprint for row in fresh.gc(keep_days=30).shelves] == [MODEL]
    assert [row.fingerprint for row in fresh.ls()] == [OTHER]


def test_gc_of_a_model_by_name_or_beginning_of_its_fingerprint(store):
    store.remember_facts(MODEL, {"spec": "onnx:model"})
    store.shelf(OTHER, "text").put(keys_of([1]), vectors_of([1]))
    assert len(store.gc(models=["onnx:model"]).shelves) == 1
    assert len(store.gc(models=[OTHER[:12]]).shelves) == 1
    assert store.ls() == [] and store.facts(MODEL) is None


def test_gc_of_an_unknown_model_names_the_nearest(store):
    store.remember_facts(MODEL, {"spec": "onnx:model"})
    with pytest.raises(StoreError, match="did you mean 'onnx:model'"):
        store.gc(models=["onnx:modle"])


def test_gc_leaves_a_shelf_that_is_being_written_to(store):
    with store.shelf(MODEL, "image").claim(5, wait=False):
        done = Store(store.path).gc(models=[MODEL])
    assert done.shelves == () and [row.fingerprint for row in done.in_use] == [MODEL]


def test_a_removed_shelf_can_be_written_to_again(store):
    shelf = store.shelf(MODEL, "image")
    Store(store.path).gc(models=[MODEL])
    assert shelf.missing(keys_of([1])).all()
    shelf.put(keys_of([1]), vectors_of([1]))
    assert Store(store.path).verify().vectors == 1


def test_gc_keeps_the_facts_of_a_model_that_has_no_vectors_yet(store):
    store.remember_facts(OTHER, {"width": 2})
    store.gc(keep_days=0)
    assert store.ls() == [] and store.facts(OTHER) == {"width": 2}


def test_folders_of_others_are_left_alone(store):
    (store.path / "models" / MODEL / ".hidden folder").mkdir()
    (store.path / "models" / "notes.txt").write_text("mine")
    assert len(store.ls()) == 1
    store.gc(keep_days=30)


def test_gc_takes_drafts_of_dead_processes_only(store):
    folder = store.path / "models" / MODEL / "image" / "segments"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead, alive, elsewhere, old = (
        folder / f"{host}~{pid}~{name}.tmp"
        for host, pid, name in [
            (socket.gethostname(), gone.pid, "a"),
            (socket.gethostname(), os.getpid(), "b"),
            ("other-host", 1, "c"),
            ("other-host", 1, "d"),
        ]
    )
    for path in (dead, alive, elsewhere, old):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    assert sorted(store.gc().leftovers) == sorted([str(dead), str(old)])
    assert alive.exists() and elsewhere.exists() and not dead.exists() and not old.exists()


def test_repair_forgets_broken_pictures_and_nothing_else(store):
    shelf = store.shelf(MODEL, "image")
    shelf.put_notes("broken", {keys_of([1])[0]: "truncated"})
    shelf.put_notes("cut", {keys_of([2])[0]: "cut"})
    store.verify(repair=True)
    assert shelf.notes("broken", keys_of([1])) == {} and len(shelf.notes("cut", keys_of([2]))) == 1


def test_damaged_notes_are_set_aside(store):
    store.shelf(MODEL, "image").put_notes("broken", {keys_of([1])[0]: "truncated"})
    (path,) = (store.path / "models" / MODEL / "image" / "notes").rglob("*.json")
    flip(path, 80)
    assert len(store.verify().damaged) == 1
    fresh = Store(store.path)
    assert fresh.shelf(MODEL, "image").notes("broken", keys_of([1])) == {} and len(fresh.notices) == 1


def test_rehash_forgets_hashes(store, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"one")
    planted = b"p" * 32  # no content has this hash, so it can only come from memory
    store.hashes.remember([(identity_of(file), planted)])
    assert Store(store.path).hashes.file(file) == planted.hex()
    assert Store(store.path, rehash=True).hashes.file(file) == hashlib.sha256(b"one").hexdigest()


def test_a_ruined_table_of_hashes_is_set_aside(store, tmp_path):
    (store.path / "hashes.sqlite").write_bytes(b"this is no database" * 1000)
    (tmp_path / "file").write_bytes(b"one")
    assert len(store.hashes.file(tmp_path / "file")) == 64
    assert len(store.notices) == 1


def test_a_store_of_a_later_format_is_refused(tmp_path):
    (tmp_path / "format.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(StoreError, match=r"format 99.*update eyechart"):
        Store(tmp_path)


def test_a_disk_that_takes_no_more_is_named_and_nothing_half_is_left(tmp_path):
    """A limit on the size of files stands in for a full disk: both end a write half-way."""
    program = f"""
import resource, sys
import numpy as np
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from eyechart.store import Store
from eyechart.errors import StoreError
shelf = Store(Path({str(tmp_path)!r})).shelf("ab" * 32, "image")
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    shelf.put([bytes([i]) * 32 for i in range(200)], np.ones((200, 256), dtype=np.float32))
except StoreError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert str(tmp_path) in run.stdout and "EYECHART_STORE" in run.stdout
    assert list(tmp_path.rglob("segments/*")) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux shows them")
def test_open_segments_need_no_open_files(tmp_path):
    shelf = Store(tmp_path).shelf(MODEL, "image")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(40):
        shelf.put(keys_of([number]), vectors_of([number]))
    assert len(shelf.refresh()) == 40
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_the_place_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "mine"))
    assert default_store_path() == tmp_path / "mine"
    monkeypatch.delenv("EYECHART_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if sys.platform == "linux":
        assert default_store_path() == tmp_path / "cache" / "eyechart" / "store"
