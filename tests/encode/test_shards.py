import hashlib
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encode.tiny import TinyEncoder, drawn, drawn_dataset, key_of, logged, vector_of

from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.keys import picture_keys
from eyechart.encode.partitions import partition
from eyechart.encode.shards import Shard, encode_shard, part_of, plan_shards, shard_size, split_rows
from eyechart.errors import UsageError
from eyechart.files.hashing import HashMemory
from eyechart.progress import SilentProgress
from eyechart.store import Store

FINGERPRINT = TinyEncoder.fingerprint


@pytest.fixture
def shelf(tmp_path):
    return Store(tmp_path / "store").shelf(FINGERPRINT, "image")


def encode(shelf, encoder, numbers, instead=None, *, keys=None):
    dataset = drawn_dataset(numbers, instead)
    found = picture_keys(dataset, HashMemory(), SilentProgress()).keys if keys is None else keys
    work = {item.key: item for item in work_of(dataset, found)}
    shard = Shard(FINGERPRINT, "image-", tuple(sorted(work)))
    options = {"decode": Decoding().decode, "compute": None, "batch_size": 8, "workers": 2}
    return shard, encode_shard(encoder, shard, work, shelf, **options)


def test_the_id_is_a_hash_of_encoder_preprocessing_and_ordered_keys():
    keys = (bytes(32), bytes([1] * 32))
    by_hand = hashlib.sha256(b"ab\nimage-x\n" + keys[0] + keys[1]).hexdigest()
    assert Shard("ab", "image-x", keys).id == by_hand
    others = [
        Shard("ac", "image-x", keys),
        Shard("ab", "image-y", keys),
        Shard("ab", "image-x", keys[::-1]),
        Shard("ab", "image-x", keys[:1]),
    ]
    assert len({by_hand, *(other.id for other in others)}) == 5


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 12))
def test_every_row_is_in_exactly_one_part_and_shards_are_bounded(rows, size, parts):
    ranges = split_rows(rows, size)
    assert all(1 <= len(r) <= size for r in ranges)
    found = [part_of(ranges, part, parts) for part in range(parts)]
    assert [row for part in found for r in part for row in r] == list(range(rows))
    assert max(map(len, found)) - min(map(len, found)) <= 1


