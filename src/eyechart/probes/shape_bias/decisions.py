"""How a model decides among the categories of a cue-conflict set: by their names, or through ImageNet's thousand classes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.data.published.cue_conflict import CATEGORIES
from eyechart.metrics.classification.category_mapping import category_probabilities
from eyechart.metrics.classification.predictions import classify
from eyechart.probes.probe import ProbeInput, TextRequest
from eyechart.probes.shape_bias.cue_conflict import IMAGENET, are_the_sixteen
from eyechart.probes.tasks.classifier import build_classifier, class_prompts, known_classes
from eyechart.prompts.prompt_set import PromptSet

DIRECT, THOUSAND = "direct", "imagenet-1k"
_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Decider:
    """A way to decide, under its name. `decide` gives classes of the dataset for rows of it; `name_imagenet` the best of the
    1,000 classes for rows of any dataset under the same model, None for a decider that does not know them."""

    slice: dict[str, object]
    decide: Callable[[Indices], Indices]
    name_imagenet: Callable[[ProbeInput[Any], Indices], Indices] | None = None

    @property
    def title(self) -> str:
        return "-".join(str(value) for value in self.slice.values())


def needed_texts(request: TextRequest[Any], variants: Sequence[str]) -> list[str]:
    """The prompts of the deciders that this model can be asked with."""
    texts: list[str] = []
    for prompts in request.prompts:
        for classes in _class_lists(request.dataset.classes, variants, has_columns(request) and are_the_sixteen(request.dataset)):
            said = [text for of_class in class_prompts(classes, prompts) for text in of_class]
            texts += said if request.can_encode(said) else []
    return texts


def has_columns(request: TextRequest[Any] | ProbeInput[Any]) -> bool:
    return request.dataset.has("attr.shape") and request.dataset.has("attr.texture")


def _class_lists(own: ClassList | None, variants: Sequence[str], sixteen: bool) -> list[ClassList]:
    direct = [own] if own is not None and DIRECT in variants else []
    return [*direct, *([read_classes("imagenet-1k")] if sixteen and THOUSAND in variants else [])]


def deciders(inputs: ProbeInput[Any], variants: Sequence[str]) -> list[Decider]:
    """All that the model can be asked with: names of the categories under each prompt set; the thousand classes by a classifier's
    own scores, or by their names under each prompt set where a logit scale makes the softmax meaningful."""
    found, own = [], known_classes(inputs)
    if DIRECT in variants:
        found += [_direct(inputs, prompts) for prompts in inputs.prompts if _heard(inputs, prompts, own)]
    if THOUSAND not in variants or not are_the_sixteen(inputs.dataset):
        return found
    if inputs.class_scores is not None and inputs.class_scores([0]).shape[1] == 1000:
        return [*found, _thousand(inputs, {"variant": THOUSAND}, _scores)]
    if inputs.logit_scale is not None:
        classes = read_classes("imagenet-1k")
        found += [_named_thousand(inputs, prompts, classes) for prompts in inputs.prompts if _heard(inputs, prompts, classes)]
    return found


def _heard(inputs: ProbeInput[Any], prompts: PromptSet, classes: ClassList) -> bool:
    return inputs.can_encode([text for of_class in class_prompts(classes, prompts) for text in of_class])


def _direct(inputs: ProbeInput[Any], prompts: PromptSet) -> Decider:
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)

    def decide(rows: Indices) -> Indices:
        nobody = np.full(len(rows), -1, np.int64)
        return classify(inputs.images[rows], classifier.vectors, nobody, classifier.duplicates).predicted

    return Decider({"variant": DIRECT, "prompts": prompts.name}, decide)


def _named_thousand(inputs: ProbeInput[Any], prompts: PromptSet, classes: ClassList) -> Decider:
    vectors, scale = build_classifier(classes, prompts, inputs.texts).vectors, np.float32(inputs.logit_scale or 1.0)

    def logits(of: ProbeInput[Any], rows: Indices) -> Floats:
        return np.asarray(scale * (of.images[rows] @ vectors.T), np.float32)

    return _thousand(inputs, {"variant": THOUSAND, "prompts": prompts.name}, logits)


def _scores(inputs: ProbeInput[Any], rows: Indices) -> Floats:
    if inputs.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    return inputs.class_scores([int(row) for row in rows])


def _thousand(inputs: ProbeInput[Any], which: dict[str, object], logits: Callable[[ProbeInput[Any], Indices], Floats]) -> Decider:
    """Softmax over the thousand, mean over each category's classes, the highest; as a class of the dataset."""
    members = [IMAGENET[category] for category in CATEGORIES]
    place = {c.label: i for i, c in enumerate(known_classes(inputs))} | {c.name: i for i, c in enumerate(known_classes(inputs))}
    own = np.array([place.get(category, -1) for category in CATEGORIES], np.int64)

    def best(of: ProbeInput[Any], rows: Indices, choose: Callable[[Floats], npt.NDArray[np.intp]]) -> Indices:
        parts = [choose(logits(of, rows[start : start + _ROWS])) for start in range(0, len(rows), _ROWS)]
        return np.concatenate(parts).astype(np.int64)

    return Decider(
        which,
        lambda rows: own[best(inputs, rows, lambda block: category_probabilities(block, members).argmax(axis=1))],
        lambda of, rows: best(of, rows, lambda block: block.argmax(axis=1)),
    )
