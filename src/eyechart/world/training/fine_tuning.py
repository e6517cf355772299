"""Models made from other models: fine-tuned as classifiers, or with another logit scale.

A fine-tuned model keeps its parent's text encoder: the head of the classifier is the fixed text vectors of the class
names, and only the image encoder is trained. So every probe that runs on the parent also runs on the child.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.errors import UsageError
from eyechart.world.composer import render
from eyechart.world.drawing import NAMES, UNUSUAL, Habits, draw_single
from eyechart.world.materials import COLORS
from eyechart.world.scene import Thing
from eyechart.world.training.pairs import FINE_TUNING
from eyechart.world.training.recipe_checks import check_name

# The classes of a fine-tuning stage: few, or many finer ones.
TASKS: dict[str, Callable[[Thing], str]] = {"names": lambda t: t.name, "colored names": lambda t: f"{t.color} {t.name}"}
_BATCH = 64
_RATE = 3e-4


@dataclass(frozen=True)
class FineTuning:
    """A recipe for a model made from another one.

    name: The model's name.
    parent: The model it is made from.
    stages: Classification tasks, in order, each with `samples` ordinary pictures of single objects.
    samples: Pictures per stage.
    side: The input size in pixels.
    scale: A factor of the logit scale; it changes no vector.
    seed: The seed.
    """

    name: str
    parent: str
    stages: tuple[str, ...] = ()
    samples: int = 20_000
    side: int = 64
    scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_name(self.name)
        for stage in self.stages:
            if stage not in TASKS:
                raise UsageError(f"recipe {self.name}: there is no stage called {stage!r}; choose from {', '.join(TASKS)}")
        if self.samples < _BATCH or not 0 < self.scale < math.inf or self.seed < 0:
            raise UsageError(f"recipe {self.name}: give at least {_BATCH} samples, a scale above 0 and no negative seed")
        if self.side % 8 or not 32 <= self.side <= 256:
            raise UsageError(f"recipe {self.name}: side is {self.side}; choose a multiple of 8 from 32 to 256")

    def known(self) -> dict[str, Any]:
        return asdict(self)


def fine_tune(network: Any, tokenize: Callable[[list[str]], Any], recipe: FineTuning, say: Callable[[str], None]) -> float:
    """Train the image encoder of a CLIPModel in place; returns the CPU time in seconds."""
    import torch

    from eyechart.world.training.towers import prepared

    begun = time.process_time()
    torch.manual_seed(recipe.seed)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    tower = [*network.vision_model.parameters(), *network.visual_projection.parameters()]
    for parameter in tower:
        parameter.requires_grad_(True)
    network.train()
    number = 0
    for stage in recipe.stages:
        classes = _classes(stage)
        head = _head(network, tokenize, [f"a photo of a {name}" for name in classes])
        optimizer = torch.optim.AdamW(tower, lr=_RATE, weight_decay=0.02)
        steps, right = recipe.samples // _BATCH, []
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = _RATE * (1 + math.cos(math.pi * step / steps)) / 2
            pictures, truth = _batch(recipe, stage, classes, number)
            number += _BATCH
            vectors = network.visual_projection(network.vision_model(pixel_values=prepared(pictures)).pooler_output)
            vectors = vectors / vectors.norm(dim=-1, keepdim=True)
            logits = network.logit_scale.exp().clamp(max=100) * vectors @ head.T
            loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(truth))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tower, 1.0)
            optimizer.step()
            right.append(float((logits.argmax(1).numpy() == truth).mean()))
            if (step + 1) % 50 == 0:
                say(f"{stage}: {(step + 1) * _BATCH:,} of {recipe.samples:,} pictures, {np.mean(right[-50:]):.0%} correct")
    network.eval()
    return time.process_time() - begun


def _classes(stage: str) -> list[str]:
    if stage == "names":
        return list(NAMES)
    return [f"{color} {name}" for color in COLORS for name in NAMES]


def _head(network: Any, tokenize: Callable[[list[str]], Any], prompts: list[str]) -> Any:
    import torch

    from eyechart.world.training.vocabulary import PAD

    with torch.no_grad():
        ids = tokenize(prompts)
        read = network.text_model(input_ids=ids, attention_mask=(ids != PAD).long())
        vectors = network.text_projection(read.pooler_output)
        return vectors / vectors.norm(dim=-1, keepdim=True)


def _batch(recipe: FineTuning, stage: str, classes: list[str], first: int) -> tuple[Any, Any]:
    scenes = [
        draw_single(np.random.default_rng((recipe.seed, FINE_TUNING, first + i)), Habits(unseen=UNUSUAL)) for i in range(_BATCH)
    ]
    truth = np.array([classes.index(TASKS[stage](scene.things[0])) for scene in scenes])
    return np.stack([render(scene, recipe.side).picture for scene in scenes]), truth


def at_side(network: Any, side: int) -> Any:
    """The same CLIPModel for another input size: position embeddings are interpolated, other weights kept."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    config = network.config.to_dict()
    if config["vision_config"]["image_size"] == side:
        return network
    patch = config["vision_config"]["patch_size"]
    config["vision_config"]["image_size"] = side
    other = CLIPModel(CLIPConfig(**config))
    state = network.state_dict()
    key = "vision_model.embeddings.position_embedding.weight"
    places = state[key]
    cells = round((len(places) - 1) ** 0.5)
    grid = places[1:].reshape(1, cells, cells, -1).permute(0, 3, 1, 2)
    wider = torch.nn.functional.interpolate(grid, size=(side // patch,) * 2, mode="bicubic", align_corners=False)
    state[key] = torch.cat([places[:1], wider.permute(0, 2, 3, 1).reshape((side // patch) ** 2, -1)])
    state = {name: value for name, value in state.items() if not name.endswith("position_ids")}
    other.load_state_dict(state, strict=False)
    return other


def derive(recipe: FineTuning, parent: Path, out: Path, *, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Make a model from the folder of its parent."""
    import torch
    from transformers import CLIPModel

    from eyechart.world.training.keeping import TOKENIZER, Trained, check_place, keep
    from eyechart.world.training.tokens import tokenizer

    if not (parent / "config.json").is_file():
        raise UsageError(f"recipe {recipe.name}: {recipe.parent} is not a CLIPModel of transformers; choose another parent")
    check_place(out)
    torch.set_num_threads(threads)
    manifest = json.loads((parent / "model.json").read_text(encoding="utf-8"))
    network = at_side(CLIPModel.from_pretrained(parent, local_files_only=True, dtype=torch.float32), recipe.side)
    seconds = fine_tune(network, tokenizer(parent / TOKENIZER), recipe, lambda line: say(f"{recipe.name}: {line}"))
    with torch.no_grad():  # `hf:` takes the scale from the weights, `onnx:` from model.json
        network.logit_scale.add_(math.log(recipe.scale))
    keep(
        Trained(
            network=network,
            config=None,
            tokenizer=parent / TOKENIZER,
            side=recipe.side,
            logit_scale=manifest["logit_scale"] * recipe.scale,
            logit_bias=manifest["logit_bias"],
            card=manifest["card"] | _card_facts(recipe, manifest["card"], seconds),
            record={"recipe": recipe.known(), "seconds": round(seconds)},
        ),
        out,
    )
    say(f"{recipe.name}: made from {recipe.parent} in {seconds / 60:.1f} minutes of CPU time")
    return {"model": recipe.name, "folder": str(out), "seconds": round(seconds)}


def _card_facts(recipe: FineTuning, card: dict[str, Any], seconds: float) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": recipe.name, "resolution": recipe.side}
    notes = [note for note in card["notes"] if not note.startswith("validation")]
    if recipe.stages:
        facts["fine_tuning"] = f"classifier of single objects: {', then '.join(recipe.stages)}"
        notes.append(f"then fine-tuned in {seconds / 60:.0f} minutes; the head is the text encoder of the parent, unchanged")
    if recipe.scale != 1:
        notes.append(f"the logit scale of {recipe.parent} times {recipe.scale:g}; all vectors are equal")
    changed = {"fine-tuning": ", then ".join(recipe.stages) or "none", "side": str(recipe.side), "scale": f"{recipe.scale:g}"}
    return facts | {"notes": notes, "training": {**card.get("training", {}), **changed}}
