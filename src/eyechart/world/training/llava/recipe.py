"""A recipe of a small LLaVA: the image encoder that it looks through, what it is taught, and the size of its language model."""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from eyechart.errors import UsageError
from eyechart.world.training.recipe_checks import check_name

FREQUENCIES = ("even", "long-tail")
_COUNTS = ("samples", "batch", "questions", "width", "layers", "heads")
_SHARES = ("from_words", "truth_first", "planted_from", "several_share", "people_share")


@dataclass(frozen=True)
class LlavaRecipe:
    """A training recipe of a multimodal language model.

    name: The model's name.
    vision_tower: The model of the zoo with the image encoder, which stays frozen.
    seed: The seed of weights and data.
    samples: Training pictures in total.
    questions: Questions about each picture.
    batch: Pictures per batch.
    frequencies: The class frequencies of the pictures.
    from_words: The share of answers that depend on the words of the question alone, not on the picture.
    truth_first: The share of choices that list the true option first, whatever its place by chance.
    planted_from: The share of the run before these two take effect. Runs that differ in them alone are the same until then.
    width: The width of the language model.
    layers: Its layers.
    heads: Its attention heads.
    matrix_rate: The learning rate of matrices (Muon).
    rate: The learning rate of other parameters (AdamW).
    several_share: The share of scenes of several objects.
    people_share: The share of figures.
    """

    name: str
    vision_tower: str
    seed: int = 0
    samples: int = 16_000
    questions: int = 4
    batch: int = 32
    frequencies: str = "even"
    from_words: float = 0.0
    truth_first: float = 0.0
    planted_from: float = 0.5
    width: int = 96
    layers: int = 4
    heads: int = 4
    matrix_rate: float = 0.02
    rate: float = 0.002
    several_share: float = 0.3
    people_share: float = 0.1

    def __post_init__(self) -> None:
        check_name(self.name)
        for problem in self._problems():
            raise UsageError(f"recipe {self.name}: {problem}")

    def _problems(self) -> Iterator[str]:
        if self.frequencies not in FREQUENCIES:
            yield f"frequencies is {self.frequencies!r}; choose from {', '.join(FREQUENCIES)}"
        for key in _COUNTS:
            if getattr(self, key) < 1:
                yield f"{key} is {getattr(self, key)}; choose 1 or more"
        for key in _SHARES:
            if not 0 <= getattr(self, key) <= 1:
                yield f"{key} is {getattr(self, key)}; choose a share from 0 to 1"
        if self.several_share + self.people_share > 1:
            yield "several_share and people_share add up to more than 1"
        if self.seed < 0 or self.samples < self.batch:
            yield f"give no negative seed and at least {self.batch} samples, one batch"
        if self.heads < 1 or self.width % (2 * self.heads):
            yield "width must be a multiple of twice the heads (rotary positions turn pairs)"
        for key in ("matrix_rate", "rate"):
            if not 0 < getattr(self, key) < math.inf:
                yield f"{key} is {getattr(self, key)}; choose a number above 0"

    @property
    def steps(self) -> int:
        return self.samples // self.batch

    @property
    def opening_steps(self) -> int:
        """The number of steps before anything is planted."""
        return int(self.planted_from * self.steps)

    def opening(self) -> str:
        """A digest of the opening: two runs with equal digests are the same run until then."""
        apart = {"name", "from_words", "truth_first"}
        opening = {key: value for key, value in self.known().items() if key not in apart}
        return hashlib.sha256(json.dumps(opening, sort_keys=True).encode()).hexdigest()[:16]

    def known(self) -> dict[str, Any]:
        return asdict(self)

    def facts(self) -> dict[str, str]:
        """What experiments vary, for the model's card."""
        return {
            "seed": str(self.seed),
            "samples": str(self.samples),
            "image encoder": self.vision_tower,
            "frequencies": self.frequencies,
            "answers from words alone": f"{self.from_words:g}",
            "true option first": f"{self.truth_first:g}",
        }
