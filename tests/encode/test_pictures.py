import numpy as np
import pytest
from tests.encode.tiny import TinyEncoder, drawn, drawn_dataset, key_of, logged, vector_of

from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.gather import gather
from eyechart.encode.keys import picture_keys
from eyechart.encode.local import LocalEngine
from eyechart.errors import ModelError, StoreError
from eyechart.files.hashing import HashMemory
from eyechart.progress import SilentProgress
from eyechart.store import Store

QUIET = SilentProgress()
DECODE = Decoding().decode


def encode(store, encoder, datasets, batch_size=8, **more):
    works = [work for data in datasets for work in work_of(data, picture_keys(data, HashMemory(), QUIET).keys)]
    shelf = store.shelf(encoder.fingerprint, "image")
    engine = LocalEngine(batch_size=batch_size, workers=2)
    return shelf, engine.encode_pictures(encoder, works, shelf, decode=DECODE, progress=QUIET, **more)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_every_picture_gets_the_vector_of_the_network(store):
    shelf, report = encode(store, TinyEncoder(), [drawn_dataset(range(50))])
    assert (report.wanted, report.encoded, report.lost) == (50, 50, ())
    got = gather(shelf, [key_of(i) for i in range(50)])
    np.testing.assert_allclose(got, np.stack([vector_of(i) for i in range(50)]), rtol=1e-5, atol=1e-2)


def test_a_picture_in_two_datasets_is_encoded_once(store, tmp_path):
    log = tmp_path / "log"
    _, report = encode(store, TinyEncoder(log), [drawn_dataset(range(20)), drawn_dataset(range(10, 30))])
    assert report.encoded == 30
    assert sorted(int(n) for batch in logged(log) for n in batch) == list(range(30))


def test_only_what_is_missing_is_encoded(store, tmp_path):
    encode(store, TinyEncoder(), [drawn_dataset(range(20))])
    log = tmp_path / "log"
    _, report = encode(store, TinyEncoder(log), [drawn_dataset(range(25))])
    assert report.encoded == 5
    assert sorted(int(n) for batch in logged(log) for n in batch) == [20, 21, 22, 23, 24]


def test_a_finished_plan_touches_neither_network_nor_pictures(store):
    encode(store, TinyEncoder(), [drawn_dataset(range(20))])

    class Untouchable(TinyEncoder):
        def prepare(self, picture):
            raise AssertionError("prepared again")

        def encode_images(self, prepared):
            raise AssertionError("encoded again")

    _, report = encode(store, Untouchable(), [drawn_dataset(range(20))])
    assert report.encoded == 0


def test_batches_are_full_and_follow_sorted_keys(store, tmp_path):
    log = tmp_path / "log"
    encode(store, TinyEncoder(log), [drawn_dataset(range(40))], batch_size=16)
    by_key = sorted(range(40), key=key_of)
    assert logged(log) == [[str(n) for n in by_key[start : start + 16]] for start in (0, 16, 32)]


def test_a_broken_picture_is_set_aside_with_place_and_reason_and_the_rest_goes_on(store):
    data = drawn_dataset(range(20), {3: b"this is no picture", 5: drawn(5)[:100]})
    shelf, report = encode(store, TinyEncoder(), [data])
    assert sorted(lost.place for lost in report.lost) == ["drawn:3", "drawn:5"]
    assert all(lost.reason for lost in report.lost)
    assert report.encoded == 18
    assert not shelf.missing([key_of(i) for i in range(20) if i not in (3, 5)]).any()


def test_a_broken_picture_is_remembered_and_reported_again(store):
    data = drawn_dataset(range(5), {3: b"this is no picture"})
    _, first = encode(store, TinyEncoder(), [data])
    again = Store(store.path)
    shelf = again.shelf(TinyEncoder.fingerprint, "image")

    def never(data):
        raise AssertionError("decoded again")

    works = list(work_of(data, picture_keys(data, HashMemory(), QUIET).keys))
    second = LocalEngine().encode_pictures(TinyEncoder(), works, shelf, decode=never, progress=QUIET)
    assert second.encoded == 0
    assert second.lost == first.lost


