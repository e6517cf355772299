"""What a model answers for every picture, in each way that it can: by prompts, or by its own scores of the classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.metrics.classification.predictions import duplicate_classes
from eyechart.metrics.classification.top_classes import TopClasses, top_classes
from eyechart.models.class_likelihoods import reply_names
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.classifier import known_classes, shared_classifier
from eyechart.probes.tasks.picture_predictions import top_by_prompts
from eyechart.probes.tasks.predictors import NO_PREDICTOR, can_encode_prompts
from eyechart.probes.tasks.scorers import Scorer, scorers


@dataclass(frozen=True, eq=False)
class ClassAnswers:
    """Answers for all pictures of a dataset.

    slice: How findings name the way of answering.
    prompts: The prompt set; None for class scores.
    top: The best classes of every picture.
    duplicates: For each class, the first one that cannot be told from it.
    """

    slice: dict[str, str]
    prompts: str | None
    top: TopClasses
    duplicates: Indices


def class_answers(inputs: ProbeInput[Any]) -> list[ClassAnswers]:
    """All ways of answering, prompt sets first.

    Raises:
        NotApplicable: There is none.
    """
    classes, found = known_classes(inputs), []
    for prompts in inputs.prompts:
        if can_encode_prompts(inputs, prompts):
            classifier = shared_classifier(inputs, prompts)
            top = top_by_prompts(inputs, classifier)
            found.append(ClassAnswers({"prompts": prompts.name}, prompts.name, top, classifier.duplicates))
    by_names = inputs.scored_classes is not None  # a classifier of its own has no synonyms
    named = duplicate_classes([tuple(sorted(reply_names(c.names))) if by_names else (c.name,) for c in classes])
    found += [ClassAnswers(s.slice, None, _top(inputs, s), named) for s in scorers(inputs) if not s.by_prompts]
    if not found:
        raise NotApplicable(NO_PREDICTOR)
    return found


def _top(inputs: ProbeInput[Any], scorer: Scorer) -> TopClasses:
    return top_classes(scorer.raw(inputs, np.arange(len(inputs.dataset))), inputs.dataset.label_indices(), scale=1.0)
