"""What a repair does, in one record: every field stands in the card of the classifier that comes of it."""

from dataclasses import dataclass
from typing import Literal, get_args

from eyechart.metrics.classification.worst_classes import worst_count
from eyechart.metrics.prompts.weights import BROAD, SCALE

Weighting = Literal["uniform", "zpe", "cpe"]
Finder = Literal["margin", "labels"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)


@dataclass(frozen=True)
class Settings:
    """`weights`: how templates are weighed, or "auto": whichever does best on the part that may be looked at. `scale`, `tau`: of
    the weights (see `prompt_weights`). `worst`: how many classes count as the worst; 0 for a tenth of them, ten at most. `find`:
    the worst are those of the smallest margin, which needs no labels, or of the lowest accuracy. `cost`: accuracy that "auto" may
    give away for the worst classes. `keep`: share of right answers that abstention keeps; `by_class`: in each class by itself.
    `coverage`: of prediction sets. `design`, `change`: the class list to begin with, and what is changed in it. `least`: pictures
    that a subgroup needs. `seed`: of the split."""

    weights: str = "auto"
    scale: float = SCALE
    tau: float = BROAD
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
            raise ValueError(f"weights is one of auto, {', '.join(WEIGHTINGS)}, not {self.weights!r}")
        if self.find not in get_args(Finder):
            raise ValueError(f"find is margin or labels, not {self.find!r}")
        for name in ("keep", "coverage"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} is a share between 0 and 1, not {getattr(self, name)!r}")
        for name in ("cost", "worst", "seed"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is a number from 0 up, not {getattr(self, name)!r}")
        if not self.scale > 0 or self.least < 2:
            raise ValueError("scale is above 0, and least from 2 up")

    def worst_of(self, classes: int) -> int:
        """How many classes are the worst: a tenth of a short list, ten of a long one, unless another number was asked for."""
        return min(self.worst or worst_count(classes), classes)
