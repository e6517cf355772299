"""OpenAI's CLIP ViT-B/16 on real pictures: the cue-conflict stimuli whose shape and texture agree."""

import re

import numpy as np
import pytest
from PIL import Image

from eyechart.models.encoder import EncodesTexts, GivesAttention, GivesPatches, LooksUpTexts
from eyechart.models.open import open_model

pytestmark = [pytest.mark.refdata, pytest.mark.assets]


@pytest.fixture(scope="module")
def model(assets):
    folder = assets / "openai-vit-b16"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    return open_model(f"onnx:{folder}")


@pytest.fixture(scope="module")
def agreeing(refdata):
    """(shape, picture) of every stimulus `<shape><n>-<texture><m>.png` whose shape and texture are of one category."""
    found = []
    for path in sorted((refdata / "cue-conflict").glob("*/*.png")):
        shape, texture = re.fullmatch(r"([a-z]+)\d+-([a-z]+)\d+", path.stem).groups()
        if shape == texture:
            found.append((shape, Image.open(path).convert("RGB")))
    return found


@pytest.fixture(scope="module")
def prepared(model, agreeing):
    return np.stack([model.prepare(picture) for _, picture in agreeing])


def test_at_least_14_of_17_are_recognised_among_16_names(model, agreeing, prepared, refdata):
    names = sorted(folder.name for folder in (refdata / "cue-conflict").iterdir() if folder.is_dir())
    assert len(names) == 16
    assert len(agreeing) == 17
    images, texts = model.encode_images(prepared), model.look_up_texts(names)
    guesses = [names[best] for best in (images @ texts.T).argmax(1)]
    assert sum(guess == shape for guess, (shape, _) in zip(guesses, agreeing, strict=True)) >= 14


def test_attention_rows_sum_to_one(model, prepared):
    weights = model.attention(prepared[:2])
    assert weights.shape == (2, 12, 197, 197)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-4)


def test_patches_are_a_square_of_tokens(model, prepared):
    assert model.patches(prepared[:2]).shape == (2, 14, 14, 768)


def test_it_claims_what_it_has_and_no_text_tower(model):
    for ability in (GivesAttention, GivesPatches, LooksUpTexts):
        assert isinstance(model, ability)
    assert not isinstance(model, EncodesTexts)
    assert model.logit_scale == 100.0
