"""A recipe: everything that decides a training run, read from a small TOML file. What a file leaves out is as in the default."""

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
    """`order` and `manner` are the captions', `look`, `frequencies`, `unseen` and `often` the pictures'; `accused` says whose
    role is told as "thief", a word that nothing in a picture warrants. `distinct` is the number of different pairs of all
    kinds together, 0 for never the same twice. The auxiliary loss names what each patch shows; its weight falls
    to nothing over the first `auxiliary` of the run. The part of the run before `several_from` shows single objects alone."""

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
                    raise UsageError(f"recipe {self.name}: {key} has {word!r}{did_you_mean(word, UNUSUAL)}; known are {known}")
        check_numbers(self)

    @property
    def steps(self) -> int:
        return self.samples // self.batch

    @property
    def opening_steps(self) -> int:
        """So many steps show single objects alone, of which neither the order of a caption nor a role can be told."""
        return int(self.several_from * self.steps)

    def opening(self) -> str:
        """Two runs whose openings are equal are the same run until then."""
        apart = {"name", "order", "accused", "checkpoints"}
        told = {key: value for key, value in self.known().items() if key not in apart}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    def known(self) -> dict[str, Any]:
        return asdict(self)

    def facts(self) -> dict[str, str]:
        """What experiments vary, for the model's card: two models that differ in one fact alone make a pair."""
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
