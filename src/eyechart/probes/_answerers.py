"""How a model names classes, some of them left out: by their prompts, or by the scores of a classifier of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.metrics.classification import best_classes
from eyechart.probes._classifier import build_classifier, class_prompts, known_classes
from eyechart.probes.probe import Asked, Given, NotApplicable
from eyechart.prompts.prompt_set import PromptSet

Indices = npt.NDArray[np.int64]

_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Answerer:
    """One way to answer, which findings name by `slice`. `best(given, rows, columns)`: the best of these classes (indices into
    the examined dataset's list) for these rows of any dataset under the same model."""

    slice: dict[str, str]
    best: Callable[[Given, Indices, Indices], Indices]

    @property
    def title(self) -> str:
        return "-".join(self.slice.values())


def answer_texts(asked: Asked) -> Sequence[str]:
    """The prompts of the dataset's classes, of the prompt sets that the model has vectors for."""
    if asked.dataset.classes is None:
        return ()
    said = [_wording(asked.dataset.classes, prompts) for prompts in asked.prompts]
    return [text for texts in said if asked.hears(texts) for text in texts]


def answerers(given: Given) -> list[Answerer]:
    """Every way there is; NotApplicable where there is none."""
    found = [_by_prompts(given, prompts) for prompts in given.prompts if hears_prompts(given, prompts)]
    if scores_the_classes(given):
        found.append(Answerer({"answers": "class scores"}, _best_score))
    if not found:
        raise NotApplicable("the model has neither vectors for the names of the classes nor scores for ImageNet's thousand")
    return found


def hears_prompts(given: Given, prompts: PromptSet) -> bool:
    """Whether the model has vectors for all that is said of the classes."""
    return given.hears(_wording(known_classes(given), prompts))


def scores_the_classes(given: Given) -> bool:
    """Whether it has a classifier of its own for these very classes."""
    classes = known_classes(given)
    return given.class_scores is not None and _is_imagenet(classes) and given.class_scores([0]).shape[1] == len(classes)


def _wording(classes: ClassList, prompts: PromptSet) -> list[str]:
    return [text for of_class in class_prompts(classes, prompts) for text in of_class]


def _by_prompts(given: Given, prompts: PromptSet) -> Answerer:
    classifier = build_classifier(known_classes(given), prompts, given.texts)

    def best(of: Given, rows: Indices, columns: Indices) -> Indices:
        return np.asarray(columns[best_classes(of.images[rows], classifier.vectors[columns], classifier.twins[columns])])

    return Answerer({"prompts": prompts.name}, best)


def _best_score(of: Given, rows: Indices, columns: Indices) -> Indices:
    if of.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    blocks = [[int(row) for row in rows[start : start + _ROWS]] for start in range(0, len(rows), _ROWS)]
    found = [of.class_scores(block)[:, columns].argmax(axis=1) for block in blocks]
    return np.asarray(columns[np.concatenate(found)] if found else np.empty(0), np.int64)


def _is_imagenet(classes: ClassList) -> bool:
    """Whether a classifier's thousand scores are those of these classes: the same ids in the same order."""
    return [c.label for c in classes] == [c.label for c in read_classes("imagenet-1k")]
