"""One run from its recipe to the folder of its model, and to those of its checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eyechart.world.training.keeping import keep
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.trainer import Trainer


def train(recipe: Recipe, work: Path, out: Path, *, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    import torch

    os.environ["OMP_NUM_THREADS"] = str(threads)
    torch.set_num_threads(threads)
    trainer = Trainer(recipe, work)
    if trainer.step:
        say(f"{recipe.name}: goes on from pair {trainer.step * recipe.batch:,}")
    score = trainer.run(
        lambda line: say(f"{recipe.name}: {line}"),
        at_checkpoint=lambda n: keep(
            trainer, out.with_name(f"{out.name}-at-{n // 1000}k"), None, f"{recipe.name} after {n:,} pairs"
        ),
    )
    keep(trainer, out, score)
    say(f"{recipe.name}: {score}; {trainer.seconds / 60:.1f} minutes of processor time")
    return {"model": recipe.name, "folder": str(out), "seconds": round(trainer.seconds), **vars(score)}
