"""Deciders: how a model chooses among the categories of a cue-conflict set, by their names or by the classes of ImageNet."""

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
from eyechart.probes.contract import ProbeInput, TextRequest
from eyechart.probes.shape_bias.cue_conflict import IMAGENET, uses_geirhos_categories
from eyechart.probes.tasks.classifier import build_classifier, known_classes, prompt_texts
from eyechart.probes.tasks.given_predictions import SLICE, given_predictions
from eyechart.probes.tasks.predictors import has_class_scores
from eyechart.prompts.prompt_set import PromptSet

DIRECT, IMAGENET_1K = "direct", "imagenet-1k"
_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Decider:
    """One way to decide.

    slice: How findings name it.
    decide: `decide(rows)` gives classes of the dataset for its rows.
    predict_imagenet: `predict_imagenet(inputs, rows)` gives the best of the 1,000 classes of ImageNet, for rows of any dataset
        under the same model; None for a decider without these classes.
    """

    slice: dict[str, object]
    decide: Callable[[Indices], Indices]
    predict_imagenet: Callable[[ProbeInput[Any], Indices], Indices] | None = None

    @property
    def title(self) -> str:
        return "-".join(str(value) for value in self.slice.values())


def decider_texts(request: TextRequest[Any], variants: Sequence[str]) -> list[str]:
    """The prompts of all deciders that the model can encode."""
    texts: list[str] = []
    mapped = has_columns(request) and uses_geirhos_categories(request.dataset)
    for prompts in request.prompts:
        for classes in _class_lists(request.dataset.classes, variants, mapped):
            of_list = prompt_texts(classes, prompts)
            texts += of_list if request.can_encode(of_list) else []
    return texts


def has_columns(request: TextRequest[Any] | ProbeInput[Any]) -> bool:
    """Whether the dataset has the shape and texture of each picture."""
    return request.dataset.has("attr.shape") and request.dataset.has("attr.texture")


def _class_lists(own: ClassList | None, variants: Sequence[str], mapped: bool) -> list[ClassList]:
    direct = [own] if own is not None and DIRECT in variants else []
    return [*direct, *([read_classes("imagenet-1k")] if mapped and IMAGENET_1K in variants else [])]


def deciders(inputs: ProbeInput[Any], variants: Sequence[str]) -> list[Decider]:
    """All deciders of the model: by the names of the categories under each prompt set; and by the 1,000 classes of ImageNet.

    For the latter, the model's own class scores, or class prompts where a logit scale makes the softmax meaningful.
    """
    found, own = [], known_classes(inputs)
    if inputs.predictions is not None:
        return [_from_file(inputs)]
    if DIRECT in variants:
        found += [_direct(inputs, prompts) for prompts in inputs.prompts if inputs.can_encode(prompt_texts(own, prompts))]
    if DIRECT in variants and has_class_scores(inputs) and inputs.scored_classes is not None:
        found.append(_by_scored_names(inputs))
    if IMAGENET_1K not in variants or not uses_geirhos_categories(inputs.dataset):
        return found
    if inputs.class_scores is not None and inputs.scored_classes is None and inputs.class_scores([0]).shape[1] == 1000:
        return [*found, _by_imagenet(inputs, {"variant": IMAGENET_1K}, _scores)]
    if inputs.logit_scale is not None:
        classes = read_classes("imagenet-1k")
        usable = [prompts for prompts in inputs.prompts if inputs.can_encode(prompt_texts(classes, prompts))]
        found += [_by_imagenet_prompts(inputs, prompts, classes) for prompts in usable]
    return found


def _direct(inputs: ProbeInput[Any], prompts: PromptSet) -> Decider:
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)

    def decide(rows: Indices) -> Indices:
        unknown = np.full(len(rows), -1, np.int64)
        return classify(inputs.images[rows], classifier.vectors, unknown, classifier.duplicates).predicted

    return Decider({"variant": DIRECT, "prompts": prompts.name}, decide)


def _from_file(inputs: ProbeInput[Any]) -> Decider:
    """Answers from a file: among the categories, or anything else, which is a decision for neither cue."""
    given = given_predictions(inputs, known_classes(inputs)).predicted
    return Decider({"variant": DIRECT, **SLICE}, lambda rows: np.asarray(given[rows]))


def _by_scored_names(inputs: ProbeInput[Any]) -> Decider:
    """A model that scores the names of the categories themselves."""

    def decide(rows: Indices) -> Indices:
        return np.asarray(_scores(inputs, rows).argmax(axis=1)) if len(rows) else np.empty(0, np.int64)

    return Decider({"variant": DIRECT, "answers": "class scores"}, decide)


def _by_imagenet_prompts(inputs: ProbeInput[Any], prompts: PromptSet, classes: ClassList) -> Decider:
    vectors, scale = build_classifier(classes, prompts, inputs.texts).vectors, np.float32(inputs.logit_scale or 1.0)

    def logits(of: ProbeInput[Any], rows: Indices) -> Floats:
        return np.asarray(scale * (of.images[rows] @ vectors.T), np.float32)

    return _by_imagenet(inputs, {"variant": IMAGENET_1K, "prompts": prompts.name}, logits)


def _scores(inputs: ProbeInput[Any], rows: Indices) -> Floats:
    if inputs.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    return inputs.class_scores([int(row) for row in rows])


def _by_imagenet(
    inputs: ProbeInput[Any], which: dict[str, object], logits: Callable[[ProbeInput[Any], Indices], Floats]
) -> Decider:
    """The category with the highest mean probability over its ImageNet classes, as a class of the dataset."""
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
