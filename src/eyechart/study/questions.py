"""The six questions of Tu et al. (2023, §3.3): which properties of a model move it off the trend?"""

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
    """A property of models.

    name: Its name.
    title: The question about it.
    label: Its value from a model's facts; None where unknown.
    groups: The groups to compare.
    within_models: Whether its values are rows of one model, not of different ones.
    remedy: What to do where no value is known.
    """

    name: str
    title: str
    label: Callable[[Facts], str | None]
    groups: tuple[str, ...] = (ZERO_SHOT,)
    within_models: bool = False
    remedy: str = "compare other groups with --among GROUP, or all with --among all"


def _architecture(facts: Facts) -> str | None:
    return None if facts["architecture"] is None else architecture_line(facts["architecture"])


def _source(facts: Facts) -> str | None:
    """The collection of a source: LAION-400M and LAION-2B are both LAION, but each ImageNet is its own collection."""
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


ARCHITECTURE = Question("architecture", "Does the architecture of the image encoder matter?", _architecture)
SOURCE = Question("source", "Does the source of the training data matter?", _source)
SIZE = Question("size", "Does the number of training pictures matter?", _size)
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
