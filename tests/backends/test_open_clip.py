"""open_clip models against open_clip itself: real configurations and files, random weights."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from eyechart.errors import ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import abilities
from eyechart.models.open_clip import OpenClipModel
from eyechart.models.open_clip import open as open_model

TINY_VISION = {"image_size": 64, "layers": 2, "width": 64, "head_width": 32, "patch_size": 16}
TINY_TEXT = {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 3}
TEXTS = [
    "a photo of a cat.",
    "a photo of a dog.",
    "a photo of a great white shark.",
    "a photo of a great grey owl.",
    "itap of a cat.",
    "a cat",
    "a cat",
    "",
    "Caf\u00e9 \u2603 &amp; \u732b, it's 1984!",
    "word " * 200,
    "the end <end_of_text> is in the middle",
]


def tiny(folder: Path, vision: dict | None = None, text: dict | None = None, **rest: object) -> Path:
    """A folder as open_clip saves it: configuration and safetensors of a tiny model with random weights."""
    config = {"embed_dim": 32, "vision_cfg": TINY_VISION | (vision or {}), "text_cfg": TINY_TEXT | (text or {}), **rest}
    preprocess = {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.4], "interpolation": "bicubic", "resize_mode": "shortest"}
    folder.mkdir(parents=True, exist_ok=True)
    described = {"model_cfg": config, "preprocess_cfg": preprocess}
    (folder / "open_clip_config.json").write_text(json.dumps(described))
    torch.manual_seed(3)
    network = open_clip.create_model(f"local-dir:{folder}", load_weights=False)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.ndim < 2 and "logit" not in name:
                weight.add_(0.1 * torch.randn_like(weight))  # biases and scales at rest would hide a forgotten one
    save_file({k: v.contiguous().clone() for k, v in network.state_dict().items()}, folder / "open_clip_model.safetensors")
    return folder


def load(name: str, hashes: HashMemory, precision: str = "float32") -> OpenClipModel:
    return open_model(name, hashes, "cpu", precision, 2)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@torch.inference_mode()
def library_texts(folder: Path, texts: list[str]) -> np.ndarray:
    network = open_clip.create_model(f"local-dir:{folder}").eval()
    tokens = open_clip.get_tokenizer(f"local-dir:{folder}")(texts)
    return network.encode_text(tokens, normalize=True).numpy()


@pytest.fixture(scope="module")
def openai_b32(hub: Callable[[str], Path]) -> Path:
    """Random weights under the name and in the place of OpenAI's ViT-B/32."""
    torch.manual_seed(1)
    network = open_clip.create_model("ViT-B-32").half()
    folder = hub("timm/vit_base_patch32_clip_224.openai")
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, folder / "open_clip_model.safetensors")
    return folder


