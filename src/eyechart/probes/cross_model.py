"""Probes that compare the models of a run: what they get, and how a function becomes one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic

import pyarrow as pa

from eyechart.findings.metric import Metric
from eyechart.models.card import ModelCard
from eyechart.probes.contract import Answer, Probe, Settings, checked, no_texts, question_of
from eyechart.profiles import Profile


@dataclass(frozen=True)
class CrossModelInput(Generic[Settings]):
    """All models of a run on one dataset.

    dataset: The dataset's name.
    cards: The models' cards by name.
    findings: What the other probes found.
    headlines: The headline metrics of every probe.
    metrics: The metric records of every probe, by name.
    settings: The probe's settings.
    """

    dataset: str
    cards: Mapping[str, ModelCard]
    findings: pa.Table
    headlines: Mapping[str, tuple[str, ...]]
    metrics: Mapping[str, Mapping[str, Metric]]
    settings: Settings


def cross_model_probe(
    *,
    version: int,
    settings: Settings,
    metrics: tuple[Metric, ...],
    headline: tuple[str, ...] = (),
    profiles: tuple[Profile, ...] = (),
) -> Callable[[Callable[[CrossModelInput[Settings]], Answer]], Probe]:
    """Make a function a probe of several models. It is run once for each dataset, after all other probes.

    Args:
        version: Raised whenever a number could come out differently.
        settings: A frozen dataclass instance: the defaults.
        metrics: The records of the numbers that it reports.
        headline: The metrics that a summary shows first.
        profiles: The profiles that it belongs to, besides `all`.

    Returns:
        A decorator that turns a function of a `CrossModelInput` into a `Probe`.

    Example:
        >>> from dataclasses import dataclass
        >>> from eyechart.probes import Answer, CrossModelInput, Finding, Metric, cross_model_probe
        >>> @dataclass(frozen=True)
        ... class Settings:
        ...     seed: int = 0
        >>> COUNT = Metric(name="models", title="models of the run", unit="count", higher_is_better=None)
        >>> @cross_model_probe(version=1, settings=Settings(), metrics=(COUNT,))
        ... def model_count(inputs: CrossModelInput[Settings]) -> Answer:
        ...     "How many models does the run have?"
        ...     return Answer([Finding(metric="models", value=float(len(inputs.cards)), n=len(inputs.cards))])
        >>> model_count.across
        True
    """

    def make(ask: Callable[[CrossModelInput[Settings]], Answer]) -> Probe:
        return Probe(
            name=ask.__name__,
            question=question_of(ask),
            version=version,
            needs=(),
            settings=settings,
            ask=checked(ask, metrics),
            texts=no_texts,
            metrics=metrics,
            headline=headline,
            across=True,
            profiles=profiles,
        )

    return make
