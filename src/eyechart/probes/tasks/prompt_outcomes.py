"""The same pictures under several prompt sets: which sets are compared, and the predictions under each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.metrics.calibration.readout import Readout, read
from eyechart.metrics.ranking.intervals import Scored
from eyechart.probes.contract import ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import class_cosines, prompt_texts, shared_classifier
from eyechart.probes.tasks.ood_rows import OodRows, enough_ood, id_rows, ood_rows
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class PromptOutcome:
    """The predictions for the labeled pictures under one prompt set.

    prompts: The prompt set, or the wording of the question.
    predicted: The predicted class.
    correct: Whether it is the label.
    confidence: The highest probability; None without a logit scale.
    nll: The negative log-likelihood of the label; None without a logit scale.
    ood: Maximum concept matching of in-distribution and out-of-distribution pictures, the same rows for every set; None where
        there are too few.
    """

    prompts: PromptSet
    predicted: Indices
    correct: Flags
    confidence: Doubles | None
    nll: Doubles | None
    ood: Scored | None

    @property
    def name(self) -> str:
        return self.prompts.name


def compared_sets(request: TextRequest[Any] | ProbeInput[Any], names: Sequence[str]) -> list[PromptSet]:
    """The plan's sets, then those of `names` that have other templates and that the model can encode."""
    found = list(request.prompts)
    for name in names:
        prompts = load_prompts(name)
        new = all(prompts.name != p.name and set(prompts.templates) != set(p.templates) for p in found)
        if new and request.dataset.classes is not None and request.can_encode(prompt_texts(request.dataset.classes, prompts)):
            found.append(prompts)
    return found


def prompt_outcomes(inputs: ProbeInput[Any], sets: Sequence[PromptSet], labeled: Indices) -> list[PromptOutcome]:
    """The predictions for the rows `labeled` under every set, in their order."""
    inside, groups = id_rows(inputs), ood_rows(inputs)
    enough = enough_ood(inside, groups)
    return [_outcome(inputs, prompts, labeled, inside, groups if enough else []) for prompts in sets]


def _outcome(
    inputs: ProbeInput[Any], prompts: PromptSet, labeled: Indices, inside: Indices, groups: Sequence[OodRows]
) -> PromptOutcome:
    classifier = shared_classifier(inputs, prompts)
    truth = inputs.dataset.label_indices()
    scale = inputs.logit_scale or 1.0
    # At a temperature equal to the scale, a logit is a cosine again, and its softmax is maximum concept matching (MCM). A bias
    # that is the same for all classes changes neither.
    own, raw = 1.0, scale

    def readouts(of: ProbeInput[Any], labels: Indices, *temperatures: float) -> tuple[Indices, list[Readout]]:
        return read(class_cosines(of, classifier, scale=scale, keep=prompts in inputs.prompts), labels, temperatures)

    def mcm(of: ProbeInput[Any]) -> Doubles:
        return readouts(of, np.zeros(len(of.images), np.int64), raw)[1][0].confidence

    predicted, found = readouts(inputs, np.maximum(truth, 0), *([own, raw] if groups else [own]))
    ood = None
    if groups:
        by_dataset = {id(g.of): mcm(g.of) for g in groups if g.of is not inputs} | {id(inputs): found[1].confidence}
        scores = [by_dataset[id(inputs)][inside], *(by_dataset[id(g.of)][g.rows] for g in groups)]
        is_id = np.repeat([True, False], [len(inside), sum(map(len, groups))])
        clusters = np.concatenate([inputs.units[inside], *(g.clusters for g in groups)])
        ood = Scored(np.concatenate(scores), is_id, clusters)
    known = inputs.logit_scale is not None
    return PromptOutcome(
        prompts,
        predicted[labeled],
        predicted[labeled] == truth[labeled],
        found[0].confidence[labeled] if known else None,
        found[0].nll[labeled] if known else None,
        ood,
    )
