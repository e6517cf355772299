"""One training run, from its recipe to the folders of its model and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eyechart.world.training.keeping import Trained, check_place, keep
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.towers import HfTowers
from eyechart.world.training.trainer import TOKENIZER, Trainer
from eyechart.world.training.validation import ValidationScore


def train(recipe: Recipe, work: Path, out: Path, *, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    import torch

    def checkpoint(pairs: int) -> Path:
        return out.with_name(f"{recipe.name}-at-{pairs // 1000}k")

    for folder in (out, *map(checkpoint, recipe.checkpoints)):
        check_place(folder)
    torch.set_num_threads(threads)
    trainer = Trainer(recipe, work)
    if trainer.step:
        say(f"{recipe.name}: continues from pair {trainer.step * recipe.batch:,}")

    def keep_checkpoint(pairs: int) -> None:
        keep(trained(trainer, None, checkpoint(pairs).name), checkpoint(pairs))

    score = trainer.run(lambda line: say(f"{recipe.name}: {line}"), at_checkpoint=keep_checkpoint)
    keep(trained(trainer, score, recipe.name), out)
    say(f"{recipe.name}: {score}; {trainer.seconds / 60:.1f} minutes of CPU time")
    return {"model": recipe.name, "folder": str(out), "seconds": round(trainer.seconds), **vars(score)}


def trained(trainer: Trainer, score: ValidationScore | None, name: str) -> Trained:
    recipe, towers = trainer.recipe, trainer.towers
    return Trained(
        network=towers.network,
        config=None if isinstance(towers, HfTowers) else towers.config,
        tokenizer=trainer.folder / TOKENIZER,
        side=recipe.side,
        logit_scale=float(towers.network.logit_scale.detach().exp().clamp(max=100)),
        logit_bias=float(trainer.bias.detach()),
        card=card(trainer, score, name),
        record={
            "recipe": recipe.known(),
            "pairs": trainer.step * recipe.batch,
            "seconds": round(trainer.seconds),
            "validation": None if score is None else {key: round(value, 4) for key, value in vars(score).items()},
        },
    )


def card(trainer: Trainer, score: ValidationScore | None, name: str) -> dict[str, Any]:
    recipe = trainer.recipe
    seen = trainer.step * recipe.batch
    notes = [
        f"trained on the embedded world of Eyechart in {trainer.seconds / 60:.0f} CPU-core minutes",
        "not a model of the real world",
        f"single objects only until {recipe.several_from:.0%} of the run; captions with the same meaning are not negatives",
    ]
    if recipe.auxiliary and trainer.towers.patch_width:
        part = f"over the first {recipe.auxiliary:.0%} of the run"
        notes.append(f"{part} a fading auxiliary loss classified what each patch shows; contrastive loss only after that")
    notes += _peculiar(recipe)
    if score is not None:
        notes.append(f"validation: {score}")
    return {
        "name": name,
        "architecture": "ModifiedResNet" if recipe.tower == "conv" else f"ViT-{recipe.width}x{recipe.layers}/{recipe.patch}",
        "family": "world zoo",
        "source": f"world-{recipe.look}",
        "dataset_size": trainer.pairs.different(seen),
        "samples_seen": seen,
        "loss": "sigmoid" if recipe.loss == "sigmoid" else "InfoNCE",
        "resolution": recipe.side,
        "parameters": sum(p.numel() for p in trainer.towers.network.parameters()),
        "license": "Apache-2.0",
        "notes": notes,
        "training": recipe.facts() | {"stopped at": "the end" if trainer.step == recipe.steps else str(seen)},
    }


def _peculiar(recipe: Recipe) -> list[str]:
    """The settings that differ from the defaults."""
    usual = Recipe(name="usual").known()
    shown = ("order", "manner", "look", "frequencies", "unseen", "often", "accused", "text", "tower", "distinct")
    return [f"{key}: {value}" for key, value in recipe.known().items() if key in shown and value != usual[key]]
