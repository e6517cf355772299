"""The six questions of the papers: what about a model moves it off the trend? (Tu et al., 2023, §3.3)"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.models.names.architecture_lines import architecture_line
from eyechart.registry import Registry
from eyechart.study.groups import DIRECT, TWO_STAGE, ZERO_SHOT

Facts = Mapping[str, Any]  # one model's row of facts
_SIZES = ((30e6, "up to 30M"), (300e6, "30M to 300M"), (1e9, "300M to 1B"), (3e9, "1B to 3B"))


@dataclass(frozen=True)
class Question:
    """`label` reads the answer off a model's facts, None where it is not known; `among` are the groups it is asked of."""

    name: str
    asks: str
    label: Callable[[Facts], str | None]
    among: tuple[str, ...] = (ZERO_SHOT,)
    within_models: bool = False  # the answers are rows of one model, not of different ones
    remedy: str = "ask it of other groups with --among GROUP, or of all with --among all"  # where nobody's answer is known


def _architecture(facts: Facts) -> str | None:
    return None if facts["architecture"] is None else architecture_line(facts["architecture"])


def _source(facts: Facts) -> str | None:
    """The collection a source belongs to: LAION-400M and LAION-2B are both LAION, but each ImageNet is its own."""
    source = facts["source"]
    return source if source is None or source.startswith("ImageNet") else re.split(r"[-, ]", source)[0]


def _size(facts: Facts) -> str | None:
    size = facts["dataset_size"]
    return None if size is None else next((name for limit, name in _SIZES if size <= limit), "over 3B")


def _fine_tuning(facts: Facts) -> str | None:
    return facts["fine_tuning"] or "no fine-tuning"


def _loss(facts: Facts) -> str | None:
    loss: str | None = facts["loss"]
    return loss


def _prompts(facts: Facts) -> str | None:
    prompts: str | None = facts["prompts"]
    return prompts


ARCHITECTURE = Question("architecture", "Does the architecture of the picture tower matter?", _architecture)
SOURCE = Question("source", "Does it matter where the training pictures come from?", _source)
SIZE = Question("size", "Does it matter how many training pictures there are?", _size)
FINE_TUNING = Question("fine-tuning", "Does fine-tuning matter?", _fine_tuning, (ZERO_SHOT, DIRECT, TWO_STAGE))
LOSS = Question("loss", "Does the training loss matter?", _loss)
PROMPTS = Question(
    "prompts",
    "Do the prompts matter?",
    _prompts,
    within_models=True,
    remedy="published tables have one prompt set each: examine models with --prompts A --prompts B, and add the findings",
)

QUESTIONS = Registry(
    "question",
    {q.name: f"{__name__}:{q.name.replace('-', '_').upper()}" for q in (ARCHITECTURE, SOURCE, SIZE, FINE_TUNING, LOSS, PROMPTS)},
)