def test_openai_weights_run_with_quickgelu(openai_b32: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load("ViT-B-32/openai", hashes)
    right, _, transform = open_clip.create_model_and_transforms("ViT-B-32-quickgelu", pretrained="openai")
    prepared = model.prepare(pictures[0])
    assert np.array_equal(prepared, transform(pictures[0]).numpy())
    with torch.inference_mode():
        image = right.eval().encode_image(torch.from_numpy(prepared)[None]).numpy()
        text = right.encode_text(open_clip.get_tokenizer("ViT-B-32-quickgelu")(TEXTS[:3])).numpy()
    assert np.abs(unit(model.encode_images(prepared[None])) - unit(image)).max() < 1e-5
    assert np.abs(unit(model.encode_texts(model.tokenize(TEXTS[:3]).ids)) - unit(text)).max() < 1e-5
    assert model.card.source is not None
    assert "trained with QuickGELU" in model.card.notes


@pytest.mark.parametrize(
    ("vision", "settings"),
    [
        ({}, {}),
        ({}, {"resize_mode": "squash", "interpolation": "bilinear", "mean": (0.5,) * 3, "std": (0.5,) * 3}),
        ({}, {"resize_mode": "longest", "fill_color": 7}),
        ({}, {"interpolation": "random"}),
        ({"image_size": [64, 96]}, {"interpolation": "bilinear"}),
        ({"image_size": [64, 96]}, {"resize_mode": "squash"}),
    ],
)
def test_preprocessing_is_open_clips_own(
    tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image], vision: dict, settings: dict
) -> None:
    folder = tiny(tmp_path / "model", vision)
    config = json.loads((folder / "open_clip_config.json").read_text())
    (folder / "open_clip_config.json").write_text(json.dumps(config | {"preprocess_cfg": settings}))
    model = load(f"local-dir:{folder}", hashes)
    _, transform = open_clip.create_model_from_pretrained(f"local-dir:{folder}")
    for picture in pictures:
        assert np.array_equal(model.prepare(picture), transform(picture).numpy())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ({}, {}),
        ({}, {"quick_gelu": True}),
        ({}, {"custom_text": True}),
        ({"ls_init_value": 0.3, "proj_bias": True}, {"custom_text": True}),
        ({"pool_type": "eos", "eos_id": 49407}, {"custom_text": True}),
        ({"proj_type": "none", "width": 32, "context_length": 20}, {}),
    ],
)
def test_causal_towers_take_the_fast_path_and_agree(tmp_path: Path, hashes: HashMemory, text: dict, rest: dict) -> None:
    folder = tiny(tmp_path / "model", text=text, **rest)
    model = load(f"local-dir:{folder}", hashes)
    tokenized = model.tokenize(TEXTS)
    assert model.causal_tower is not None
    assert max(len(row) for row in tokenized.ids[:8]) < 20
    assert np.abs(unit(model.encode_texts(tokenized.ids)) - library_texts(folder, TEXTS)).max() < 1e-5
    assert tokenized.truncated.tolist() == [text.startswith("word word") for text in TEXTS]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ({"no_causal_mask": True}, {}),
        ({"pool_type": "last"}, {"custom_text": True}),
        ({"no_causal_mask": True, "pool_type": "first"}, {"custom_text": True}),
        (
            {"embed_cls": True, "output_tokens": True, "context_length": 76},
            {"custom_text": True, "multimodal_cfg": {"context_length": 76, "width": 64, "heads": 2, "layers": 1}},
        ),
    ],
    ids=["bidirectional", "last", "first", "coca"],
)
def test_other_towers_are_padded_as_trained(tmp_path: Path, hashes: HashMemory, text: dict, rest: dict) -> None:
    vision = {"output_tokens": True} if "multimodal_cfg" in rest else {}
    folder = tiny(tmp_path / "model", vision, text, **rest)
    model = load(f"local-dir:{folder}", hashes)
    tokenized = model.tokenize(TEXTS)
    assert {len(row) for row in tokenized.ids} == {text.get("context_length", 77)}
    assert np.abs(unit(model.encode_texts(tokenized.ids)) - library_texts(folder, TEXTS)).max() < 1e-5


SIGLIP = {"context_length": 16, "vocab_size": 60, "no_causal_mask": True, "pool_type": "last", "proj_bias": True}


