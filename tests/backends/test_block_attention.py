"""The class token's attention in every block, against the libraries' own modules, and through an exported folder."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import AutoModel

import eyechart
from eyechart.files.hashing import HashMemory
from eyechart.models.export import export_model
from eyechart.models.onnx import open_folder

from .test_hf import clip_folder  # noqa: F401
from .test_hf import load as load_hf
from .test_open_clip import load as load_open_clip
from .test_open_clip import tiny

THREE = {"layers": 3}


@torch.inference_mode()
def open_clips_own(network: torch.nn.Module, prepared: np.ndarray) -> np.ndarray:
    """[n, blocks, heads, tokens]: block after block by hand, the weights asked of torch's own attention module."""
    visual, found = network.visual, []
    x = visual._embeds(torch.from_numpy(prepared))
    for block in visual.transformer.resblocks:
        normed = block.ln_1(x)
        _, weights = block.attn(normed, normed, normed, need_weights=True, average_attn_weights=False)
        found.append(weights[:, :, 0].numpy())
        x = block(x)
    return np.stack(found, axis=1)


@torch.inference_mode()
def transformers_own(folder: Path, prepared: np.ndarray) -> np.ndarray:
    eager = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    attentions = eager.vision_model(torch.from_numpy(prepared), output_attentions=True).attentions
    return np.stack([weights[:, :, 0].numpy() for weights in attentions], axis=1)


def test_open_clip(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    model = load_open_clip(str(tiny(tmp_path / "model", THREE)), hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    found = model.block_attention(prepared)
    assert found.shape == (len(pictures), 3, 2, 17)
    assert np.abs(found - open_clips_own(model.network, prepared)).max() < 1e-6
    assert np.abs(found[:, -1] - model.attention(prepared)[:, :, 0]).max() < 1e-6


def test_transformers(clip_folder: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:  # noqa: F811
    model = load_hf(clip_folder, hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    found = model.block_attention(prepared)
    assert found.shape == (len(pictures), 2, 2, 10)
    assert np.abs(found - transformers_own(clip_folder, prepared)).max() < 1e-6


def test_an_exported_open_clip_model(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    source = tiny(tmp_path / "model", THREE)
    report = export_model(f"open_clip:{source}", tmp_path / "out", all_blocks=True)
    assert report.outputs == ("image_embeds", "attention", "block_attention", "patches", "text_embeds")
    written, network = open_folder(tmp_path / "out", "onnx:out", hashes), load_open_clip(str(source), hashes).network
    prepared = np.stack([written.prepare(picture) for picture in pictures])
    assert np.abs(written.block_attention(prepared) - open_clips_own(network, prepared)).max() < 1e-5


def test_an_exported_transformers_model(
    clip_folder: Path,  # noqa: F811
    tmp_path: Path,
    hashes: HashMemory,
    pictures: list[Image.Image],
) -> None:
    export_model(f"hf:{clip_folder}", tmp_path / "out", all_blocks=True)
    written = open_folder(tmp_path / "out", "onnx:out", hashes)
    prepared = np.stack([written.prepare(picture) for picture in pictures])
    assert np.abs(written.block_attention(prepared) - transformers_own(clip_folder, prepared)).max() < 1e-5
    assert json.loads((tmp_path / "out" / "model.json").read_text())["image"]["block_attention"] == "block_attention"


@pytest.fixture(scope="module")
def model_of(tmp_path_factory: pytest.TempPathFactory, clip_folder: Path) -> dict[str, str]:  # noqa: F811
    """The same kind of tower in all three guises."""
    home = tmp_path_factory.mktemp("models")
    source = tiny(home / "open_clip", THREE)
    export_model(f"open_clip:{source}", home / "onnx", all_blocks=True)
    return {"open_clip": f"open_clip:{source}", "hf": f"hf:{clip_folder}", "onnx": f"onnx:{home / 'onnx'}"}


@pytest.mark.parametrize(("kind", "blocks"), [("open_clip", 3), ("hf", 2), ("onnx", 3)])
def test_the_probe_looks_into_every_block_and_head(kind: str, blocks: int, model_of: dict[str, str], tmp_path: Path) -> None:
    settings = {"attention": {"blocks": "all", "heads": True, "least": 10, "pictures": 12, "shown": 2}}
    exam = eyechart.examine(
        model_of[kind], "world-scenes", limit=84, probes=["attention"], settings=settings, out=tmp_path / "out"
    )
    leads = [json.loads(r["slice"]) for r in exam.findings.to_pylist() if r["metric"] == "attention_density_ratio"]
    assert {s["block"] for s in leads if "block" in s} == set(range(1, blocks + 1))
    assert {(s["block"], s["head"]) for s in leads if {"block", "head"} <= set(s)} == {
        (block, head) for block in range(1, blocks + 1) for head in (1, 2)
    }
    drawn = {e.exhibit.name for e in exam.exhibits if "drawn" in e.exhibit.table.column_names}
    assert drawn == {"attention-maps", "attention-maps-by-block", "attention-maps-by-head"}