@given(st.integers(0, 300), st.integers(1, 60), st.integers(1, 20))
def test_planned_shards_hold_every_key_once_in_the_batches_of_one_process(count, size, batch_size):
    keys = sorted(hashlib.sha256(bytes([n % 256, n // 256])).digest() for n in range(count))
    shards = plan_shards(keys, "ab", "image", size, batch_size)
    assert [key for shard in shards for key in shard.keys] == keys
    assert all(1 <= len(shard.keys) <= max(size, batch_size) for shard in shards)
    batches = [shard.keys[at : at + batch_size] for shard in shards for at in range(0, len(shard.keys), batch_size)]
    assert batches == [batch for share in partition(keys, batch_size) for batch in share.batches]


@pytest.mark.parametrize(("pictures", "size"), [(10, 1024), (10**6, 1024), (3 * 10**6, 3000), (10**8, 65536), (10**10, 65536)])
def test_the_size_of_a_shard_follows_from_the_number_of_pictures(pictures, size):
    assert shard_size(pictures) == size


@pytest.mark.parametrize(("part", "parts"), [(4, 4), (9, 4), (-1, 4), (0, 0)])
def test_a_part_that_is_not_there_is_refused(part, parts):
    with pytest.raises(UsageError, match="counted from 0"):
        part_of([], part, parts)


def test_a_shard_becomes_one_segment_with_the_networks_vectors(shelf):
    shard, result = encode(shelf, TinyEncoder(), range(20))
    (segment,) = shelf.segment_paths()
    assert segment.name == f"shard-{shard.id}.arrow" and (result.stored, result.encoded) == (20, 20)
    expected = np.stack([vector_of(n) for n in range(20)])
    np.testing.assert_allclose(shelf.get([key_of(n) for n in range(20)]), expected, rtol=1e-4, atol=1e-2)


def test_a_segment_that_exists_is_done(shelf, tmp_path):
    encode(shelf, TinyEncoder(), range(20))
    _, again = encode(shelf, TinyEncoder(tmp_path / "log"), range(20))
    assert again.encoded == 0 and not logged(tmp_path / "log")


def test_a_duplicate_is_harmless(shelf, tmp_path):
    shard, _ = encode(shelf, TinyEncoder(), range(5))
    before = shelf.segment_paths()[0].read_bytes()
    assert not shelf.put_shard(shard.id, shard.keys, np.ones((5, 16), np.float32))
    assert [path.read_bytes() for path in shelf.segment_paths()] == [before]


def test_the_manifest_lists_the_segment_with_its_hash(shelf):
    encode(shelf, TinyEncoder(), range(5))
    (segment,) = shelf.segment_paths()
    (entry,) = (shelf.folder / "manifest").iterdir()
    content = json.loads(entry.read_text())
    assert content["segment"] == segment.name and content["rows"] == 5
    assert content["sha256"] == hashlib.sha256(segment.read_bytes()).hexdigest()


def test_a_broken_picture_is_noted_and_the_shard_is_done(shelf):
    _, result = encode(shelf, TinyEncoder(), range(6), {3: b"this is no picture"})
    assert (result.stored, result.encoded, result.unread) == (5, 5, {})
    assert list(shelf.notes("broken", [hashlib.sha256(b"this is no picture").digest()]).values()) != []


def test_a_picture_that_cannot_be_read_now_is_encoded_later(shelf):
    keys = [key_of(n) for n in range(6)]
    shard, result = encode(shelf, TinyEncoder(), range(6), {3: None}, keys=keys)
    assert list(result.unread) == [key_of(3)] and result.stored == 5
    assert not shelf.has_shard(shard.id)
    _, later = encode(shelf, TinyEncoder(), [3])
    assert later.encoded == 1 and not shelf.missing(keys).any()


def test_a_picture_that_changed_is_not_stored_under_its_old_key(shelf):
    _, result = encode(shelf, TinyEncoder(), range(3), {1: drawn(99)}, keys=[key_of(n) for n in range(3)])
    assert "--rehash" in result.unread[key_of(1)] and shelf.missing([key_of(1)]).all()


def test_a_shard_of_broken_pictures_only_has_no_segment_and_is_not_tried_again(shelf):
    _, result = encode(shelf, TinyEncoder(), [1, 2], {1: b"one", 2: b"two"})
    assert result.stored == 0 and shelf.segment_paths() == []
    assert len(shelf.notes("broken", [hashlib.sha256(b).digest() for b in (b"one", b"two")])) == 2


def test_segments_of_shards_are_verified_and_merged_like_others(shelf, tmp_path):
    for start in (0, 10):
        encode(shelf, TinyEncoder(), range(start, start + 10))
    shelf.put([key_of(50)], vector_of(50)[None])
    store = Store(tmp_path / "store")
    assert store.verify().damaged == () and store.verify().vectors == 21
    store.compact()
    assert [path.name.startswith("shard-") for path in shelf.segment_paths()] == [False]
    newest = [json.loads(path.read_text()) for path in (shelf.folder / "manifest").iterdir()]
    (merged,) = [entry for entry in newest if entry["replaces"]]
    assert merged["rows"] == 21 and len(merged["replaces"]) == 3
    expected = np.stack([vector_of(n) for n in range(20)])
    np.testing.assert_allclose(shelf.get([key_of(n) for n in range(20)]), expected, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_flipped_bit_in_a_segment_of_a_shard_is_noticed(shelf, tmp_path, recorded):
    encode(shelf, TinyEncoder(), range(10))
    (segment,) = shelf.segment_paths()
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)
    if not recorded:
        next((shelf.folder / "manifest").iterdir()).unlink()
    assert len(Store(tmp_path / "store").verify().damaged) == 1


def test_the_manifest_notices_a_change_outside_the_blocks(shelf, tmp_path):
    encode(shelf, TinyEncoder(), range(10))
    (segment,) = shelf.segment_paths()
    content = segment.read_bytes()
    *_, time = re.finditer(rb"[0-9]{19}", content)  # in nanoseconds, in the footer
    segment.write_bytes(
        content[: time.start() + 9] + b"%d" % (1 - (content[time.start() + 9] == 49)) + content[time.start() + 10 :]
    )
    (damage,) = Store(tmp_path / "store").verify().damaged
    assert "the hash in the manifest" in damage.reason


def test_verification_adds_the_record_that_a_killed_worker_did_not_write(shelf, tmp_path):
    encode(shelf, TinyEncoder(), range(10))
    (record,) = (shelf.folder / "manifest").iterdir()
    before = json.loads(record.read_text())
    record.unlink()
    assert Store(tmp_path / "store").verify(repair=True).damaged == ()
    assert json.loads(record.read_text()) == {**before, "host": "unknown"}
