"""Kept replies: found again by key, safe for several processes, damaged ones asked for again."""

import json
import multiprocessing
import sqlite3
from contextlib import closing

import pytest

from eyechart.store.answers import FILE, KeptAnswers, answer_key
from eyechart.store.store import Store

KEY = answer_key(b"p" * 32, "decoding", "question")


def kept(folder, **more):
    return KeptAnswers(folder / "models" / "ab" / "answers", folder, [], **more)


def test_a_reply_is_found_again_by_another_process(tmp_path):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(_keep, (tmp_path,))
    with closing(kept(tmp_path)) as again:
        assert again.find([KEY, b"x" * 32]) == {KEY: {"text": "a dog, “ß”"}} and len(again) == 1


def _keep(folder):
    with closing(kept(folder)) as writing:
        writing.keep(KEY, b"p" * 32, "question", {"text": "a dog, “ß”"})


def test_the_key_depends_on_every_part():
    keys = {KEY, answer_key(b"q" * 32, "decoding", "question"), answer_key(b"p" * 32, "decodingquestion", "")}
    assert len(keys | {answer_key(b"p" * 32, "decoding", "question "), answer_key(b"p" * 32, "question", "decoding")}) == 5


def test_more_keys_than_one_query_holds(tmp_path):
    with closing(kept(tmp_path)) as store:
        keys = [answer_key(b"p", str(i)) for i in range(1203)]
        for i, key in enumerate(keys):
            store.keep(key, b"p", "q", i)
        assert store.find(keys) == dict(zip(keys, range(1203), strict=True))


def test_a_damaged_file_is_set_aside_and_a_damaged_row_is_asked_again(tmp_path):
    _keep(tmp_path)
    path = tmp_path / "models" / "ab" / "answers" / FILE
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE replies SET reply = '{broken'")
    with closing(kept(tmp_path)) as again:
        assert again.find([KEY]) == {}
    path.write_bytes(b"not a database, not a database, not a database" * 100)
    with closing(kept(tmp_path)) as again:
        assert again.find([KEY]) == {}
        again.keep(KEY, b"p", "q", 1)
        assert again.find([KEY]) == {KEY: 1}
    assert list((tmp_path / "damaged").rglob(f"{FILE}.*"))


def test_read_only_creates_nothing_and_reads_what_is_there(tmp_path):
    with closing(kept(tmp_path, read_only=True)) as nothing:
        assert nothing.find([KEY]) == {} and len(nothing) == 0
    assert list(tmp_path.iterdir()) == []
    _keep(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with closing(kept(tmp_path, read_only=True)) as reading:
        assert reading.find([KEY]) == {KEY: {"text": "a dog, “ß”"}}
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_the_store_lists_replies_and_removes_them_with_their_model(tmp_path):
    with closing(Store(tmp_path)) as store:
        store.answers("abcdef0123").keep(KEY, b"p", "q", 1)
        store.remember_facts("abcdef0123", {"spec": "chat:here#it"})
    with closing(Store(tmp_path)) as store:
        (row,) = store.ls()
        assert (row.spec, row.role, row.vectors) == ("chat:here#it", "answers", 1) and row.bytes > 0
        store.gc(models=["chat:here#it"])
        assert store.ls() == [] and store.answers("abcdef0123").find([KEY]) == {}


@pytest.mark.parametrize("column", ["reply", "question", "picture", "checksum"])
def test_a_reply_that_changed_on_the_disk_is_never_used(tmp_path, column):
    """One letter is another one, and the row is still valid JSON."""
    other = answer_key(b"p" * 32, "decoding", "another question")
    with closing(Store(tmp_path)) as store:
        for key in (KEY, other):
            store.answers("abcdef0123").keep(key, b"p" * 32, "which?", {"text": "shirt"})
    (path,) = tmp_path.rglob(FILE)
    changed = {"reply": json.dumps({"text": "skirt"}), "question": "whicj?", "picture": b"q" * 32, "checksum": b"0" * 32}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE replies SET {column} = ? WHERE key = ?", (changed[column], KEY))
    with closing(Store(tmp_path)) as store:
        assert store.answers("abcdef0123").find([KEY, other]) == {other: {"text": "shirt"}}
        assert [n.what for n in store.notices] == ["1 kept reply changed on the disk"]
    with closing(Store(tmp_path)) as store:
        found = store.verify(repair=False)
        assert (found.replies, [d.reason for d in found.damaged]) == (1, ["1 reply changed on the disk"])
        assert store.verify(repair=True).damaged and not store.verify(repair=True).damaged


def test_verify_sets_a_table_of_replies_aside_that_cannot_be_read(tmp_path):
    with closing(Store(tmp_path)) as store:
        store.answers("abcdef0123").keep(KEY, b"p", "q", 1)
    (path,) = tmp_path.rglob(FILE)
    path.write_bytes(b"no table at all, no table at all" * 200)
    with closing(Store(tmp_path)) as store:
        assert store.verify(repair=True).damaged[0].set_aside and not path.exists()
        assert list((tmp_path / "damaged").rglob(f"{FILE}*"))
