"""A question to several models at once: what it gets, and how a function becomes one."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from eyechart.models.card import ModelCard
from eyechart.probes.probe import Answer, Probe, no_texts


@dataclass(frozen=True)
class Panel:
    """All models of a run before one dataset: their cards, and what was found of each. `headlines`: of every probe the metrics
    that lead."""

    dataset: str
    cards: Mapping[str, ModelCard]
    findings: pa.Table
    headlines: Mapping[str, tuple[str, ...]]
    settings: Any


def panel_probe(*, version: int, settings: Any, headline: tuple[str, ...] = ()) -> Callable[[Callable[[Panel], Answer]], Probe]:
    """Make a function a probe of several models. It is asked once for each dataset, when all else has been answered."""

    def make(ask: Callable[[Panel], Answer]) -> Probe:
        question = (inspect.getdoc(ask) or "").split("\n", 1)[0]
        if not question.endswith("?"):
            raise TypeError(f"{ask.__name__}: the first line of a probe's docstring is its question, ending with '?'")
        return Probe(ask.__name__, question, version, (), settings, ask, no_texts, headline=headline, across=True)

    return make
