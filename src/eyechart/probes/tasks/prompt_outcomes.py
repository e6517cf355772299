"""The same pictures under several prompt sets: which sets, and what the model says of every picture under each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.readout import Readout, read
from eyechart.metrics.ranking.intervals import Scored
from eyechart.probes.probe import ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, class_prompts, known_classes
from eyechart.probes.tasks.ood_rows import OodRows, id_rows, ood_rows
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet

LEAST_STRANGERS = 10  # on either side, for an AUROC


@dataclass(frozen=True)
class PromptOutcome:
    """Of the labelled rows: answers, and confidence and negative log-likelihood where the model has a logit scale. `ood`: maximum
    concept matching of all pictures that belong and of all that do not, where there are both; the same rows in every set."""

    prompts: PromptSet
    predicted: Indices
    right: Flags
    confidence: Doubles | None
    nll: Doubles | None
    ood: Scored | None

    @property
    def name(self) -> str:
        return self.prompts.name


def compared_sets(request: TextRequest[Any] | ProbeInput[Any], names: Sequence[str]) -> list[PromptSet]:
    """The plan's own sets, then those of these names that say something else and of which the model hears every prompt."""
    found = list(request.prompts)
    for name in names:
        prompts = load_prompts(name)
        new = all(prompts.name != p.name and set(prompts.templates) != set(p.templates) for p in found)
        if new and request.dataset.classes is not None and request.can_encode(said(request.dataset.classes, prompts)):
            found.append(prompts)
    return found


def said(classes: ClassList, prompts: PromptSet) -> list[str]:
    return [text for of_class in class_prompts(classes, prompts) for text in of_class]


def outcomes(inputs: ProbeInput[Any], sets: Sequence[PromptSet], labelled: Indices) -> list[PromptOutcome]:
    """What the model says under every set, the first of them first."""
    inside, groups = id_rows(inputs), ood_rows(inputs)
    enough = min(len(inside), sum(map(len, groups))) >= LEAST_STRANGERS
    return [_outcome(inputs, prompts, labelled, inside, groups if enough else []) for prompts in sets]


def _outcome(
    inputs: ProbeInput[Any], prompts: PromptSet, labelled: Indices, inside: Indices, groups: Sequence[OodRows]
) -> PromptOutcome:
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)
    truth = inputs.dataset.label_indices()
    scale = inputs.logit_scale or 1.0
    # At a temperature as high as the scale a logit is a cosine again, whose softmax is maximum concept matching; a bias that is
    # the same for all classes changes neither.
    own, raw = 1.0, scale

    def readouts(of: ProbeInput[Any], right: Indices, *temperatures: float) -> tuple[Indices, list[Readout]]:
        return read(CosineLogits(of.images, classifier.vectors, scale, 0.0, classifier.duplicates), right, temperatures)

    def matching(of: ProbeInput[Any]) -> Doubles:
        return readouts(of, np.zeros(len(of.images), np.int64), raw)[1][0].confidence

    predicted, found = readouts(inputs, np.maximum(truth, 0), *([own, raw] if groups else [own]))
    ood = None
    if groups:
        beside = {id(g.of): matching(g.of) for g in groups if g.of is not inputs} | {id(inputs): found[1].confidence}
        scores = [beside[id(inputs)][inside], *(beside[id(g.of)][g.rows] for g in groups)]
        belongs = np.repeat([True, False], [len(inside), sum(map(len, groups))])
        clusters = np.concatenate([inputs.clusters[inside], *(g.clusters for g in groups)])
        ood = Scored(np.concatenate(scores), belongs, clusters)
    known = inputs.logit_scale is not None
    return PromptOutcome(
        prompts,
        predicted[labelled],
        predicted[labelled] == truth[labelled],
        found[0].confidence[labelled] if known else None,
        found[0].nll[labelled] if known else None,
        ood,
    )