def siglip(folder: Path) -> Path:
    """SigLIP as open_clip has it: a tokenizer of the hub's kind behind cleaning that drops case and punctuation."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "</s>", "<unk>", "a", "photo", "of", "cat", "dog", "great", "white", "shark", "word"]
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    inner.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="</s>", eos_token="</s>", unk_token="<unk>")
    folder.mkdir()
    tokenizer.save_pretrained(folder)
    text = SIGLIP | {"hf_tokenizer_name": "timm/ViT-B-16-SigLIP", "tokenizer_kwargs": {"clean": "canonicalize"}}
    return tiny(folder, text=text, init_logit_bias=-10, custom_text=True)


def test_siglip_is_padded_and_reads_lower_case(tmp_path: Path, hashes: HashMemory) -> None:
    folder = siglip(tmp_path / "model")
    model = load(str(folder), hashes)
    tokenized = model.tokenize([*TEXTS, "A Photo, of a DOG!"])
    assert {len(row) for row in tokenized.ids} == {16}
    assert tokenized.ids[-1].tolist() == tokenized.ids[1].tolist() == [3, 4, 5, 3, 7, *[1] * 11]
    assert np.abs(unit(model.encode_texts(tokenized.ids[:-1])) - library_texts(folder, TEXTS)).max() < 1e-5
    assert tokenized.truncated.tolist() == [text.startswith("word word") for text in TEXTS] + [False]
    assert model.logit_bias == -10


def test_a_text_tower_of_the_hub_is_padded_and_masked(tmp_path: Path, hashes: HashMemory) -> None:
    """As in xlm-roberta-base-ViT-B-32: transformers' encoder behind open_clip's pooling."""
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    tower = tmp_path / "roberta"
    settings = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 60}
    XLMRobertaModel(XLMRobertaConfig(**settings, pad_token_id=1, max_position_embeddings=80)).save_pretrained(tower)
    text = {"hf_model_name": str(tower), "hf_tokenizer_name": "x", "hf_proj_type": "mlp", "hf_pooler_type": "mean_pooler"}
    siglip(tmp_path / "model")
    folder = tiny(tmp_path / "model", text=text | {"context_length": 16})
    model = load(str(folder), hashes)
    assert isinstance(model.tokenizer.tokenizer, PreTrainedTokenizerFast)
    texts = [text for text in TEXTS if text]  # padding is all that is left of an empty one, and its mean is no number
    tokenized = model.tokenize(texts)
    assert {len(row) for row in tokenized.ids} == {16}
    assert np.abs(unit(model.encode_texts(tokenized.ids)) - library_texts(folder, texts)).max() < 1e-5


def test_unknown_blocks_fall_back_to_the_librarys_forward(tmp_path: Path, hashes: HashMemory) -> None:
    folder = tiny(tmp_path / "model", text={"qk_norm": True})
    model = load(f"local-dir:{folder}", hashes)
    assert model.causal_tower is None
    assert np.abs(unit(model.encode_texts(model.tokenize(TEXTS).ids)) - library_texts(folder, TEXTS)).max() < 1e-5


def test_training_checkpoint_of_a_known_architecture(openai_b32: Path, tmp_path: Path, hashes: HashMemory) -> None:
    """As NegCLIP's is: a state_dict under 'module.' names beside an epoch and an optimiser."""
    open_clip.add_model_config(_config_file(tmp_path, "tiny-clip"))
    torch.manual_seed(5)
    network = open_clip.create_model("tiny-clip").eval()
    state = {f"module.{k}": v for k, v in network.state_dict().items()}
    path = tmp_path / "negclip.pt"
    torch.save({"epoch": 5, "name": "run", "state_dict": state, "optimizer": {"param_groups": [{"lr": 0.1}]}}, path)
    model = load(f"tiny-clip/{path}", hashes)
    with torch.inference_mode():
        expected = network.encode_text(open_clip.get_tokenizer("tiny-clip")(TEXTS), normalize=True).numpy()
    assert np.abs(unit(model.encode_texts(model.tokenize(TEXTS).ids)) - expected).max() < 1e-5
    assert model.logit_scale == pytest.approx(1 / 0.07, rel=1e-5)


def _config_file(folder: Path, name: str, **vision: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"embed_dim": 32, "vision_cfg": {**TINY_VISION, **vision}, "text_cfg": TINY_TEXT}))
    return path


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_a_checkpoint_of_another_architecture_names_its_own(tmp_path: Path, hashes: HashMemory, ending: str) -> None:
    open_clip.add_model_config(_config_file(tmp_path, "tiny-clip"))
    open_clip.add_model_config(_config_file(tmp_path, "tiny-wide", width=96))
    path, state = tmp_path / f"w.{ending}", open_clip.create_model("tiny-wide").state_dict()
    if ending == "pt":
        torch.save(state, path)
    else:
        save_file({name: value.contiguous().clone() for name, value in state.items()}, path)
    model = load(f"tiny-clip/{path}", hashes)
    other = r"visual\.\S+ is \[.*96.*\] in the file and .* in the network.*the shapes of tiny-wide: write open_clip:tiny-wide/"
    with pytest.raises(ModelError, match=other):
        model.encode_images(np.zeros((1, 3, 32, 32), np.float32))


