"""The training loop. An interrupted run continues from its last saved state and gives the same model."""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import atomic_path, remove_abandoned
from eyechart.world.training.losses import OUTPUTS, infonce, patch_loss, sigmoid
from eyechart.world.training.muon import Muon
from eyechart.world.training.pairs import Pairs, same_meaning
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.recipe_checks import CELLS
from eyechart.world.training.tokens import tokenizer
from eyechart.world.training.towers import Towers, build, prepared
from eyechart.world.training.validation import Validation, ValidationScore
from eyechart.world.training.vocabulary import write_tokenizer

STATE, TOKENIZER, LOG = "state.pt", "tokenizer.json", "log.jsonl"
_SAVE_EVERY, _SCORE_EVERY = 60.0, 250  # seconds, steps
_WARM_UP = 60
_LEAST_RATE = 0.02
_HIGHEST_SCALE = 100.0
_FIRST_SCALE = 1 / 0.07
_SIGMOID_SCALE, _SIGMOID_BIAS = 10.0, -10.0  # Zhai et al. 2023, section 3.2


class Trainer:
    """A training run. `seconds` is its CPU time over all its parts."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        import torch

        self.recipe, self.folder = recipe, folder
        folder.mkdir(parents=True, exist_ok=True)
        for place in (folder, folder.parent):  # the state of this run, and the opening
            remove_abandoned(place, below=False)
        tokens = write_tokenizer(folder / TOKENIZER)
        self.towers: Towers = build(recipe, tokens)
        network = self.towers.network
        cells = (CELLS * recipe.patch // recipe.side) ** 2
        self._names = torch.nn.Linear(self.towers.patch_width, cells * sum(OUTPUTS)) if self.towers.patch_width else None
        self.bias = torch.nn.Parameter(torch.tensor(_SIGMOID_BIAS if recipe.loss == "sigmoid" else 0.0))
        with torch.no_grad():
            network.logit_scale.fill_(math.log(_SIGMOID_SCALE if recipe.loss == "sigmoid" else _FIRST_SCALE))
        self._optimize(network)
        self.tokenize = tokenizer(folder / TOKENIZER)
        self.pairs = Pairs(recipe)
        self.step, self.seconds = 0, 0.0
        self._resume()

    def _optimize(self, network: Any) -> None:
        import torch

        matrices = [p for name, p in network.named_parameters() if p.ndim == 2 and "embed" not in name]
        chosen = {id(p) for p in matrices}
        rest = [p for p in network.parameters() if id(p) not in chosen]
        extra = list(self._names.parameters()) if self._names is not None else []
        biases = [self.bias] if self.recipe.loss == "sigmoid" else []
        self._all = [*network.parameters(), *extra, *biases]
        self._muon = Muon(matrices, self.recipe.matrix_rate)
        self._adam = torch.optim.AdamW([*rest, *extra, *biases], lr=self.recipe.rate, betas=(0.9, 0.98), weight_decay=0.02)

    def run(
        self, say: Callable[[str], None], until: int | None = None, at_checkpoint: Callable[[int], None] | None = None
    ) -> ValidationScore:
        """Train to the end, or to step `until`; returns the validation score."""
        validation = Validation(self.recipe)
        last_saved, losses = time.monotonic(), []
        marks = {n // self.recipe.batch: n for n in self.recipe.checkpoints}
        start = time.monotonic()
        first = self.step
        while self.step < (self.recipe.steps if until is None else min(until, self.recipe.steps)):
            before = time.process_time()
            losses.append(self._learn())
            self.step += 1
            self.seconds += time.process_time() - before
            if self.step == self.recipe.opening_steps:
                self.save(self._opening)
            if self.step in marks and at_checkpoint is not None:
                at_checkpoint(marks[self.step])
            if self.step % _SCORE_EVERY == 0:
                score = validation.score(self.towers, self.tokenize)
                rate = (self.step - first) * self.recipe.batch / (time.monotonic() - start)
                left = (self.recipe.steps - self.step) * self.recipe.batch / rate / 60
                samples, loss = self.step * self.recipe.batch, float(np.mean(losses))
                of = f"{samples:,} of {self.recipe.samples:,} pairs, {rate:.0f}/s, {left:.0f} min left"
                say(f"{of}: loss {loss:.2f}, {score}")
                self._note(samples, loss, score)
                losses = []
            if time.monotonic() - last_saved > _SAVE_EVERY:
                self.save()
                last_saved = time.monotonic()
        self.save()
        return validation.score(self.towers, self.tokenize)

    def _learn(self) -> float:
        import torch

        done = self.step / self.recipe.steps
        fading = _LEAST_RATE + (1 - _LEAST_RATE) * (1 + math.cos(math.pi * done)) / 2
        slow = min(1.0, (self.step + 1) / _WARM_UP) * fading
        self._muon.rate = self.recipe.matrix_rate * slow
        for group in self._adam.param_groups:
            group["lr"] = self.recipe.rate * slow
        batch = self.pairs.batch(self.step)
        pictures, patches = self.towers.pictures(prepared(np.stack([pair.picture for pair in batch])))
        captions = [pair.caption for pair in batch]
        scale = self.towers.network.logit_scale.exp().clamp(max=_HIGHEST_SCALE)
        logits = scale * pictures @ self.towers.texts(self.tokenize(captions)).T + self.bias
        same = torch.from_numpy(same_meaning(captions))
        loss = (sigmoid if self.recipe.loss == "sigmoid" else infonce)(logits, same)
        contrastive = float(loss.detach())
        weight = max(0.0, 1 - done / self.recipe.auxiliary) if self.recipe.auxiliary else 0.0
        if weight and self._names is not None:
            cells = torch.from_numpy(np.stack([pair.cells for pair in batch]))
            loss = loss + weight * patch_loss(self._names(patches), cells)
        self._adam.zero_grad()
        self.towers.network.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._all, 1.0)
        self._muon.step()
        self._adam.step()
        return contrastive

    def save(self, path: Path | None = None) -> None:
        import torch

        path = path or self.folder / STATE

        state = {
            "recipe": json.dumps(self.recipe.known(), sort_keys=True),
            "step": self.step,
            "seconds": self.seconds,
            "network": self.towers.network.state_dict(),
            "names": self._names.state_dict() if self._names is not None else {},
            "bias": self.bias.detach(),
            "muon": self._muon.state_dict(),
            "adam": self._adam.state_dict(),
        }
        with atomic_path(path) as unfinished:
            torch.save(state, unfinished)

    def _resume(self) -> None:
        import torch

        path = self.folder / STATE
        if not path.is_file() and not self._keeps_of_opening():
            path = self._opening
        if not path.is_file():
            return
        try:
            state = torch.load(path, weights_only=True)
        except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
            raise StoreError(f"{path}: not a readable state of a run; delete it to start again") from error
        if path != self._opening and state["recipe"] != json.dumps(self.recipe.known(), sort_keys=True):
            raise UsageError(f"{self.folder}: it contains a run of another recipe; give another folder, or delete it")
        self.towers.network.load_state_dict(state["network"])
        if self._names is not None:
            self._names.load_state_dict(state["names"])
        with torch.no_grad():
            self.bias.copy_(state["bias"])
        self._muon.load_state_dict(state["muon"])
        self._adam.load_state_dict(state["adam"])
        self.step, self.seconds = int(state["step"]), float(state["seconds"])

    def _keeps_of_opening(self) -> bool:
        """Whether checkpoints are within the opening: of a shared opening only the end is stored."""
        return any(pairs // self.recipe.batch <= self.recipe.opening_steps for pairs in self.recipe.checkpoints)

    @property
    def _opening(self) -> Path:
        """The shared state of all runs with this opening, which is trained once."""
        return self.folder.parent / f"opening-{self.recipe.opening()}.pt"

    def _note(self, samples: int, loss: float, score: ValidationScore) -> None:
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            line = {"samples": samples, "loss": round(loss, 4), "seconds": round(self.seconds), **vars(score)}
            log.write(json.dumps(line) + "\n")
