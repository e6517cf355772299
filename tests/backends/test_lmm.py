"""`lmm:` on tiny models in the standard format: likelihoods against a plain forward pass per option, replies and errors."""

import json
import shutil
from fnmatch import fnmatch
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from PIL import Image
from tests.answering_server import write_colors
from tests.backends.tiny_llava import write_tiny_llava
from tests.backends.tiny_multimodal import FAMILIES

from eyechart.errors import ModelError, UsageError
from eyechart.exam import examine
from eyechart.models.abilities import abilities
from eyechart.models.open import open_model

QUESTION = "what is the main object in this picture ? answer with the name only ."
OPTIONS = ["cat", "hot dog", "horse", "dog", "hot dog bird cat"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_llava(tmp_path_factory.mktemp("tiny-llava"))


@pytest.fixture(scope="module")
def model(folder):
    return open_model(f"lmm:{folder}")


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(3)
    return [Image.fromarray(rng.integers(0, 256, (40, 50, 3), dtype=np.uint8)) for _ in range(3)]


def plain_log_likelihood(folder, picture, question, option):
    """One full forward pass over picture, question and option, without our code and without a cache."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    network = AutoModelForImageTextToText.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    pictures = {"llava_next": "<image>", "qwen2_vl": "<|vision_start|> <|image_pad|> <|vision_end|>"}
    prompt = f"USER : {pictures.get(network.config.model_type, '<image>')} {question} ASSISTANT : "
    with torch.no_grad():
        whole = processor(images=[picture], text=[prompt + option], return_tensors="pt")
        start = processor(images=[picture], text=[prompt], return_tensors="pt")["input_ids"].shape[1]
        logits = network(**whole).logits[0].double().log_softmax(-1)
    ids = whole["input_ids"][0]
    return sum(float(logits[i - 1, ids[i]]) for i in range(start, len(ids))), len(ids) - start


def test_likelihoods_equal_those_of_a_plain_forward_pass(model, folder, noise):
    for picture in noise[:2]:
        found = model.log_likelihoods(picture, QUESTION, OPTIONS)
        wanted = np.array([plain_log_likelihood(folder, picture, QUESTION, option) for option in OPTIONS])
        np.testing.assert_allclose(found[:, 0], wanted[:, 0], atol=1e-4)
        assert found[:, 1].tolist() == wanted[:, 1].tolist() == [1, 2, 1, 1, 4]


@pytest.mark.parametrize("family", FAMILIES)
def test_likelihoods_of_other_families_equal_those_of_a_plain_forward_pass(family, noise, tmp_path):
    """They place pictures and positions differently; after a question about another picture, nothing of it may remain."""
    folder = FAMILIES[family](tmp_path / family)
    model = open_model(f"lmm:{folder}")
    for picture in (noise[0], noise[1].resize((30, 90))):
        found = model.log_likelihoods(picture, QUESTION, OPTIONS)
        wanted = np.array([plain_log_likelihood(folder, picture, QUESTION, option) for option in OPTIONS])
        np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert model.answer(noise[0], QUESTION).kind in ("text", "empty")


@pytest.mark.skipif(find_spec("num2words") is not None, reason="num2words is installed")
def test_a_processor_that_needs_another_package_says_which(noise, tmp_path):
    from transformers.models.smolvlm.video_processing_smolvlm import SmolVLMVideoProcessor

    folder = FAMILIES["idefics3"](tmp_path / "smolvlm")
    SmolVLMVideoProcessor(size={"longest_edge": 64}, video_sampling={"fps": 1, "max_frames": 2}).save_pretrained(folder)
    for path in folder.glob("*processor_config.json"):
        path.write_text(path.read_text().replace("Idefics3Processor", "SmolVLMProcessor"))
    with pytest.raises(ModelError, match=r"needs a package that is not installed: .*num2words"):
        open_model(f"lmm:{folder}").answer(noise[0], QUESTION)


def test_likelihoods_depend_on_the_picture_and_not_on_the_other_options(model, noise):
    one = model.log_likelihoods(noise[0], QUESTION, OPTIONS)
    assert np.abs(one - model.log_likelihoods(noise[1], QUESTION, OPTIONS))[:, 0].max() > 1e-3
    np.testing.assert_allclose(model.log_likelihoods(noise[0], QUESTION, OPTIONS[::-1])[::-1], one, atol=1e-6)


def test_likelihoods_of_single_words_sum_to_at_most_1(model, noise):
    words = ["cat", "dog", "horse", "bird", "yes", "no"]
    assert 0 < np.exp(model.log_likelihoods(noise[0], QUESTION, words)[:, 0]).sum() <= 1


def test_the_reply_is_the_greedy_one(model, folder, noise):
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    network, processor = LlavaForConditionalGeneration.from_pretrained(folder).eval(), AutoProcessor.from_pretrained(folder)
    given = processor(images=noise[0], text=f"USER : <image> {QUESTION} ASSISTANT : ", return_tensors="pt")
    ids = given["input_ids"]
    with torch.no_grad():
        for _ in range(64):  # token by token, without a cache
            logits = network(**{**given, "input_ids": ids, "attention_mask": torch.ones_like(ids)}).logits
            ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
            if int(ids[0, -1]) == 2:
                break
    written = ids[0, given["input_ids"].shape[1] :]
    reply = model.answer(noise[0], QUESTION)
    assert reply.text == processor.tokenizer.decode(written, skip_special_tokens=True).strip()
    assert reply.cut == (int(written[-1]) != 2) and reply.reply_tokens == len(written)


def test_marks_of_reasoning_stay_in_the_reply_where_they_are_special_tokens(folder, noise, monkeypatch):
    """Without them, the reasoning would be read as the answer. Other special tokens are left out, as ever."""
    thinking = open_model(f"lmm:{folder}")
    tokenizer = thinking.processor.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>", "<pad2>"]})
    said = tokenizer("<think> cat </think> dog <pad2>", add_special_tokens=False)["input_ids"]

    def generate(input_ids, **given):
        return torch.cat([input_ids, torch.tensor([[*said, tokenizer.eos_token_id]])], dim=1)

    monkeypatch.setattr(thinking.network, "generate", generate)
    reply = thinking.answer(noise[0], QUESTION)
    assert reply.text.split() == ["<think>", "cat", "</think>", "dog"] and reply.answer == "dog"


def test_picture_and_question_are_run_once_and_each_long_answer_once_more(folder, noise):
    opened, runs = open_model(f"lmm:{folder}"), []
    opened.network.register_forward_pre_hook(lambda *given: runs.append(1))
    opened.log_likelihoods(noise[0], QUESTION, OPTIONS)
    assert len(runs) == 1 + sum(len(option.split()) > 1 for option in OPTIONS)


def test_the_longest_reply_is_an_option_and_part_of_the_decoding(model, folder, noise, monkeypatch):
    short, long = open_model(f"lmm:{folder},tokens=3"), open_model(f"lmm:{folder},tokens=90")
    for asked in (short, long):
        monkeypatch.setattr(asked.network.generation_config, "eos_token_id", None)  # it never ends by itself
    replies = [asked.answer(noise[0], QUESTION) for asked in (short, long)]
    assert [(reply.reply_tokens, reply.cut) for reply in replies] == [(3, True), (90, True)]
    assert [asked.answer_decoding for asked in (short, long, model)] == [
        f"greedy, at most {tokens} tokens" for tokens in (3, 90, 64)
    ]
    assert short.spec == model.spec and short.fingerprint == model.fingerprint
    assert (short.opened_as, model.opened_as) == (f"{model.spec},tokens=3", model.spec)
    for wrong, says in (("tokens=0", "at least 1"), ("token=5", "did you mean 'tokens'"), ("tokens=x", "not a number")):
        with pytest.raises(UsageError, match=says):
            open_model(f"lmm:{folder},{wrong}")


def test_files_that_replies_depend_on_are_part_of_the_fingerprint(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    before = open_model(f"lmm:{copy}").fingerprint
    (copy / "generation_config.json").write_text('{"repetition_penalty": 1.5}')
    assert open_model(f"lmm:{copy}").fingerprint != before


def test_the_chat_template_of_a_hub_model_is_among_the_files_that_are_downloaded(folder, monkeypatch):
    """The hub is a fake that keeps to the patterns; a template of its own file is how transformers saves it now."""
    files = sorted(path.name for path in folder.iterdir())
    assert "chat_template.jinja" in files
    got = []

    def snapshot_download(name, allow_patterns):
        got.append([file for file in files if any(fnmatch(file, pattern) for pattern in allow_patterns)])
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    open_model("lmm:owner/name")
    assert "chat_template.jinja" in got[0]


def test_abilities_and_fingerprint_are_known_without_loading_the_network(folder, tmp_path):
    opened = open_model(f"lmm:{folder}")
    assert abilities(opened) == ["answers", "likelihoods"] and "network" not in vars(opened)
    other = open_model(f"lmm:{write_tiny_llava(tmp_path / 'other', seed=1)}")
    assert other.fingerprint != opened.fingerprint


def test_a_folder_of_another_kind_is_refused_with_a_next_step(folder, tmp_path):
    config = json.loads((folder / "config.json").read_text())
    for name in folder.iterdir():
        (tmp_path / name.name).write_bytes(name.read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "clip"}))
    with pytest.raises(ModelError, match="try hf: or chat:"):
        open_model(f"lmm:{tmp_path}")


def test_an_examination_by_choice_free_answer_and_likelihood(folder, tmp_path):
    colors = write_colors(tmp_path / "colors", each=3)
    found = examine(f"lmm:{folder}", colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
    values = {row["metric"]: row for row in found.findings.to_pylist() if row["slice"] == "{}"}
    assert {"choice_accuracy", "free_accuracy", "likelihood_accuracy"} <= set(values)
    predicted = [row for row in found.predictions.to_pylist() if row["prompts"] == "likelihood of the name"]
    assert len(predicted) == 12
    model = open_model(f"lmm:{folder}")
    for row in predicted[:3]:
        picture = Image.open(colors / row["id"]).convert("RGB")
        names = sorted(path.name for path in colors.iterdir())
        scores = model.log_likelihoods(picture, "What is the main object in this picture? Answer with the name only.", names)
        assert row["predicted"] == names[int(scores[:, 0].argmax())]
