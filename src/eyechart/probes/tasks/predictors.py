"""Predictors: how a model chooses among some of the classes, by prompts or by the scores of its own classifier."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import class_cosines, known_classes, prompt_texts, shared_classifier
from eyechart.probes.tasks.given_predictions import SLICE, given_predictions
from eyechart.prompts.prompt_set import PromptSet

NO_PREDICTOR = "the model can neither encode the class names nor score the 1,000 classes of ImageNet"
CLASS_SCORES = {"answers": "class scores"}  # the slice of findings that rest on the model's own class scores

_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Predictor:
    """One way to predict classes.

    slice: How findings name it.
    predict: `predict(inputs, rows, columns)` gives the best of the classes `columns` (indices into the class list of the
        examined dataset) for these rows of any dataset under the same model; -1 for an answer that is no class of the list.
    restricts: Whether the choice is among `columns` alone. Predictions from a file were made among all classes.
    """

    slice: dict[str, str]
    predict: Callable[[ProbeInput[Any], Indices, Indices], Indices]
    restricts: bool = True

    @property
    def title(self) -> str:
        return title_of(self.slice)


def title_of(under: Mapping[str, object]) -> str:
    """How exhibits of a slice are named: by its prompt set, or "class scores".

    >>> title_of({"prompts": "single"})
    'single'
    """
    return "-".join(str(value) for value in under.values())


def predictor_texts(request: TextRequest[Any]) -> Sequence[str]:
    """The class prompts of the prompt sets that the model can encode."""
    if request.dataset.classes is None:
        return ()
    by_set = [prompt_texts(request.dataset.classes, prompts) for prompts in request.prompts]
    return [text for texts in by_set if request.can_encode(texts) for text in texts]


def predictors(inputs: ProbeInput[Any]) -> list[Predictor]:
    """Every way that the model can predict the classes.

    Raises:
        NotApplicable: There is none.
    """
    if inputs.predictions is not None:
        return [_from_file(inputs)]
    found = [_by_prompts(inputs, prompts) for prompts in inputs.prompts if can_encode_prompts(inputs, prompts)]
    if has_class_scores(inputs):
        found.append(Predictor(dict(CLASS_SCORES), _best_score))
    if not found:
        raise NotApplicable(NO_PREDICTOR)
    return found


def is_among(accepted: Flags, kinds: Indices, predicted: Indices) -> Flags:
    """Whether each predicted class is accepted for its kind: [kinds, classes] flags, rows of them, classes or -1 for none."""
    return np.asarray((predicted >= 0) & accepted[kinds, predicted])


def can_encode_prompts(inputs: ProbeInput[Any], prompts: PromptSet) -> bool:
    """Whether the model can encode all class prompts of this set."""
    return inputs.can_encode(prompt_texts(known_classes(inputs), prompts))


def has_class_scores(inputs: ProbeInput[Any]) -> bool:
    """Whether the model has its own classifier for exactly these classes, or scores their names."""
    classes = known_classes(inputs)
    if inputs.scored_classes is not None:
        return tuple(c.label for c in classes) == inputs.scored_classes
    return inputs.class_scores is not None and _is_imagenet(classes) and inputs.class_scores([0]).shape[1] == len(classes)


def _from_file(inputs: ProbeInput[Any]) -> Predictor:
    classes = known_classes(inputs)
    given_predictions(inputs, classes)  # raises NotApplicable where no answer is among the classes

    def predict(of: ProbeInput[Any], rows: Indices, columns: Indices) -> Indices:
        return given_predictions(of, classes, rows, some=False).predicted

    return Predictor(SLICE, predict, restricts=False)


def _by_prompts(inputs: ProbeInput[Any], prompts: PromptSet) -> Predictor:
    classifier = shared_classifier(inputs, prompts)

    def best(of: ProbeInput[Any], rows: Indices, columns: Indices) -> Indices:
        return np.asarray(columns[class_cosines(of, classifier, rows).choose(columns).best()])

    return Predictor({"prompts": prompts.name}, best)


def _best_score(of: ProbeInput[Any], rows: Indices, columns: Indices) -> Indices:
    if of.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    blocks = [[int(row) for row in rows[start : start + _ROWS]] for start in range(0, len(rows), _ROWS)]
    found = [of.class_scores(block)[:, columns].argmax(axis=1) for block in blocks]
    return np.asarray(columns[np.concatenate(found)] if found else np.empty(0), np.int64)


def _is_imagenet(classes: ClassList) -> bool:
    """Whether these are the 1,000 classes of ImageNet: the same ids in the same order."""
    return [c.label for c in classes] == [c.label for c in read_classes("imagenet-1k")]
