"""A recipe: everything that determines a training run, read from a TOML file. Absent keys have their defaults."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.captions import MANNERS, ORDERS
from eyechart.world.drawing import LOOKS, UNUSUAL
from eyechart.world.training.recipe_checks import check_name, check_numbers

_CHOICES: dict[str, tuple[str, ...]] = {
    "order": ORDERS,
    "manner": MANNERS,
    "look": LOOKS,
    "frequencies": ("even", "long-tail"),
    "accused": ("anyone", "red hats"),
    "loss": ("infonce", "sigmoid"),
    "tower": ("vit", "conv"),
    "text": ("causal", "bidirectional"),
}


@dataclass(frozen=True)
class Recipe:
    """A training recipe.

    name: The model's name.
    seed: The seed of weights and data.
    samples: Training pairs in total.
    distinct: The number of distinct pairs; 0 for no repetition.
    batch: Pairs per batch.
    order: The order of names in captions.
    manner: The style of captions.
    look: The style of pictures.
    frequencies: The class frequencies.
    unseen: Unusual factors that never occur.
    often: Unusual factors of every second single object.
    accused: Which figures are captioned "thief", a word without a visible reason.
    loss: The contrastive loss.
    tower: The image encoder.
    text: The text encoder.
    side: The input size in pixels.
    patch: The patch size in pixels.
    width: The width of the image encoder.
    layers: Its layers.
    heads: Attention heads of both encoders.
    text_width: The width of the text encoder.
    text_layers: Its layers.
    embedding: The width of the vectors.
    matrix_rate: The learning rate of matrices (Muon).
    rate: The learning rate of other parameters (Adam).
    auxiliary: The share of the run with the auxiliary loss, which classifies patches; its weight falls to zero.
    several_from: The share of the run that shows single objects only.
    several_share: The share of scenes of several objects after that.
    people_share: The share of figures after that.
    checkpoints: Numbers of pairs after which a checkpoint is kept.
    """

    name: str
    seed: int = 0
    samples: int = 120_000
    distinct: int = 0
    batch: int = 128
    order: str = "random"
    manner: str = "plain"
    look: str = "studio"
    frequencies: str = "even"
    unseen: tuple[str, ...] = ()
    often: tuple[str, ...] = ()
    accused: str = "anyone"
    loss: str = "infonce"
    tower: str = "vit"
    text: str = "causal"
    side: int = 64
    patch: int = 8
    width: int = 96
    layers: int = 4
    heads: int = 4
    text_width: int = 96
    text_layers: int = 2
    embedding: int = 96
    matrix_rate: float = 0.02
    rate: float = 0.001
    auxiliary: float = 0.5
    several_from: float = 0.4
    several_share: float = 0.55
    people_share: float = 0.12
    checkpoints: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name)
        for key, choices in _CHOICES.items():
            value = getattr(self, key)
            if value not in choices:
                raise UsageError(f"recipe {self.name}: {key} is {value!r}; choose from {', '.join(choices)}")
        for key in ("unseen", "often"):
            for word in getattr(self, key):
                if word not in UNUSUAL:
                    known = ", ".join(UNUSUAL)
                    raise UsageError(f"recipe {self.name}: {key} has {word!r}{did_you_mean(word, UNUSUAL)}; known: {known}")
        check_numbers(self)

    @property
    def steps(self) -> int:
        return self.samples // self.batch

    @property
    def opening_steps(self) -> int:
        """The number of steps with single objects only, whose captions have neither an order nor a role."""
        return int(self.several_from * self.steps)

    def opening(self) -> str:
        """A digest of the opening: two runs with equal digests are the same run until then."""
        apart = {"name", "order", "accused", "checkpoints"}
        opening = {key: value for key, value in self.known().items() if key not in apart}
        return hashlib.sha256(json.dumps(opening, sort_keys=True).encode()).hexdigest()[:16]

    def known(self) -> dict[str, Any]:
        return asdict(self)

    def facts(self) -> dict[str, str]:
        """What experiments vary, for the model's card: two models that differ in one fact can be compared."""
        return {
            "seed": str(self.seed),
            "samples": str(self.samples),
            "distinct pairs": str(self.distinct or "all"),
            "caption order": self.order,
            "source": f"{self.look}, {self.manner}",
            "frequencies": self.frequencies,
            "unseen": ", ".join(self.unseen) or "nothing",
            "often": ", ".join(self.often) or "nothing",
            "accused": self.accused,
            "loss": self.loss,
            "tower": self.tower,
            "text tower": self.text,
            "fine-tuning": "none",
            "side": str(self.side),
            "scale": "1",
        }
