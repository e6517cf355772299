"""The settings of a repair. All of them are written to the card of the repaired classifier."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from eyechart.metrics.classification.worst_classes import worst_count
from eyechart.metrics.prompts.weights import BROAD, SCALE

Weighting = Literal["uniform", "zpe", "cpe"]
Finder = Literal["margin", "labels"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)


@dataclass(frozen=True)
class Settings:
    """Settings of a classifier repair.

    weights: How templates are weighted: "uniform", "zpe", "cpe", or "auto" for the best on the fitting part.
    scale: Scale of the template weights (see `prompt_weights`).
    tau: Threshold of the template weights (see `prompt_weights`).
    pretraining: A file of vectors of pictures like those that the model was trained on, for ZPE; empty for none.
    describe_all: Whether all classes are described, not only the worst.
    baselines: Whether baselines are scored beside the candidates; they are never selected.
    worst: How many classes count as the worst; 0 for a tenth of them, at most ten.
    find: How the worst classes are found: "margin" (no labels needed) or "labels" (lowest accuracy).
    cost: Overall accuracy that "auto" may give up for the worst classes.
    keep: Share of correct answers that the abstention threshold keeps.
    by_class: Whether every class has its own threshold.
    coverage: Target coverage of prediction sets.
    reading: How logits become probabilities: "softmax" or "sigmoid".
    design: The class design to start from; empty for the dataset's classes.
    change: A change of the class list; empty for none.
    least: Fewest pictures of a subgroup.
    seed: Seed of the split.
    """

    weights: str = "auto"
    scale: float = SCALE
    tau: float = BROAD
    pretraining: str = ""
    describe_all: bool = False
    baselines: bool = False
    worst: int = 0
    find: str = "margin"
    cost: float = 0.01
    keep: float = 0.95
    by_class: bool = False
    coverage: float = 0.9
    reading: Literal["softmax", "sigmoid"] = "softmax"
    design: str = ""
    change: str = ""
    least: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.weights not in ("auto", *WEIGHTINGS):
            raise ValueError(f"weights must be one of auto, {', '.join(WEIGHTINGS)}, not {self.weights!r}")
        if self.pretraining and self.weights not in ("auto", "zpe"):
            raise ValueError(f"pretraining is used by the weights zpe alone, and weights is {self.weights!r}")
        if self.find not in get_args(Finder):
            raise ValueError(f"find must be margin or labels, not {self.find!r}")
        for name in ("keep", "coverage"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} must be between 0 and 1, not {getattr(self, name)!r}")
        for name in ("cost", "worst", "seed"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, but is {getattr(self, name)!r}")
        if not np.isfinite([self.scale, self.tau]).all():
            raise ValueError(f"scale and tau must be finite numbers, not {self.scale!r} and {self.tau!r}")
        if not self.scale > 0 or self.least < 2:
            raise ValueError("scale must be positive, and least must be at least 2")

    def worst_of(self, classes: int) -> int:
        """How many classes count as the worst: a tenth of them, at most ten, unless `worst` is set."""
        return min(self.worst or worst_count(classes), classes)
