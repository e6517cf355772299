import numpy as np
import pytest
from tests.encode.tiny import PROJECTION, TinyEncoder, logged

from eyechart.encode.gather import gather
from eyechart.encode.keys import text_key
from eyechart.encode.local import LocalEngine
from eyechart.errors import ModelError
from eyechart.progress import SilentProgress
from eyechart.store import Store

QUIET = SilentProgress()


@pytest.fixture
def shelf(tmp_path):
    return Store(tmp_path / "store").shelf(TinyEncoder.fingerprint, "text")


def test_every_text_gets_the_vector_of_the_network(shelf):
    report = LocalEngine().encode_texts(TinyEncoder(), ["dog", "cat", "dog"], shelf, progress=QUIET)
    assert (report.wanted, report.encoded, report.truncated) == (2, 2, ())
    expected = np.resize(np.frombuffer(b"dog", dtype=np.uint8), 192).astype(np.float32) @ PROJECTION
    np.testing.assert_allclose(gather(shelf, [text_key("dog")])[0], expected, rtol=1e-6)


def test_texts_are_encoded_in_sorted_order(shelf, tmp_path):
    LocalEngine().encode_texts(TinyEncoder(tmp_path / "log"), ["b", "ab", "aa"], shelf, progress=QUIET)
    assert logged(tmp_path / "log") == [["aa", "ab", "b"]]


def test_only_new_texts_are_encoded(shelf, tmp_path):
    LocalEngine().encode_texts(TinyEncoder(), ["a", "b"], shelf, progress=QUIET)
    report = LocalEngine().encode_texts(TinyEncoder(tmp_path / "log"), ["a", "b", "c"], shelf, progress=QUIET)
    assert report.encoded == 1 and logged(tmp_path / "log") == [["c"]]


def test_cut_texts_are_named_also_when_nothing_is_encoded_or_tokenised(shelf):
    long = "a text beyond the context"
    first = LocalEngine().encode_texts(TinyEncoder(), [long, "short"], shelf, progress=QUIET)
    second_encoder = TinyEncoder()
    second = LocalEngine().encode_texts(second_encoder, ["short", long], shelf, progress=QUIET)
    assert first.truncated == second.truncated == (long,)
    assert second_encoder.tokenized == 0


def test_no_texts_are_no_work(shelf):
    assert LocalEngine().encode_texts(TinyEncoder(), [], shelf, progress=QUIET).wanted == 0


def test_a_text_without_a_vector_is_named(shelf):
    class Broken(TinyEncoder):
        def encode_texts(self, ids):
            vectors = super().encode_texts(ids)
            vectors[1] = np.inf
            return vectors

    with pytest.raises(ModelError, match=r"text 'b': the model's vector is infinite"):
        LocalEngine().encode_texts(Broken(), ["a", "b"], shelf, progress=QUIET)
    assert shelf.missing([text_key("b")]).all()
