"""Validation of a small LLaVA during training, on pictures apart from training and from every test set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.world.composer import render
from eyechart.world.drawing import NAMES, Habits, draw_single
from eyechart.world.training.llava.conversations import VALIDATION
from eyechart.world.training.llava.network import IGNORED, answer_logits, image_features, pack
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.llava.wordings import CHOICES, NAME, YES_NO, with_article
from eyechart.world.training.towers import prepared

if TYPE_CHECKING:
    from eyechart.world.training.llava.trainer import Prompts

_PICTURES, _AT_ONCE = 360, 60


@dataclass(frozen=True)
class LlavaScore:
    """Accuracy on single objects: the first word of the reply to an open question, a choice between two names in both orders,
    and yes or no for the true and for another name."""

    name: float
    choice: float
    yes_no: float

    def __str__(self) -> str:
        return f"name {self.name:.0%}, choice of two {self.choice:.0%}, yes or no {self.yes_no:.0%}"


class LlavaValidation:
    def __init__(self, recipe: LlavaRecipe) -> None:
        streams = [np.random.default_rng((recipe.seed, VALIDATION, i)) for i in range(_PICTURES)]
        scenes = [draw_single(rng, Habits()) for rng in streams]
        self._true = [scene.things[0].name for scene in scenes]
        self._other = [str(rng.choice([n for n in NAMES if n != t])) for rng, t in zip(streams, self._true, strict=True)]
        self._pixels = prepared(np.stack([render(scene, 64).picture for scene in scenes]))

    def score(self, network: Any, encode: Prompts) -> LlavaScore:
        import torch

        network.eval()
        right = []
        with torch.inference_mode():
            for start in range(0, _PICTURES, _AT_ONCE):
                right += self._part(network, encode, slice(start, start + _AT_ONCE))
        network.train()
        network.model.vision_tower.eval()
        found = np.array(right)
        return LlavaScore(float(found[:, 0].mean()), float(found[:, 1:3].mean()), float(found[:, 3:].mean()))

    def _part(self, network: Any, encode: Prompts, rows: slice) -> Any:
        asked = [
            self._asked(encode.question, true, other) for true, other in zip(self._true[rows], self._other[rows], strict=True)
        ]
        packed = pack([[(question, encode.answer(answer)) for question, answer in row] for row in asked])
        logits = answer_logits(network, image_features(network, self._pixels[rows]), encode.prefix, packed)
        wanted = packed.targets[packed.targets != IGNORED]
        # Every answer is one word and its end, so every second target is a word.
        return (logits.argmax(-1) == wanted)[::2].reshape(len(asked), -1).tolist()

    def _asked(self, tokens: Callable[[str], Any], true: str, other: str) -> list[tuple[Any, str]]:
        return [
            (tokens(NAME[0]), true),
            (tokens(CHOICES[0].format(f"{true}, {other}")), true),
            (tokens(CHOICES[0].format(f"{other}, {true}")), true),
            (tokens(YES_NO.format(with_article(true))), "yes"),
            (tokens(YES_NO.format(with_article(other))), "no"),
        ]
