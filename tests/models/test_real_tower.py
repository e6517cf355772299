"""OpenAI's CLIP ViT-B/16 on real pictures: the cue-conflict stimuli whose shape and texture agree."""

import re
import shutil

import numpy as np
import pytest
from PIL import Image

import eyechart
from eyechart.models.encoder import EncodesTexts, GivesAttention, GivesPatches, LooksUpTexts
from eyechart.models.open import open_model
from eyechart.store import Store

pytestmark = [pytest.mark.refdata, pytest.mark.assets]


@pytest.fixture(scope="module")
def model(assets):
    folder = assets / "openai-vit-b16"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    return open_model(f"onnx:{folder}")


@pytest.fixture(scope="module")
def agreeing(refdata):
    """Every stimulus `<shape><n>-<texture><m>.png` whose shape and texture are of one category."""
    found = []
    for path in sorted((refdata / "cue-conflict").glob("*/*.png")):
        shape, texture = re.fullmatch(r"([a-z]+)\d+-([a-z]+)\d+", path.stem).groups()
        if shape == texture:
            found.append(path)
    return found


@pytest.fixture(scope="module")
def prepared(model, agreeing):
    return np.stack([model.prepare(Image.open(path).convert("RGB")) for path in agreeing[:2]])


@pytest.mark.slow
def test_an_examination_recognizes_at_least_14_of_17_among_16_names(model, agreeing, refdata, tmp_path):
    names = sorted(folder.name for folder in (refdata / "cue-conflict").iterdir() if folder.is_dir())
    for path in agreeing:
        (tmp_path / "pictures" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tmp_path / "pictures" / path.parent.name / path.name)
    exam = eyechart.examine(
        model.spec, tmp_path / "pictures", classes=names, out=tmp_path / "out", store=Store(tmp_path / "store")
    )
    (top1,) = [r for r in exam.findings.to_pylist() if r["metric"] == "top1"]
    assert (len(names), top1["n"]) == (16, 17)
    assert round(top1["value"] * top1["n"]) >= 14
    assert exam.protocol["models"][top1["model"]]["logit_scale"] == 100.0


def test_attention_rows_sum_to_one(model, prepared):
    weights = model.attention(prepared)
    assert weights.shape == (2, 12, 197, 197)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-4)


def test_patches_are_a_square_of_tokens(model, prepared):
    assert model.patches(prepared).shape == (2, 14, 14, 768)


def test_it_claims_what_it_has_and_no_text_tower(model):
    for ability in (GivesAttention, GivesPatches, LooksUpTexts):
        assert isinstance(model, ability)
    assert not isinstance(model, EncodesTexts)
    assert model.logit_scale == 100.0
