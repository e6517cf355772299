"""Which properties of a model move it off the trend? The questions of Tu et al. (2023, §3.3 and Table 1)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.models.names.architecture_lines import architecture_line
from eyechart.registry import Registry
from eyechart.study.groups import DIRECT, TWO_STAGE, ZERO_SHOT
from eyechart.study.population import UNKNOWN, Population

Facts = Mapping[str, Any]  # one model's row of facts
_SIZES = ((30e6, "up to 30M"), (300e6, "30M to 300M"), (1e9, "300M to 1B"), (3e9, "1B to 3B"))
_PARAMETERS = ((100e6, "up to 100M"), (200e6, "100M to 200M"), (500e6, "200M to 500M"), (1e9, "500M to 1B"))
_FINE_TUNED_ON = re.compile(r"_ft(_in\d+k)+")


@dataclass(frozen=True)
class Question:
    """A property of models.

    name: Its name.
    title: The question about it.
    label: Its value from a model's facts; None where unknown.
    groups: The groups to compare.
    pair: What models that are compared with each other share, such as their pre-training; None where all are compared.
    remedy: What to do where no value is known.
    """

    name: str
    title: str
    label: Callable[[Facts], str | None]
    groups: tuple[str, ...] = (ZERO_SHOT,)
    pair: Callable[[Facts], str] | None = None
    remedy: str = "compare other groups with --among GROUP, or all with --among all"


def _architecture(facts: Facts) -> str | None:
    return None if facts["architecture"] is None else architecture_line(facts["architecture"])


def _source(facts: Facts) -> str | None:
    """The collection of a source: LAION-400M and LAION-2B are both LAION, but each ImageNet is its own collection."""
    source = facts["source"]
    return source if source is None or source.startswith("ImageNet") else re.split(r"[-, ]", source)[0]


def sources(population: Population) -> tuple[str, ...]:
    """The collection that each model was trained on; "unknown" where no table says it."""
    return tuple(_source(population.facts_of(i)) or UNKNOWN for i in range(len(population)))


def _size(facts: Facts) -> str | None:
    size = facts["dataset_size"]
    return None if size is None else next((name for limit, name in _SIZES if size <= limit), "over 3B")


def _fine_tuning(facts: Facts) -> str | None:
    return facts["fine_tuning"] or "no fine-tuning"


def _loss(facts: Facts) -> str | None:
    loss: str | None = facts["loss"]
    return loss


def _parameters(facts: Facts) -> str | None:
    parameters = facts["parameters"]
    return None if parameters is None else next((name for limit, name in _PARAMETERS if parameters <= limit), "over 1B")


def _resolution(facts: Facts) -> str | None:
    return None if facts["resolution"] is None else f"{facts['resolution']} pixels"


def _without_resolution(facts: Facts) -> str:
    """The name of a model without its resolution: that of the same network fine-tuned at another one."""
    return re.sub(rf"[_-]{facts['resolution']}(?=[._]|$)", "", facts["model"])


def _method(facts: Facts) -> str | None:
    """How a CLIP model was fine-tuned on ImageNet-1k."""
    if re.search(r"^model_soups:.*soup", facts["model"]):
        return "directly, weights averaged"
    return {DIRECT: "directly", TWO_STAGE: "on a larger ImageNet first"}.get(facts["group"])


def _without_fine_tuning(facts: Facts) -> str:
    """The name of a model without the datasets of its fine-tuning; the fine-tunings of model-soups start from one model."""
    origin, _, name = facts["model"].partition(":")
    return origin if origin == "model_soups" else _FINE_TUNED_ON.sub("", name)


def _model(facts: Facts) -> str:
    return str(facts["model"])


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
    pair=_model,
    remedy="published tables have one prompt set each: examine models with --prompts A --prompts B, and add the findings",
)

PARAMETERS = Question("parameters", "Does the number of parameters matter?", _parameters)
RESOLUTION = Question(
    "resolution",
    "Does the resolution of fine-tuning matter?",
    _resolution,
    (DIRECT, TWO_STAGE),
    pair=_without_resolution,
    remedy="no network was fine-tuned at two resolutions",
)
METHOD = Question(
    "method",
    "Does the method of fine-tuning matter?",
    _method,
    (DIRECT, TWO_STAGE),
    pair=_without_fine_tuning,
    remedy="no network was fine-tuned in two ways",
)

QUESTIONS = Registry(
    "question",
    {
        q.name: f"{__name__}:{q.name.replace('-', '_').upper()}"
        for q in (ARCHITECTURE, PARAMETERS, SOURCE, SIZE, FINE_TUNING, METHOD, RESOLUTION, LOSS, PROMPTS)
    },
)
