"""Scorers: how a model scores all classes, by prompts or by its own classifier, for probes that need the scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.metrics.calibration.logits import ListedLogits, LogitBlocks
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import class_cosines, shared_classifier
from eyechart.probes.tasks.predictors import CLASS_SCORES, can_encode_prompts, has_class_scores, title_of
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class Scorer:
    """One way to score the classes.

    slice: How findings name it.
    by_prompts: Scores are cosines with text vectors.
    raw: `raw(inputs, rows)` gives cosines (by prompts) or logits, for rows of any dataset under the same model.
    logits: `logits(inputs, rows)` gives the logits of the softmax; None where the model has no logit scale.
    scale: What cosines are multiplied by.
    bias: What is added then.
    """

    slice: dict[str, str]
    by_prompts: bool
    raw: Callable[[ProbeInput[Any], Indices], LogitBlocks]
    logits: Callable[[ProbeInput[Any], Indices], LogitBlocks] | None
    scale: float | None = None
    bias: float = 0.0

    @property
    def title(self) -> str:
        return title_of(self.slice)


def scorers(inputs: ProbeInput[Any]) -> list[Scorer]:
    """Every way that the model can score the classes, prompts first."""
    found = [_by_prompts(inputs, prompts) for prompts in inputs.prompts if can_encode_prompts(inputs, prompts)]
    return [*found, _by_class_scores()] if has_class_scores(inputs) else found


def _by_prompts(inputs: ProbeInput[Any], prompts: PromptSet) -> Scorer:
    classifier = shared_classifier(inputs, prompts)

    def cosines(of: ProbeInput[Any], rows: Indices, scale: float = 1.0, bias: float = 0.0) -> LogitBlocks:
        return class_cosines(of, classifier, rows, scale=scale, bias=bias)

    scale, bias = inputs.logit_scale, inputs.logit_bias
    logits = None if scale is None else lambda of, rows: cosines(of, rows, scale, bias)
    return Scorer({"prompts": prompts.name}, True, cosines, logits, scale, bias)


def _by_class_scores() -> Scorer:
    def listed(of: ProbeInput[Any], rows: Indices) -> LogitBlocks:
        if of.class_scores is None:
            raise TypeError("a model gives class scores for all datasets or for none")
        width = of.class_scores([0]).shape[1]
        return ListedLogits(of.class_scores, np.asarray(rows), np.arange(width))

    return Scorer(dict(CLASS_SCORES), False, listed, listed)