def test_a_checkpoint_without_its_architecture_is_refused(tmp_path: Path, hashes: HashMemory) -> None:
    open_clip.add_model_config(_config_file(tmp_path, "tiny-clip"))
    state = open_clip.create_model("tiny-clip").state_dict()
    save_file({name: value.contiguous().clone() for name, value in state.items()}, tmp_path / "w.safetensors")
    with pytest.raises(UsageError, match=r"without its architecture; its shapes are those of .*tiny-clip.*write open_clip:"):
        load(str(tmp_path / "w.safetensors"), hashes)
    with pytest.raises(
        UsageError, match=r"without its architecture, and there is no such file; write open_clip:ARCHITECTURE/FILE"
    ):
        load("weights.pt", hashes)


def test_scale_and_bias_are_read_without_loading_the_network(tmp_path: Path, hashes: HashMemory) -> None:
    folder = tiny(tmp_path / "model", init_logit_scale=1.5, init_logit_bias=-10.0)
    model = load(str(folder), hashes)
    assert model.logit_scale == pytest.approx(np.exp(1.5), rel=1e-6)
    assert model.logit_bias == pytest.approx(-10.0)
    assert len(model.fingerprint) == 64
    assert "network" not in vars(model)


def test_fingerprint_follows_weights_precision_and_preprocessing(tmp_path: Path, hashes: HashMemory) -> None:
    folder = tiny(tmp_path / "model")
    seen = {load(str(folder), hashes).fingerprint, load(str(folder), hashes, "bfloat16").fingerprint}
    config = json.loads((folder / "open_clip_config.json").read_text())
    config["preprocess_cfg"]["mean"] = [0.1, 0.1, 0.1]
    (folder / "open_clip_config.json").write_text(json.dumps(config))
    seen.add(load(str(folder), hashes).fingerprint)
    tiny(folder, init_logit_scale=2.0)
    seen.add(load(str(folder), hashes).fingerprint)
    assert len(seen) == 4


