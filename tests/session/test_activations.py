"""What a model gives besides vectors: computed from the pictures when a probe asks, and only then."""

import io

import numpy as np
import pytest
from PIL import Image
from tests.encode.tiny import TinyEncoder, drawn, drawn_dataset
from tests.witness import Witness

from eyechart.data.picture import Decoding
from eyechart.encode.activations import PictureLost
from eyechart.encode.local import LocalEngine
from eyechart.probes.contract import Answer, probe
from eyechart.probes.zero_shot import Settings
from eyechart.session.keyed_dataset import key_dataset
from eyechart.session.probe_tasks import unmet
from eyechart.session.session import Session


class SeesPatches(TinyEncoder):
    """Patches are the 2 × 2 quarters' mean colours, attention one head over two tokens, scores the mean of each channel."""

    def __init__(self):
        super().__init__()
        self.batches = []

    def patches(self, prepared):
        self.batches.append(len(prepared))
        return prepared.reshape(len(prepared), 2, 4, 2, 4, 3).mean(axis=(2, 4))

    def attention(self, prepared):
        return np.full((len(prepared), 1, 2, 2), 0.5, np.float32)

    def window(self, width, height):
        return 0.0, 0.0, width / 2, height / 2

    def class_scores(self, prepared):
        self.batches.append(len(prepared))
        return prepared.mean(axis=(1, 2))


def pixels(number):
    """The drawn picture as it is decoded, by hand: rows from the bottom up, blue first."""
    return np.frombuffer(drawn(number)[54:], np.uint8).reshape(8, 8, 3)[::-1, :, ::-1].astype(np.float32)


@pytest.fixture
def sit(store):
    def sit(model, dataset, *, batch_size=3, progress=None):
        progress = progress or Witness()
        engine = LocalEngine(batch_size=batch_size, workers=2)
        session = Session("m", model, store=store, engine=engine, decoding=Decoding(), progress=progress, made_with={})
        keyed = key_dataset(dataset, None, store.hashes, progress, pictures=True)
        session.encode_images([keyed])
        return session.activations(keyed, session.encoded(keyed))

    return sit


def test_patches_are_those_of_the_rows_asked_for_in_their_order(sit):
    activations = sit(SeesPatches(), drawn_dataset(range(8)))
    found = activations.patches([5, 0, 5])
    assert found.shape == (3, 2, 2, 3)
    for row, number in enumerate([5, 0, 5]):
        quarters = pixels(number).reshape(2, 4, 2, 4, 3).mean(axis=(1, 3))
        np.testing.assert_allclose(found[row], quarters, rtol=1e-6)


def test_rows_count_usable_pictures_only(sit):
    activations = sit(SeesPatches(), drawn_dataset(range(4), instead={1: b"no picture"}))
    np.testing.assert_allclose(activations.patches([1])[0, 0, 0], pixels(2)[:4, :4].mean(axis=(0, 1)), rtol=1e-6)


def test_the_network_is_fed_in_batches_and_only_when_asked(sit):
    model = SeesPatches()
    activations = sit(model, drawn_dataset(range(8)))
    assert model.batches == []
    activations.patches(range(8))
    assert model.batches == [3, 3, 2]


def test_attention_comes_the_same_way(sit):
    assert sit(SeesPatches(), drawn_dataset(range(4))).attention([2]).shape == (1, 1, 2, 2)


def test_class_scores_are_kept_like_vectors(sit):
    first, again = SeesPatches(), SeesPatches()
    expected = np.stack([pixels(number).mean(axis=(0, 1)) for number in (3, 1)])
    np.testing.assert_allclose(sit(first, drawn_dataset(range(4))).class_scores([3, 1]), expected, rtol=1e-6)
    np.testing.assert_allclose(sit(again, drawn_dataset(range(4))).class_scores([3, 1]), expected, rtol=1e-6)
    assert sum(first.batches) == 4
    assert again.batches == []


def test_a_model_without_the_ability_gives_none_and_is_skipped_with_a_sentence(sit):
    activations = sit(TinyEncoder(), drawn_dataset(range(2)))
    assert (activations.patches, activations.attention, activations.class_scores) == (None, None, None)

    @probe(version=1, needs=("patches",), settings=Settings(), metrics=())
    def asks(inputs):
        """Are there patches?"""
        return Answer([])

    assert unmet(asks, TinyEncoder(), drawn_dataset([0])) == "it gives no patch tokens"
    assert unmet(asks, SeesPatches(), drawn_dataset([0])) is None


def test_a_picture_that_has_gone_meanwhile_is_named(sit):
    dataset = drawn_dataset(range(3))
    activations = sit(SeesPatches(), dataset)
    dataset.pictures.instead[1] = None
    with pytest.raises(PictureLost, match="drawn:1: cannot be read"):
        activations.patches([0, 1, 2])
    with pytest.raises(PictureLost, match="drawn:1: cannot be read"):
        activations.class_scores([1])
    assert len(activations.patches([0, 2])) == 2


def test_a_picture_that_has_changed_meanwhile_is_named(sit):
    dataset = drawn_dataset(range(3))
    activations = sit(SeesPatches(), dataset)
    dataset.pictures.instead[1] = drawn(7)
    with pytest.raises(PictureLost, match="drawn:1: its content has changed"):
        activations.patches([1])


def test_windows_are_those_of_each_pictures_own_size(sit):
    wide = io.BytesIO()
    Image.new("RGB", (40, 10), "red").save(wide, "PNG")
    read = sit(SeesPatches(), drawn_dataset([0]))
    assert read.windows([0]).tolist() == [[0, 0, 4, 4]]

    class Squeezes(SeesPatches):
        fingerprint = "7b" * 32

        def prepare(self, picture):
            return super().prepare(picture.resize((8, 8)))

    mixed = sit(Squeezes(), drawn_dataset(range(3), instead={1: wide.getvalue()}))
    mixed.patches([1])
    assert mixed.windows([2, 1]).tolist() == [[0, 0, 4, 4], [0, 0, 20, 5]]


def test_a_model_that_does_not_know_its_window_gives_none(sit):
    assert sit(TinyEncoder(), drawn_dataset([0])).windows is None
