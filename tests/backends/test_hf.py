"""transformers' dual encoders against transformers itself: tiny networks, real configuration, processor and tokenizer files."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import open_clip
import pytest
import sentencepiece
import torch
import transformers
from PIL import Image
from transformers import AutoModel, AutoProcessor

from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import abilities
from eyechart.models.hf import HfModel
from eyechart.models.hf import open as open_model

TEXTS = [
    "a photo of a cat.",
    "a photo of a dog.",
    "a photo of a Great White Shark!",
    "itap of a cat.",
    "a cat",
    "a cat",
    "",
    "word " * 90,
]
WORDS = ["a", "photo", "of", "cat", "dog", "great", "white", "shark", "itap", "word", ".", "!"]
VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 48,
    "patch_size": 16,
}
TEXT = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 2}


def save(folder: Path, network: object, processor: object) -> Path:
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.ndim < 2 and "logit" not in name and "temperature" not in name:
                weight.add_(0.1 * torch.randn_like(weight))
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def clip_tokenizer() -> transformers.CLIPTokenizer:
    """CLIP's real vocabulary, from open_clip's copy of it."""
    simple = open_clip.tokenizer.SimpleTokenizer()
    with gzip.open(open_clip.tokenizer.default_bpe(), "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")[1 : 49152 - 256 - 2 + 1]
    rename = {"<start_of_text>": "<|startoftext|>", "<end_of_text>": "<|endoftext|>"}
    vocab = {rename.get(token, token): i for token, i in simple.encoder.items()}
    return transformers.CLIPTokenizer(vocab=vocab, merges=[tuple(line.split()) for line in lines], model_max_length=77)


@pytest.fixture(scope="module")
def clip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    text = TEXT | {"vocab_size": 49408, "eos_token_id": 49407, "bos_token_id": 49406, "hidden_act": "quick_gelu"}
    network = transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=VISION, projection_dim=24))
    image = transformers.CLIPImageProcessor(size={"shortest_edge": 48}, crop_size={"height": 48, "width": 48})
    return save(tmp_path_factory.mktemp("clip"), network, transformers.CLIPProcessor(image, clip_tokenizer()))


@pytest.fixture(scope="module")
def siglip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("siglip")
    (folder / "corpus.txt").write_text("\n".join(" ".join(np.random.default_rng(i).permutation(WORDS)) for i in range(200)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "corpus.txt"), model_prefix=str(folder / "spiece"), vocab_size=60, pad_id=-1, bos_id=-1,
        eos_id=1, unk_id=2, user_defined_symbols="<pad>", hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    tokenizer = transformers.SiglipTokenizer(str(folder / "spiece.model"))
    text = TEXT | {"vocab_size": 100, "max_position_embeddings": 64, "projection_size": 32}
    network = transformers.SiglipModel(transformers.SiglipConfig(text_config=text, vision_config=VISION))
    image = transformers.SiglipImageProcessor(size={"height": 48, "width": 48})
    return save(folder / "model", network, transformers.SiglipProcessor(image, tokenizer))


@pytest.fixture(scope="module")
def siglip2_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As SigLIP 2 at a fixed size is stored: model type siglip, with Gemma's kind of tokenizer, which keeps upper case."""
    torch.manual_seed(0)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.!▁"
    vocab = {token: i for i, token in enumerate(["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *letters])}
    tokenizer = transformers.GemmaTokenizer(
        vocab=vocab, merges=[], model_max_length=64, padding_side="right", add_bos_token=False, add_eos_token=True
    )
    text = TEXT | {"vocab_size": 100, "max_position_embeddings": 64, "projection_size": 32}
    network = transformers.SiglipModel(transformers.SiglipConfig(text_config=text, vision_config=VISION))
    image = transformers.SiglipImageProcessor(size={"height": 48, "width": 48})
    return save(tmp_path_factory.mktemp("siglip2"), network, transformers.SiglipProcessor(image, tokenizer))


@pytest.fixture(scope="module")
def align_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("align")
    vocab = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    vision = {
        "image_size": 64, "in_channels": [32, 8], "out_channels": [8, 24], "kernel_sizes": [3, 3], "strides": [1, 2],
        "hidden_dim": 24, "num_block_repeats": [1, 1], "expand_ratios": [1, 2], "depthwise_padding": [],
        "squeeze_expansion_ratio": 0.25,
        "width_coefficient": 1.0, "depth_coefficient": 1.0,
    }  # fmt: skip
    config = transformers.AlignConfig(text_config=TEXT | {"vocab_size": 40}, vision_config=vision, projection_dim=24)
    image = transformers.EfficientNetImageProcessor(
        size={"height": 72, "width": 72},
        crop_size={"height": 64, "width": 64},
        do_center_crop=True,
        rescale_offset=True,
        include_top=False,
    )  # as kakaobrain/align-base has it, smaller
    tokenizer = transformers.BertTokenizer(vocab=vocab, model_max_length=512)
    return save(folder, transformers.AlignModel(config), transformers.AlignProcessor(image, tokenizer))


FOLDERS = ["clip_folder", "siglip_folder", "siglip2_folder", "align_folder"]


def load(folder: Path | str, hashes: HashMemory, precision: str = "float32") -> HfModel:
    return open_model(str(folder), hashes, "cpu", precision, 2)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("fixture", FOLDERS)
def test_pictures_are_prepared_bit_for_bit(
    fixture: str, request: pytest.FixtureRequest, hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    folder = request.getfixturevalue(fixture)
    model, processor = load(folder, hashes), AutoProcessor.from_pretrained(folder)
    for picture in pictures:
        expected = processor(images=picture, return_tensors="pt")["pixel_values"][0].numpy()
        assert np.array_equal(model.prepare(picture), expected)


@pytest.mark.parametrize(
    ("fixture", "window"), [("clip_folder", (12.0, 0.0, 60.0, 48.0)), ("siglip_folder", (0.0, 0.0, 72.0, 48.0))]
)
def test_the_window_is_what_the_processor_leaves_of_a_picture(
    fixture: str, window: tuple[float, ...], request: pytest.FixtureRequest, hashes: HashMemory
) -> None:
    """CLIP crops the middle square of 72 × 48, SigLIP squeezes the whole; a black half shows in which columns it is."""
    model = load(request.getfixturevalue(fixture), hashes)
    assert model.window(72, 48) == window
    picture = Image.new("RGB", (72, 48), "white")
    picture.paste((0, 0, 0), (24, 0, 72, 48))
    edge = int(np.argmax(model.prepare(picture)[0, 24] < 0))
    assert edge == round((24 - window[0]) / (window[2] - window[0]) * 48)


@pytest.mark.parametrize("fixture", FOLDERS)
def test_scores_are_the_librarys_logits(
    fixture: str, request: pytest.FixtureRequest, hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    """Pictures to logits: preprocessing, tokens, both towers, scale and bias at once."""
    folder = request.getfixturevalue(fixture)
    model, processor, network = (
        load(folder, hashes),
        AutoProcessor.from_pretrained(folder),
        AutoModel.from_pretrained(folder).eval(),
    )
    texts = [text.lower() for text in TEXTS]
    inputs = processor(text=texts, images=pictures, padding="max_length", truncation=True, max_length=64, return_tensors="pt")
    if "siglip" in fixture:
        inputs.pop("attention_mask", None)  # SigLIP was trained to look at its padding
    with torch.inference_mode():
        expected = network(**inputs).logits_per_image.numpy()
    images = unit(model.encode_images(np.stack([model.prepare(picture) for picture in pictures])))
    vectors = unit(model.encode_texts(model.tokenize(texts).ids))
    logits = model.logit_scale * images @ vectors.T + model.logit_bias
    if fixture == "clip_folder":  # the context is 77 there, so the long text is cut elsewhere
        logits, expected = logits[:, :-1], expected[:, :-1]
    assert np.abs(logits - expected).max() < 1e-5 * max(1.0, model.logit_scale)


@pytest.mark.parametrize("fixture", FOLDERS)
def test_text_vectors_equal_the_padded_ones(fixture: str, request: pytest.FixtureRequest, hashes: HashMemory) -> None:
    folder = request.getfixturevalue(fixture)
    model, processor, network = (
        load(folder, hashes),
        AutoProcessor.from_pretrained(folder),
        AutoModel.from_pretrained(folder).eval(),
    )
    texts = [text.lower() for text in TEXTS]
    context = 77 if fixture == "clip_folder" else 64
    inputs = processor.tokenizer(texts, padding="max_length", truncation=True, max_length=context, return_tensors="pt")
    if "siglip" in fixture:
        inputs.pop("attention_mask", None)
    with torch.inference_mode():
        expected = network.get_text_features(**inputs).pooler_output.numpy()
    tokenized = model.tokenize(texts)
    assert np.abs(unit(model.encode_texts(tokenized.ids)) - unit(expected)).max() < 1e-5
    assert tokenized.truncated.tolist() == [text.startswith("word word") for text in TEXTS]
    assert {len(row) for row in tokenized.ids} == {64} if "siglip" in fixture else len(tokenized.ids[4]) < 5


@pytest.mark.parametrize("fixture", ["siglip_folder", "siglip2_folder"])
def test_siglip_reads_lower_case(fixture: str, request: pytest.FixtureRequest, hashes: HashMemory) -> None:
    model = load(request.getfixturevalue(fixture), hashes)
    upper, lower = model.tokenize(["A Great CAT", "a great cat"]).ids
    assert np.array_equal(upper, lower)


def test_clip_takes_the_fast_path(clip_folder: Path, hashes: HashMemory) -> None:
    assert load(clip_folder, hashes).causal_tower is not None


def test_the_old_end_token_means_the_highest_one(clip_folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    """eos_token_id 2, as openai's own configurations have it, is not a token that is looked for."""
    folder = shutil.copytree(clip_folder, tmp_path / "old")
    config = json.loads((folder / "config.json").read_text())
    config["text_config"]["eos_token_id"] = 2
    (folder / "config.json").write_text(json.dumps(config))
    model, network = load(folder, hashes), AutoModel.from_pretrained(folder).eval()
    assert network.text_model.eos_token_id == 2
    inputs = AutoProcessor.from_pretrained(folder).tokenizer(TEXTS, padding=True, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        expected = network.get_text_features(**inputs).pooler_output.numpy()
    assert np.abs(unit(model.encode_texts(model.tokenize(TEXTS).ids)) - unit(expected)).max() < 1e-5


def test_attention_is_the_librarys(clip_folder: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load(clip_folder, hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    eager = AutoModel.from_pretrained(clip_folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        expected = eager.vision_model(torch.from_numpy(prepared), output_attentions=True).attentions[-1].numpy()
    found = model.attention(prepared)
    assert np.allclose(found.sum(axis=-1), 1, atol=1e-6)
    assert np.abs(found - expected).max() < 1e-6


@pytest.mark.parametrize(("fixture", "lead"), [("clip_folder", 1), ("siglip_folder", 0)])
def test_patches_are_the_last_blocks_output(
    fixture: str, lead: int, request: pytest.FixtureRequest, hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    model = load(request.getfixturevalue(fixture), hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    vision = model.network.vision_model
    with torch.inference_mode():
        hidden = vision.embeddings(torch.from_numpy(prepared))
        hidden = vision.pre_layrnorm(hidden) if lead else hidden
        for layer in vision.encoder.layers:
            hidden = layer(hidden, None)
    assert np.abs(model.patches(prepared).reshape(len(pictures), 9, 32) - hidden[:, lead:].numpy()).max() < 1e-5


def test_abilities_fit_the_family(clip_folder: Path, siglip_folder: Path, align_folder: Path, hashes: HashMemory) -> None:
    dual = ["images", "texts", "logit_scale"]
    assert abilities(load(clip_folder, hashes)) == [*dual, "patches", "attention"]
    assert abilities(load(siglip_folder, hashes)) == [*dual, "patches"]
    assert abilities(load(align_folder, hashes)) == dual


def test_a_hub_id_is_found_in_the_cache(clip_folder: Path, hub: Callable[[str], Path], hashes: HashMemory) -> None:
    shutil.copytree(clip_folder, hub("openai/clip-vit-base-patch32"), dirs_exist_ok=True)
    model = load("openai/clip-vit-base-patch32", hashes)
    assert model.card.source is not None
    assert model.fingerprint == load(clip_folder, hashes).fingerprint
    assert "network" not in vars(model)


def test_an_id_that_is_nowhere_is_named(hashes: HashMemory) -> None:
    with pytest.raises(ModelError, match=r"hf:nobody/nothing.*not in the hub's cache"):
        load("nobody/nothing", hashes)


def test_torch_weights_load_without_running_code(clip_folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    folder = shutil.copytree(clip_folder, tmp_path / "bin")
    torch.save(AutoModel.from_pretrained(folder).state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    rows = [np.array([49406, 320, 49407])]
    assert np.allclose(load(folder, hashes).encode_texts(rows), load(clip_folder, hashes).encode_texts(rows), atol=1e-5)


def test_a_pickle_that_runs_code_is_refused_unrun(clip_folder: Path, tmp_path: Path, hashes: HashMemory, trap: object) -> None:
    folder = shutil.copytree(clip_folder, tmp_path / "evil")
    torch.save({"logit_scale": trap}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="more than tensors"):
        load(folder, hashes).encode_texts([np.array([49406, 49407])])


def test_missing_weights_are_an_error_not_random(clip_folder: Path, tmp_path: Path, hashes: HashMemory) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(clip_folder, tmp_path / "part")
    weights = load_file(folder / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="text_projection"):
        load(folder, hashes).encode_texts([np.array([49406, 49407])])


@pytest.mark.parametrize(("family", "message"), [("siglip2", "NaFlex"), ("llama", "hf: runs clip, siglip, align")])
def test_other_families_are_refused(clip_folder: Path, tmp_path: Path, hashes: HashMemory, family: str, message: str) -> None:
    folder = shutil.copytree(clip_folder, tmp_path / "other")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": family}))
    with pytest.raises(ModelError, match=message):
        load(folder, hashes)
