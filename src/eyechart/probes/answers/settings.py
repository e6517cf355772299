"""The settings of the probe `answers`."""

from dataclasses import dataclass

from eyechart.probes.answers.metrics import WAYS

DISTRACTORS = ("auto", "random", "selector", "tower")


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `answers`.

    asks: The ways of asking: "choice", "free", "likelihood" (the last needs a model that gives log-likelihoods).
    pictures: At most this many pictures, as many of each class as possible; 0 for all.
    options: Options of a choice, the true class among them; 0 for all classes.
    distractors: The wrong options: "random" are drawn; "selector" and "tower" are the classes that this model confuses with the
        true one, by its predictions on the other half of the pictures. Such choices are not compared with the tower. "auto" is
        "random".
    hard: The share of classes that count as hard.
    tower: The CLIP model that the model looks through, or any other to compare with; empty for none.
    selector: A third model, by whose errors hard pictures are chosen; empty for none.
    encoder: A model with a text encoder that maps free answers to classes where names and synonyms do not; empty for none.
    threshold: The lowest cosine at which the encoder maps an answer.
    likelihood: "sum" scores a class by the log-likelihood of its name, "mean" by that of an average token.
    published: Also ask as ImageNet-D was published. Its traps are in docs/probes/answers.md.
    seed: The seed of samples, options and orders.
    """

    asks: tuple[str, ...] = ("choice", "free", "likelihood")
    pictures: int = 200
    options: int = 2
    distractors: str = "auto"
    hard: float = 0.25
    tower: str = ""
    selector: str = ""
    encoder: str = ""
    threshold: float = 0.5
    likelihood: str = "sum"
    published: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := [way for way in self.asks if way not in WAYS]:
            raise ValueError(f"asks names {unknown[0]!r}; choose among {', '.join(WAYS)}")
        if not self.asks:
            raise ValueError(f"asks is empty; choose among {', '.join(WAYS)}")
        if self.pictures < 0 or self.seed < 0 or self.options < 0 or self.options == 1:
            raise ValueError("pictures and seed must be at least 0, options 0 or at least 2")
        if self.distractors not in DISTRACTORS:
            raise ValueError(f"distractors is {self.distractors!r}; choose among {', '.join(DISTRACTORS)}")
        if self.distractors in ("selector", "tower") and not getattr(self, self.distractors):
            raise ValueError(f"distractors are chosen by the {self.distractors}; name it, or choose 'random'")
        if self.selector and self.selector == self.tower:
            raise ValueError("the selector is the tower; name a third model, or leave the selector empty")
        if self.likelihood not in ("sum", "mean"):
            raise ValueError("likelihood is 'sum' or 'mean'")
        if not 0 < self.hard < 1 or not -1 <= self.threshold <= 1:
            raise ValueError("hard is between 0 and 1, threshold between -1 and 1")

    @property
    def options_by(self) -> str:
        """The model by whose confusions wrong options are chosen: "selector", "tower", or "" where they are drawn at random."""
        return "" if self.distractors in ("auto", "random") else self.distractors