def test_attention_is_the_blocks_own(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load(str(tiny(tmp_path / "model")), hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    attention = model.attention(prepared)
    visual = model.network.visual
    with torch.inference_mode():
        x = visual.transformer.resblocks[0](visual._embeds(torch.from_numpy(prepared)))
        normed = visual.transformer.resblocks[1].ln_1(x)
        _, expected = visual.transformer.resblocks[1].attn(normed, normed, normed, average_attn_weights=False)
    assert attention.shape == (len(pictures), 2, 17, 17)
    assert np.allclose(attention.sum(axis=-1), 1, atol=1e-6)
    assert np.abs(attention - expected.numpy()).max() < 1e-6


def test_patches_are_the_last_blocks_tokens(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load(str(tiny(tmp_path / "model")), hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    with torch.inference_mode():
        found = model.network.visual.forward_intermediates(torch.from_numpy(prepared), indices=1, intermediates_only=True)
    assert np.abs(model.patches(prepared) - found["image_intermediates"][0].permute(0, 2, 3, 1).numpy()).max() < 1e-6


RESIDUAL = {"layers": [1, 1, 1, 1], "width": 16, "patch_size": None, "head_width": 64}
CONVNEXT = {"timm_model_name": "convnext_atto", "timm_pool": "", "timm_proj": "linear", "timm_model_pretrained": False}


def test_a_residual_network_has_no_attention_and_its_patches_are_the_map_before_pooling(
    tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    model = load(str(tiny(tmp_path / "model", RESIDUAL)), hashes)
    assert abilities(model) == ["images", "texts", "logit_scale", "patches"]
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    visual = model.network.visual
    with torch.inference_mode():
        pooled = visual.attnpool(torch.from_numpy(model.patches(prepared)).permute(0, 3, 1, 2))
    assert np.abs(pooled.numpy() - model.encode_images(prepared)).max() < 1e-5  # what is left of the network gives its vectors


def test_patches_of_a_convnext_are_those_that_timm_gives(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load(str(tiny(tmp_path / "model", CONVNEXT)), hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    with torch.inference_mode():
        (last,) = model.network.visual.trunk.forward_intermediates(
            torch.from_numpy(prepared), indices=1, norm=False, output_fmt="NCHW", intermediates_only=True
        )
    assert np.abs(model.patches(prepared) - last.permute(0, 2, 3, 1).numpy()).max() < 1e-6


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_half_precision_gives_float32_near_the_full_one(
    tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image], precision: str
) -> None:
    folder = str(tiny(tmp_path / "model"))
    full, half = load(folder, hashes), load(folder, hashes, precision)
    prepared = np.stack([full.prepare(picture) for picture in pictures])
    images, texts = half.encode_images(prepared), half.encode_texts(half.tokenize(TEXTS).ids)
    assert images.dtype == texts.dtype == np.float32
    assert (unit(images) * unit(full.encode_images(prepared))).sum(axis=1).min() > 0.999
    assert (unit(texts) * unit(full.encode_texts(full.tokenize(TEXTS).ids))).sum(axis=1).min() > 0.999


def test_torchscript_is_refused(openai_b32: Path, tmp_path: Path, hashes: HashMemory) -> None:
    path = tmp_path / "ViT-B-32.pt"
    torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)), path)
    with pytest.raises(ModelError, match=r"TorchScript archive.*open_clip:ViT-B-32/openai"):
        load(f"ViT-B-32/{path}", hashes)


def test_a_pickle_that_runs_code_is_refused_unrun(tmp_path: Path, hashes: HashMemory, trap: object) -> None:
    open_clip.add_model_config(_config_file(tmp_path, "tiny-clip"))
    path = tmp_path / "evil.pt"
    torch.save({"state_dict": trap}, path)
    with pytest.raises(ModelError, match="more than tensors"):
        load(f"tiny-clip/{path}", hashes).encode_texts([np.array([49406, 49407])])


def test_names_that_mean_nothing_are_explained(hashes: HashMemory) -> None:
    with pytest.raises(UsageError, match="did you mean 'ViT-B-32'"):
        load("ViT-B32/openai", hashes)
    with pytest.raises(UsageError, match="neither a tag of ViT-B-32 nor a file; did you mean 'openai'"):
        load("ViT-B-32/opnai", hashes)


def test_weights_that_are_nowhere_are_named(hashes: HashMemory) -> None:
    with pytest.raises(ModelError, match=r"open_clip:ViT-B-32/laion2b_s34b_b79k.*not in the cache"):
        load("ViT-B-32/laion2b_s34b_b79k", hashes)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_threads_change_no_text_vector(tmp_path: Path, hashes: HashMemory, precision: str) -> None:
    """With several threads every one has trees of its own. Products stay in the precision that was chosen."""
    model = load(str(tiny(tmp_path / "model")), hashes, precision)
    ids = model.tokenize([f"a {kind} of the {n} things" for kind in ("photo", "picture", "drawing") for n in range(150)]).ids
    before = torch.get_num_threads()
    seen: list[tuple[str, torch.dtype]] = []
    tower = model.causal_tower
    assert tower is not None

    def spy(x: torch.Tensor) -> torch.Tensor:
        out = tower.blocks[0].query(x)
        seen.append((threading.current_thread().name, out.dtype))
        return out

    watched = replace(tower, blocks=(replace(tower.blocks[0], query=spy), *tower.blocks[1:]))
    model.causal_tower = watched  # type: ignore[misc]
    try:
        torch.set_num_threads(1)
        alone = model.encode_texts(ids)
        assert {name for name, _ in seen} == {threading.current_thread().name}
        seen.clear()
        torch.set_num_threads(3)
        together = model.encode_texts(ids)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert len({name for name, _ in seen}) > 1
    assert {dtype for _, dtype in seen} == {getattr(torch, precision)}
    assert np.abs(unit(alone) - unit(together)).max() < (1e-5 if precision == "float32" else 2e-2)
