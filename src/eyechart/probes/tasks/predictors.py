"""How a model names classes, some of them left out: by their prompts, or by the scores of a classifier of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.metrics.classification.predictions import best_classes
from eyechart.probes.probe import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, class_prompts, known_classes
from eyechart.prompts.prompt_set import PromptSet

_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Predictor:
    """One way to answer, which findings name by `slice`. `best(inputs, rows, columns)`: the best of these classes (indices into
    the examined dataset's list) for these rows of any dataset under the same model."""

    slice: dict[str, str]
    best: Callable[[ProbeInput[Any], Indices, Indices], Indices]

    @property
    def title(self) -> str:
        return "-".join(self.slice.values())


def answer_texts(request: TextRequest[Any]) -> Sequence[str]:
    """The prompts of the dataset's classes, of the prompt sets that the model has vectors for."""
    if request.dataset.classes is None:
        return ()
    said = [_wording(request.dataset.classes, prompts) for prompts in request.prompts]
    return [text for texts in said if request.can_encode(texts) for text in texts]


def predictors(inputs: ProbeInput[Any]) -> list[Predictor]:
    """Every way there is; NotApplicable where there is none."""
    found = [_by_prompts(inputs, prompts) for prompts in inputs.prompts if can_encode_prompts(inputs, prompts)]
    if scores_the_classes(inputs):
        found.append(Predictor({"answers": "class scores"}, _best_score))
    if not found:
        raise NotApplicable("the model has neither vectors for the names of the classes nor scores for ImageNet's thousand")
    return found


def can_encode_prompts(inputs: ProbeInput[Any], prompts: PromptSet) -> bool:
    """Whether the model has vectors for all that is said of the classes."""
    return inputs.can_encode(_wording(known_classes(inputs), prompts))


def scores_the_classes(inputs: ProbeInput[Any]) -> bool:
    """Whether it has a classifier of its own for these very classes."""
    classes = known_classes(inputs)
    return inputs.class_scores is not None and _is_imagenet(classes) and inputs.class_scores([0]).shape[1] == len(classes)


def _wording(classes: ClassList, prompts: PromptSet) -> list[str]:
    return [text for of_class in class_prompts(classes, prompts) for text in of_class]


def _by_prompts(inputs: ProbeInput[Any], prompts: PromptSet) -> Predictor:
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)

    def best(of: ProbeInput[Any], rows: Indices, columns: Indices) -> Indices:
        return np.asarray(columns[best_classes(of.images[rows], classifier.vectors[columns], classifier.duplicates[columns])])

    return Predictor({"prompts": prompts.name}, best)


def _best_score(of: ProbeInput[Any], rows: Indices, columns: Indices) -> Indices:
    if of.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    blocks = [[int(row) for row in rows[start : start + _ROWS]] for start in range(0, len(rows), _ROWS)]
    found = [of.class_scores(block)[:, columns].argmax(axis=1) for block in blocks]
    return np.asarray(columns[np.concatenate(found)] if found else np.empty(0), np.int64)


def _is_imagenet(classes: ClassList) -> bool:
    """Whether a classifier's thousand scores are those of these classes: the same ids in the same order."""
    return [c.label for c in classes] == [c.label for c in read_classes("imagenet-1k")]
