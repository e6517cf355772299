"""The same pictures under several prompt sets: which sets, and what the model says of every picture under each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.data.classes import ClassList
from eyechart.metrics.logits import CosineLogits
from eyechart.metrics.ranking_intervals import Scored
from eyechart.metrics.readings import Readout, read
from eyechart.probes._classifier import build_classifier, class_prompts, known_classes
from eyechart.probes._strangers import Strangers, belonging, strangers
from eyechart.probes.probe import Asked, Given
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet

Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

LEAST_STRANGERS = 10  # on either side, for an AUROC


@dataclass(frozen=True)
class Outcome:
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


def compared_sets(asked: Asked | Given, names: Sequence[str]) -> list[PromptSet]:
    """The plan's own sets, then those of these names that say something else and of which the model hears every prompt."""
    found = list(asked.prompts)
    for name in names:
        prompts = load_prompts(name)
        new = all(prompts.name != p.name and set(prompts.templates) != set(p.templates) for p in found)
        if new and asked.dataset.classes is not None and asked.hears(said(asked.dataset.classes, prompts)):
            found.append(prompts)
    return found


def said(classes: ClassList, prompts: PromptSet) -> list[str]:
    return [text for of_class in class_prompts(classes, prompts) for text in of_class]


def outcomes(given: Given, sets: Sequence[PromptSet], labelled: Indices) -> list[Outcome]:
    """What the model says under every set, the first of them first."""
    inside, groups = belonging(given), strangers(given)
    enough = min(len(inside), sum(map(len, groups))) >= LEAST_STRANGERS
    return [_outcome(given, prompts, labelled, inside, groups if enough else []) for prompts in sets]


def _outcome(given: Given, prompts: PromptSet, labelled: Indices, inside: Indices, groups: Sequence[Strangers]) -> Outcome:
    classifier = build_classifier(known_classes(given), prompts, given.texts)
    truth = given.dataset.label_indices()
    scale = given.logit_scale or 1.0
    # At a temperature as high as the scale a logit is a cosine again, whose softmax is maximum concept matching; a bias that is
    # the same for all classes changes neither.
    own, raw = 1.0, scale

    def readouts(of: Given, right: Indices, *temperatures: float) -> tuple[Indices, list[Readout]]:
        return read(CosineLogits(of.images, classifier.vectors, scale, 0.0, classifier.twins), right, temperatures)

    def matching(of: Given) -> Doubles:
        return readouts(of, np.zeros(len(of.images), np.int64), raw)[1][0].confidence

    predicted, found = readouts(given, np.maximum(truth, 0), *([own, raw] if groups else [own]))
    ood = None
    if groups:
        beside = {id(g.of): matching(g.of) for g in groups if g.of is not given} | {id(given): found[1].confidence}
        scores = [beside[id(given)][inside], *(beside[id(g.of)][g.rows] for g in groups)]
        belongs = np.repeat([True, False], [len(inside), sum(map(len, groups))])
        clusters = np.concatenate([given.clusters[inside], *(g.clusters for g in groups)])
        ood = Scored(np.concatenate(scores), belongs, clusters)
    known = given.logit_scale is not None
    return Outcome(
        prompts,
        predicted[labelled],
        predicted[labelled] == truth[labelled],
        found[0].confidence[labelled] if known else None,
        found[0].nll[labelled] if known else None,
        ood,
    )
