from hypothesis import given
from hypothesis import strategies as st

from eyechart.encode.partitions import partition
from eyechart.encode.shelf import CLAIMS

KEYS = st.sets(st.binary(min_size=2, max_size=2), max_size=400).map(lambda keys: sorted(key + bytes(30) for key in keys))


@given(KEYS, st.integers(1, 12))
def test_every_key_is_in_exactly_one_batch_in_order(keys, batch_size):
    batches = [batch for share in partition(keys, batch_size) for batch in share.batches]
    assert [key for batch in batches for key in batch] == keys
    assert all(0 < len(batch) <= batch_size for batch in batches)


@given(KEYS, st.integers(1, 12))
def test_the_shards_of_a_share_follow_from_the_key_alone(keys, batch_size):
    for share in partition(keys, batch_size):
        assert all(key[0] * CLAIMS // 256 in share.claims for batch in share.batches for key in batch)


def test_few_pictures_are_one_share_of_full_batches():
    keys = sorted(bytes([i]) + bytes(31) for i in range(0, 256, 4))
    (share,) = partition(keys, 32)
    assert [len(batch) for batch in share.batches] == [32, 32]
    assert share.claims == range(CLAIMS)


def test_many_pictures_are_cut_into_all_shards():
    keys = sorted(bytes([i, j]) + bytes(30) for i in range(256) for j in range(4))
    shares = partition(keys, 16)
    assert [share.claims for share in shares] == [range(i, i + 1) for i in range(CLAIMS)]
    assert all(len(share.batches) == 4 for share in shares)
