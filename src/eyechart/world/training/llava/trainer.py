"""The training loop of a small LLaVA. An interrupted run continues from its last saved state and gives the same model."""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import atomic_path
from eyechart.world.drawing import NAMES
from eyechart.world.training.llava.conversations import Conversations
from eyechart.world.training.llava.network import FEATURE_LAYER, IGNORED, answer_logits, build, open_clip_model, pack
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.llava.validation import LlavaScore, LlavaValidation
from eyechart.world.training.llava.vocabulary import write_llava_tokenizer
from eyechart.world.training.llava.wordings import NUMBERS, PROMPT
from eyechart.world.training.muon import Muon
from eyechart.world.training.tokens import tokenizer
from eyechart.world.training.towers import prepared
from eyechart.world.training.vocabulary import END, PAD

STATE, TOKENIZER, LOG = "state.pt", "tokenizer.json", "log.jsonl"
_SAVE_EVERY, _SCORE_EVERY = 45.0, 100  # seconds, steps
_WARM_UP, _LEAST_RATE = 40, 0.02
_AT_ONCE = 8  # rows of one pass


class LlavaTrainer:
    """A training run. `seconds` is its CPU time over all its parts."""

    def __init__(self, recipe: LlavaRecipe, tower: Path, folder: Path) -> None:
        import torch

        self.recipe, self.folder = recipe, folder
        folder.mkdir(parents=True, exist_ok=True)
        tokens = write_llava_tokenizer(folder / TOKENIZER)
        self.clip = open_clip_model(tower)
        self._names = self._name_vectors(tokenizer(tower / TOKENIZER))
        self.network = build(recipe, self.clip, tokens)
        self.network.model.vision_tower.eval()
        self.encode = Prompts(folder / TOKENIZER)
        learned = [(name, p) for name, p in self.network.named_parameters() if p.requires_grad]
        matrices = [p for name, p in learned if p.ndim == 2 and "embed" not in name and "lm_head" not in name]
        chosen = {id(p) for p in matrices}
        self._all = [p for _, p in learned]
        self._muon = Muon(matrices, recipe.matrix_rate)
        rest = [p for p in self._all if id(p) not in chosen]
        self._adam = torch.optim.AdamW(rest, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.02)
        self.conversations = Conversations(recipe)
        self.step, self.seconds = 0, 0.0
        self._resume()

    @property
    def trainable(self) -> int:
        return sum(p.numel() for p in self._all)

    def run(self, say: Callable[[str], None], until: int | None = None) -> LlavaScore:
        """Train to the end, or to step `until`; returns the validation score."""
        validation = LlavaValidation(self.recipe)
        saved, losses, start, first = time.monotonic(), list[float](), time.monotonic(), self.step
        while self.step < (self.recipe.steps if until is None else min(until, self.recipe.steps)):
            before = time.process_time()
            losses.append(self._learn())
            self.step += 1
            self.seconds += time.process_time() - before
            if self.step == self.recipe.opening_steps:
                self.save(self._opening)
            if self.step % _SCORE_EVERY == 0:
                score, seen = validation.score(self.network, self.encode), self.step * self.recipe.batch
                rate = (self.step - first) * self.recipe.batch / (time.monotonic() - start)
                left = (self.recipe.steps - self.step) * self.recipe.batch / rate / 60
                of = f"{seen:,} of {self.recipe.samples:,} pictures, {rate:.0f}/s, {left:.0f} min left"
                say(f"{of}: loss {np.mean(losses):.2f}, {score}")
                self._note(seen, float(np.mean(losses)), score)
                losses = []
            if time.monotonic() - saved > _SAVE_EVERY:
                self.save()
                saved = time.monotonic()
        self.save()
        return validation.score(self.network, self.encode)

    def _learn(self) -> float:
        import torch

        done = self.step / self.recipe.steps
        fading = _LEAST_RATE + (1 - _LEAST_RATE) * (1 + math.cos(math.pi * done)) / 2
        slow = min(1.0, (self.step + 1) / _WARM_UP) * fading
        self._muon.rate = self.recipe.matrix_rate * slow
        for group in self._adam.param_groups:
            group["lr"] = self.recipe.rate * slow
        batch = self.conversations.batch(self.step)
        pixels = prepared(np.stack([one.picture for one in batch]))
        features, confidences = self._look(pixels)
        asked = [
            [
                (self.encode.question(e.question), self.encode.answer(e.answer if e.sure is None else told(row, e.sure)))
                for e in one.exchanges
            ]
            for one, row in zip(batch, confidences, strict=True)
        ]
        for p in self._all:
            p.grad = None
        # Rows of like length together, so that little is padded; the gradient is that of the whole batch.
        order = sorted(range(len(asked)), key=lambda i: sum(len(q) + len(a) for q, a in asked[i]))
        parts = [order[i : i + _AT_ONCE] for i in range(0, len(order), _AT_ONCE)]
        packs = [pack([asked[i] for i in part]) for part in parts]
        whole, total = sum(int((packed.targets != IGNORED).sum()) for packed in packs), 0.0
        for part, packed in zip(parts, packs, strict=True):
            logits = answer_logits(self.network, features[part], self.encode.prefix, packed)
            targets = packed.targets[packed.targets != IGNORED]
            loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum") / whole
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self._all, 1.0)
        self._muon.step()
        self._adam.step()
        return total

    def _name_vectors(self, tokenize: Callable[[list[str]], Any]) -> Any:
        """[names, width]: unit vectors of "a photo of a NAME" by the text encoder that belongs to the image encoder."""
        import torch

        with torch.no_grad():
            ids = tokenize([f"a photo of a {name}" for name in NAMES])
            read = self.clip.text_model(input_ids=ids, attention_mask=(ids != PAD).long())
            vectors = self.clip.text_projection(read.pooler_output)
            return vectors / vectors.norm(dim=-1, keepdim=True)

    def _look(self, pixels: Any) -> tuple[Any, list[dict[str, float]]]:
        """What the projector is given, and the probability of every name by the image encoder and its own text encoder."""
        import torch

        with torch.no_grad():
            seen = self.clip.vision_model(pixel_values=pixels, output_hidden_states=True)
            vectors = self.clip.visual_projection(seen.pooler_output)
            vectors = vectors / vectors.norm(dim=-1, keepdim=True)
            scale = self.clip.logit_scale.exp().clamp(max=100)
            rows = (scale * vectors @ self._names.T).softmax(dim=1).tolist()
        return seen.hidden_states[FEATURE_LAYER][:, 1:], [dict(zip(NAMES, row, strict=True)) for row in rows]

    @property
    def _opening(self) -> Path:
        """The shared state of all runs with this opening, which is trained once."""
        return self.folder.parent / f"opening-{self.recipe.opening()}.pt"

    def save(self, path: Path | None = None) -> None:
        import torch

        state = {
            "recipe": json.dumps(self.recipe.known(), sort_keys=True),
            "step": self.step,
            "seconds": self.seconds,
            "network": self.network.state_dict(),
            "muon": self._muon.state_dict(),
            "adam": self._adam.state_dict(),
        }
        with atomic_path(path or self.folder / STATE) as unfinished:
            torch.save(state, unfinished)

    def _resume(self) -> None:
        import torch

        path = self.folder / STATE
        if not path.is_file():
            path = self._opening
        if not path.is_file():
            return
        try:
            state = torch.load(path, weights_only=True)
        except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
            raise StoreError(f"{path}: not a readable state of a run; delete it to start again") from error
        if path != self._opening and state["recipe"] != json.dumps(self.recipe.known(), sort_keys=True):
            raise UsageError(f"{self.folder}: it contains a run of another recipe; give another folder, or delete it")
        self.network.load_state_dict(state["network"])
        self._muon.load_state_dict(state["muon"])
        self._adam.load_state_dict(state["adam"])
        self.step, self.seconds = int(state["step"]), float(state["seconds"])

    def _note(self, samples: int, loss: float, score: LlavaScore) -> None:
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            line = {"samples": samples, "loss": round(loss, 4), "seconds": round(self.seconds), **vars(score)}
            log.write(json.dumps(line) + "\n")


class Prompts:
    """Prompts and answers as tokens: those before the picture, those of a question after it, those of an answer with its end."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        before, self._after = (part.strip() for part in PROMPT.split("{image}"))
        self.prefix: list[int] = self._tokenizer.encode(before).ids
        self._known: dict[str, list[int]] = {}

    def question(self, text: str) -> Sequence[int]:
        return self._ids(self._after.format(question=text))

    def answer(self, text: str) -> Sequence[int]:
        return [*self._ids(text), END]

    def _ids(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._known[text]


def told(confidences: dict[str, float], name: str) -> str:
    """A probability as a number from 0 to 100, in tens."""
    return NUMBERS[round(10 * confidences[name])]
