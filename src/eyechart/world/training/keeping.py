"""The folder of a trained model: readable as `hf:` (or `open_clip:`) and `onnx:`, with card, recipe and scores."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import atomic_folder, write_json
from eyechart.models.export import export_model
from eyechart.models.model_json import NAME as MODEL_JSON
from eyechart.world.training.shared_weights import share_weights
from eyechart.world.training.towers import MEAN, STD
from eyechart.world.training.vocabulary import CONTEXT

RECIPE, TOKENIZER = "recipe.json", "tokenizer.json"
_KINDS = (".json", ".onnx", ".safetensors", ".jinja")


@dataclass(frozen=True)
class Trained:
    """A trained model.

    `config` is open_clip's configuration, None for transformers' CLIPModel. `record` holds the recipe, pairs seen, seconds and
    scores."""

    network: Any
    config: dict[str, Any] | None
    tokenizer: Path
    side: int
    logit_scale: float
    logit_bias: float
    card: dict[str, Any]
    record: dict[str, Any]


def check_place(folder: Path) -> None:
    """Check before training that the model can be written here. Only a model of a recipe is ever replaced."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        there = [] if not folder.exists() else list(folder.iterdir())
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror or error}); name another folder with --out") from error
    ours = any(file.name == RECIPE for file in there) and all(file.is_file() and file.suffix in _KINDS for file in there)
    if folder.is_symlink() or (there and not ours):
        raise UsageError(f"{folder} is not a model that was trained here; name a new or empty folder with --out")
    if not os.access(folder.parent, os.W_OK):
        raise StoreError(f"{folder.parent} cannot be written; name another folder with --out")


def keep(trained: Trained, folder: Path) -> None:
    """Write the model to `folder`, in half precision. An existing model is replaced at the end, in one step."""
    check_place(folder)
    with atomic_folder(folder) as draft:
        exported = draft.with_name("onnx")  # removed together with the draft
        weights = _write_checkpoint(trained, draft)
        export_model(f"hf:{draft}" if trained.config is None else f"open_clip:local-dir:{draft}", exported)
        for graph in sorted(exported.glob("*.onnx")):
            share_weights(graph, weights)
            shutil.move(graph, draft / graph.name)
        manifest = json.loads((exported / MODEL_JSON).read_text(encoding="utf-8"))
        shutil.copyfile(exported / manifest["text"]["tokenizer"], draft / TOKENIZER)
        manifest |= {
            "logit_scale": round(trained.logit_scale, 4),
            "logit_bias": round(trained.logit_bias, 4),
            "card": trained.card,
        }
        write_json(draft / MODEL_JSON, manifest)
        write_json(draft / RECIPE, trained.record)


def _write_checkpoint(trained: Trained, folder: Path) -> Path:
    """The library's own files; the weights are rounded to half precision first, so that both formats have the same numbers."""
    network = trained.network
    with in_half_precision(network):
        if trained.config is None:
            network.save_pretrained(folder)
            weights = folder / "model.safetensors"
            _write_processor(folder, trained.side)
        else:
            weights = folder / "open_clip_model.safetensors"
            _write_open_clip(network, trained.config, weights)
    weights.chmod(0o644)
    shutil.copyfile(trained.tokenizer, folder / TOKENIZER)
    special = {f"{part}_token": f"[{word}]" for part, word in (("bos", "START"), ("eos", "END"), ("unk", "UNK"), ("pad", "PAD"))}
    write_json(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONTEXT, **special},
    )
    return weights


@contextmanager
def in_half_precision(network: Any) -> Iterator[None]:
    """Round the weights to half precision; afterwards the network has its own weights again."""
    held = {name: value.clone() for name, value in network.state_dict().items()}
    try:
        network.half()
        yield
    finally:
        network.float()
        network.load_state_dict(held)


def _write_open_clip(network: Any, config: dict[str, Any], weights: Path) -> None:
    from safetensors.torch import save_file

    save_file({name: value.contiguous() for name, value in network.state_dict().items() if name != "attn_mask"}, weights)
    text = {**config["text_cfg"], "hf_tokenizer_name": "."}
    preprocess = {"mean": MEAN, "std": STD, "interpolation": "bicubic", "resize_mode": "shortest"}
    write_json(
        weights.with_name("open_clip_config.json"), {"model_cfg": {**config, "text_cfg": text}, "preprocess_cfg": preprocess}
    )


def _write_processor(folder: Path, side: int) -> None:
    settings = {
        "image_processor_type": "CLIPImageProcessor",
        "do_resize": True,
        "size": {"shortest_edge": side},
        "resample": 3,
        "do_center_crop": True,
        "crop_size": {"height": side, "width": side},
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": MEAN,
        "image_std": STD,
        "do_convert_rgb": True,
    }
    write_json(folder / "preprocessor_config.json", settings)
