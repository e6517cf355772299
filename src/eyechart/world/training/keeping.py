"""A trained model as it is kept: a folder that `hf:` (or `open_clip:`) and `onnx:` open alike, with card, recipe and scores."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from eyechart.models.export import export_model
from eyechart.models.model_json import NAME as MODEL_JSON
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.shared_weights import share_weights
from eyechart.world.training.towers import MEAN, STD, HfTowers
from eyechart.world.training.trainer import TOKENIZER, Trainer
from eyechart.world.training.validation import Score
from eyechart.world.training.vocabulary import CONTEXT

RECIPE = "recipe.json"


def keep(trainer: Trainer, folder: Path, score: Score | None, name: str | None = None) -> None:
    """Write the model to `folder`, in half precision. What stands there is replaced at the end, in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as work:
        draft = Path(work) / "model"
        draft.mkdir()
        weights = _write_checkpoint(trainer, draft)
        exported = Path(work) / "onnx"
        spec = f"hf:{draft}" if isinstance(trainer.towers, HfTowers) else f"open_clip:local-dir:{draft}"
        export_model(spec, exported)
        for graph in sorted(exported.glob("*.onnx")):
            share_weights(graph, weights)
            shutil.move(graph, draft / graph.name)
        for file in exported.glob("*.onnx.data"):
            shutil.move(file, draft / file.name)
        said = json.loads((exported / MODEL_JSON).read_text(encoding="utf-8"))
        shutil.copyfile(exported / said["text"]["tokenizer"], draft / TOKENIZER)
        said["logit_scale"] = round(float(trainer.towers.network.logit_scale.detach().exp().clamp(max=100)), 4)
        said["logit_bias"] = round(float(trainer.bias.detach()), 4)
        said["card"] = card(trainer, score, name or trainer.recipe.name, said["card"])
        (draft / MODEL_JSON).write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        known = {
            "recipe": trainer.recipe.known(),
            "samples": trainer.step * trainer.recipe.batch,
            "seconds": round(trainer.seconds),
        }
        known["validation"] = None if score is None else {key: round(value, 4) for key, value in vars(score).items()}
        (draft / RECIPE).write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)


def card(trainer: Trainer, score: Score | None, name: str, exported: dict[str, Any]) -> dict[str, Any]:
    recipe = trainer.recipe
    notes = [
        f"trained on the embedded world of Eyechart in {trainer.seconds / 60:.0f} minutes of one core",
        "not a model of the real world",
        f"single things alone until {recipe.several_from:.0%} of the run; captions of one meaning are no negatives of each other",
    ]
    if recipe.auxiliary and trainer.towers.patch_width:
        notes.append(
            f"over the first {recipe.auxiliary:.0%} of the run a fading auxiliary loss named what each patch shows;"
            " contrastive alone after that"
        )
    notes += _peculiar(recipe)
    if score is not None:
        notes.append(f"validation: {score}")
    return {
        "name": name,
        "architecture": exported.get("architecture")
        or ("ModifiedResNet" if recipe.tower == "conv" else f"ViT-{recipe.width}x{recipe.layers}/{recipe.patch}"),
        "family": "world zoo",
        "source": f"world-{recipe.look}",
        "dataset_size": recipe.distinct or trainer.step * recipe.batch,
        "samples_seen": trainer.step * recipe.batch,
        "loss": "sigmoid" if recipe.loss == "sigmoid" else "InfoNCE",
        "resolution": recipe.side,
        "parameters": sum(p.numel() for p in trainer.towers.network.parameters()),
        "licence": "Apache-2.0",
        "notes": notes,
    }


def _peculiar(recipe: Recipe) -> list[str]:
    """What sets the training apart from the default's."""
    usual = Recipe(name="usual").known()
    told = ("order", "manner", "look", "frequencies", "unseen", "accused", "text", "tower", "distinct")
    return [f"{key}: {value}" for key, value in recipe.known().items() if key in told and value != usual[key]]


def _write_checkpoint(trainer: Trainer, folder: Path) -> Path:
    """The library's own files; the weights are rounded to half precision first, so that both formats hold the same numbers."""
    import torch

    network = trainer.towers.network
    held = {name: value.clone() for name, value in network.state_dict().items()}
    try:
        if isinstance(trainer.towers, HfTowers):
            network.half().save_pretrained(folder)
            weights = folder / "model.safetensors"
            _write_processor(folder, trainer.recipe.side)
        else:
            from safetensors.torch import save_file

            weights = folder / "open_clip_model.safetensors"
            network.half()
            save_file({k: v.contiguous() for k, v in network.state_dict().items() if k != "attn_mask"}, weights)
            preprocess = {"mean": MEAN, "std": STD, "interpolation": "bicubic", "resize_mode": "shortest"}
            model = {**trainer.towers.config, "text_cfg": {**trainer.towers.config["text_cfg"], "hf_tokenizer_name": "."}}
            (folder / "open_clip_config.json").write_text(
                json.dumps({"model_cfg": model, "preprocess_cfg": preprocess}, indent=2)
            )
    finally:
        network.float()
        with torch.no_grad():
            network.load_state_dict(held)
    shutil.copyfile(trainer.folder / TOKENIZER, folder / TOKENIZER)
    special = {f"{part}_token": f"[{word}]" for part, word in (("bos", "START"), ("eos", "END"), ("unk", "UNK"), ("pad", "PAD"))}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONTEXT, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    return weights


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
    (folder / "preprocessor_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
