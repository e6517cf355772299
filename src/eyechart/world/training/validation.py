"""Validation during training, on pictures separate from training and from every test set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.world.captions import caption
from eyechart.world.composer import render
from eyechart.world.drawing import NAMES, Habits, draw_several, draw_single
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.training.pairs import VALIDATION
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.towers import Towers, prepared

_SINGLES, _SCENES, _AT_ONCE = 360, 500, 100


@dataclass(frozen=True)
class ValidationScore:
    """Zero-shot accuracy of shape, color and texture on single objects, and R@1 of captions for 500 scenes of two."""

    shape: float
    color: float
    texture: float
    recall: float

    def __str__(self) -> str:
        return f"shape {self.shape:.0%}, color {self.color:.0%}, texture {self.texture:.0%}, R@1 {self.recall:.0%}"


class Validation:
    def __init__(self, recipe: Recipe) -> None:
        habits = Habits(recipe.look)

        def stream(number: int) -> np.random.Generator:
            return np.random.default_rng((recipe.seed, VALIDATION, number))

        singles = [draw_single(stream(i), habits) for i in range(_SINGLES)]
        scenes = [draw_several(stream(_SINGLES + i), habits, 2) for i in range(_SCENES)]
        self._things = [scene.things[0] for scene in singles]
        self._single = prepared(np.stack([render(scene, recipe.side).picture for scene in singles]))
        self._scenes = prepared(np.stack([render(scene, recipe.side).picture for scene in scenes]))
        described = [(scene.things, stream(2 * _SINGLES + _SCENES + i)) for i, scene in enumerate(scenes)]
        self._captions = [caption(t, recipe.order, rng, wording="color", manner=recipe.manner) for t, rng in described]
        self._plain = recipe.manner == "plain"

    def score(self, towers: Towers, tokenize: Callable[[list[str]], Any]) -> ValidationScore:
        import torch

        towers.network.eval()
        with torch.inference_mode():
            pictures = self._vectors(towers, self._single)
            found = {
                "shape": self._right(towers, tokenize, pictures, NAMES, [t.name for t in self._things]),
                "color": self._right(towers, tokenize, pictures, tuple(COLORS), [t.color for t in self._things]),
                "texture": self._right(towers, tokenize, pictures, tuple(TEXTURES), [t.texture for t in self._things]),
            }
            texts = torch.cat([towers.texts(tokenize(self._captions[i : i + _AT_ONCE])) for i in range(0, _SCENES, _AT_ONCE)])
            best = (self._vectors(towers, self._scenes) @ texts.T).argmax(1)
            recall = float((best == torch.arange(_SCENES)).float().mean())
        towers.network.train()
        return ValidationScore(**found, recall=recall)

    def _right(self, towers: Towers, tokenize: Any, pictures: Any, choices: tuple[str, ...], truth: list[str]) -> float:
        """Zero-shot classification: names alone, attributes as the mean over all names."""
        import torch

        heads = [towers.texts(tokenize(self._prompts(choice))).mean(0) for choice in choices]
        best = (pictures @ torch.stack(heads).T).argmax(1).tolist()
        return float(np.mean([choices[b] == t for b, t in zip(best, truth, strict=True)]))

    def _prompts(self, choice: str) -> list[str]:
        if choice in NAMES:
            return [f"a {choice}" if self._plain else choice]
        return [f"a {choice} {name}" if self._plain else f"{name}, {choice}" for name in NAMES]

    def _vectors(self, towers: Towers, pixels: Any) -> Any:
        import torch

        return torch.cat([towers.pictures(pixels[i : i + _AT_ONCE])[0] for i in range(0, len(pixels), _AT_ONCE)])