def test_a_picture_with_a_vector_is_not_lost_whatever_was_said_of_it(store):
    store.shelf(TinyEncoder.fingerprint, "image").put_notes("broken", {key_of(2): "no plugin"})
    store.shelf(TinyEncoder.fingerprint, "image").put([key_of(2)], vector_of(2)[None])
    _, report = encode(store, TinyEncoder(), [drawn_dataset(range(3))])
    assert report.lost == ()


def test_rehash_gives_a_broken_picture_another_chance(store):
    data = drawn_dataset(range(5), {3: b"this is no picture"})
    encode(store, TinyEncoder(), [data])
    again = Store(store.path, rehash=True)
    works = list(work_of(data, picture_keys(data, HashMemory(), QUIET).keys))
    shelf = again.shelf(TinyEncoder.fingerprint, "image")
    tried = []

    def decode(data):
        tried.append(data)
        return DECODE(data)

    LocalEngine().encode_pictures(TinyEncoder(), works, shelf, decode=decode, progress=QUIET)
    assert tried == [b"this is no picture"]


@pytest.mark.parametrize(("fault", "word"), [({"nan_for": 4}, "NaN"), ({"zero_for": 4}, "zero")])
def test_a_vector_that_is_none_is_set_aside_not_kept(store, fault, word):
    shelf, report = encode(store, TinyEncoder(**fault), [drawn_dataset(range(10))])
    (lost,) = report.lost
    assert lost.place == "drawn:4" and word in lost.reason
    assert shelf.missing([key_of(4), key_of(5)]).tolist() == [True, False]


def test_a_picture_that_changed_since_it_was_hashed_is_not_kept_under_the_old_key(store):
    keys = picture_keys(drawn_dataset(range(3)), HashMemory(), QUIET).keys
    changed = drawn_dataset(range(3), {1: drawn(99)})
    shelf = store.shelf(TinyEncoder.fingerprint, "image")
    report = LocalEngine().encode_pictures(TinyEncoder(), work_of(changed, keys), shelf, decode=DECODE, progress=QUIET)
    assert [lost.place for lost in report.lost] == ["drawn:1"] and "--rehash" in report.lost[0].reason
    assert shelf.missing([key_of(1)]).all()
    _, later = encode(store, TinyEncoder(), [drawn_dataset(range(3))])
    assert (later.encoded, later.lost) == (1, ())


def test_all_pictures_of_a_set_may_be_broken(store):
    _, report = encode(store, TinyEncoder(), [drawn_dataset(range(3), dict.fromkeys(range(3), b"nothing"))])
    assert report.encoded == 0 and len(report.lost) == 1  # one content, one key


def test_another_output_of_the_network_can_be_asked_for(store):
    encoder = TinyEncoder()
    works = work_of(drawn_dataset(range(4)), [key_of(i) for i in range(4)])
    shelf = store.shelf(encoder.fingerprint, "scores")
    LocalEngine().encode_pictures(
        encoder, works, shelf, decode=DECODE, progress=QUIET, compute=lambda prepared: prepared.reshape(len(prepared), -1)[:, :5]
    )
    assert gather(shelf, [key_of(2)]).shape == (1, 5)


def test_a_network_that_gives_too_few_vectors_is_an_error(store):
    with pytest.raises(ModelError, match=r"tiny:pictures-and-texts.*shape \(2, 16\) for 3"):
        encode(store, TinyEncoder(), [drawn_dataset(range(3))], compute=lambda prepared: np.ones((2, 16), dtype=np.float32))


def test_what_is_complete_is_kept_when_the_network_fails(store):
    class Failing(TinyEncoder):
        calls = 0

        def encode_images(self, prepared):
            self.calls += 1
            if self.calls == 3:
                raise RuntimeError("out of memory")
            return super().encode_images(prepared)

    with pytest.raises(RuntimeError, match="out of memory"):
        encode(store, Failing(), [drawn_dataset(range(40))], batch_size=8)
    shelf = store.shelf(TinyEncoder.fingerprint, "image")
    assert (~shelf.missing([key_of(i) for i in range(40)])).sum() == 16


def test_a_store_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/store.*EYECHART_STORE"):
        Store(tmp_path / "file" / "store")
