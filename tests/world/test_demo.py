"""The demo model on pictures it was not fitted on: well above chance, far from perfect, and weak where a demo is worth seeing."""

import io
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from eyechart.models.encoder import EncodesImages, EncodesTexts, ScoresPairs
from eyechart.models.open import open_model
from eyechart.world.demo import demo_pictures


@pytest.fixture(scope="module")
def dataset():
    return demo_pictures()


@pytest.fixture(scope="module")
def model():
    return open_model("demo:")


@pytest.fixture(scope="module")
def guesses(model, dataset):
    prepared = np.stack([model.prepare(Image.open(io.BytesIO(dataset.pictures.read(row)))) for row in range(len(dataset))])
    images = model.encode_images(prepared)
    texts = model.encode_texts(model.tokenize([f"a photo of a {c.name}." for c in dataset.classes]).ids)
    return (images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T).argmax(1)


def test_it_is_a_whole_dual_encoder(model):
    for ability in (EncodesImages, EncodesTexts, ScoresPairs):
        assert isinstance(model, ability)
    assert "stand-in" in model.card.notes[0]


def test_it_is_right_more_often_than_not_and_wrong_often_enough(guesses, dataset):
    accuracy = (guesses == dataset.label_indices()).mean()
    assert 0.6 < accuracy < 0.85


def test_some_classes_are_strong_and_some_weak(guesses, dataset):
    labels = dataset.label_indices()
    by_class = np.array([(guesses[labels == c] == c).mean() for c in range(12)])
    assert by_class.max() > 0.9
    assert by_class.min() < 0.5


def test_wording_changes_how_classes_compare(model, dataset):
    def heads(template: str) -> np.ndarray:
        texts = model.encode_texts(model.tokenize([template.format(c.name) for c in dataset.classes]).ids)
        return texts / np.linalg.norm(texts, axis=1, keepdims=True)

    plain, odd = heads("a photo of a {}."), heads("a sculpture of the weird {}.")
    assert np.abs(plain @ plain.T - odd @ odd.T).max() > 0.01


def test_unknown_words_are_told_apart(model):
    zebra, tapir = model.encode_texts(model.tokenize(["a zebra", "a tapir"]).ids)
    assert zebra @ tapir / np.linalg.norm(zebra) / np.linalg.norm(tapir) < 0.99


def test_a_synonym_is_near_its_shape(model):
    circle, disc, star = model.encode_texts(model.tokenize(["a circle", "a disc", "a star"]).ids)
    cosine = lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b)  # noqa: E731
    assert cosine(circle, disc) > 0.7 > cosine(circle, star)


def test_it_is_small_enough_to_ship():
    folder = files("eyechart.world").joinpath("demo_model")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 1_000_000
