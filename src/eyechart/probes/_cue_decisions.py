"""How a model decides among the categories of a cue-conflict set: by their names, or through ImageNet's thousand classes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.data.cue_conflict import CATEGORIES
from eyechart.metrics.category_mapping import category_probabilities
from eyechart.metrics.classification import classify
from eyechart.probes._classifier import build_classifier, class_prompts, known_classes
from eyechart.probes._cue_conflict import IMAGENET, are_the_sixteen
from eyechart.probes.probe import Asked, Given
from eyechart.prompts.prompt_set import PromptSet

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

DIRECT, THOUSAND = "direct", "imagenet-1k"
_ROWS = 4096  # scored at once


@dataclass(frozen=True)
class Decider:
    """A way to decide, under its name. `decide` gives classes of the dataset for rows of it; `name_imagenet` the best of the
    1,000 classes for rows of any dataset under the same model, None for a decider that does not know them."""

    slice: dict[str, object]
    decide: Callable[[Indices], Indices]
    name_imagenet: Callable[[Given, Indices], Indices] | None = None

    @property
    def title(self) -> str:
        return "-".join(str(value) for value in self.slice.values())


def needed_texts(asked: Asked, variants: Sequence[str]) -> list[str]:
    """The prompts of the deciders that this model can be asked with."""
    texts: list[str] = []
    for prompts in asked.prompts:
        for classes in _class_lists(asked.dataset.classes, variants, has_columns(asked) and are_the_sixteen(asked.dataset)):
            said = [text for of_class in class_prompts(classes, prompts) for text in of_class]
            texts += said if asked.hears(said) else []
    return texts


def has_columns(asked: Asked | Given) -> bool:
    return asked.dataset.has("attr.shape") and asked.dataset.has("attr.texture")


def _class_lists(own: ClassList | None, variants: Sequence[str], sixteen: bool) -> list[ClassList]:
    direct = [own] if own is not None and DIRECT in variants else []
    return [*direct, *([read_classes("imagenet-1k")] if sixteen and THOUSAND in variants else [])]


def deciders(given: Given, variants: Sequence[str]) -> list[Decider]:
    """All that the model can be asked with: names of the categories under each prompt set; the thousand classes by a classifier's
    own scores, or by their names under each prompt set where a logit scale makes the softmax meaningful."""
    found, own = [], known_classes(given)
    if DIRECT in variants:
        found += [_direct(given, prompts) for prompts in given.prompts if _heard(given, prompts, own)]
    if THOUSAND not in variants or not are_the_sixteen(given.dataset):
        return found
    if given.class_scores is not None and given.class_scores([0]).shape[1] == 1000:
        return [*found, _thousand(given, {"variant": THOUSAND}, _scores)]
    if given.logit_scale is not None:
        classes = read_classes("imagenet-1k")
        found += [_named_thousand(given, prompts, classes) for prompts in given.prompts if _heard(given, prompts, classes)]
    return found


def _heard(given: Given, prompts: PromptSet, classes: ClassList) -> bool:
    return given.hears([text for of_class in class_prompts(classes, prompts) for text in of_class])


def _direct(given: Given, prompts: PromptSet) -> Decider:
    classifier = build_classifier(known_classes(given), prompts, given.texts)

    def decide(rows: Indices) -> Indices:
        nobody = np.full(len(rows), -1, np.int64)
        return classify(given.images[rows], classifier.vectors, nobody, classifier.twins).predicted

    return Decider({"variant": DIRECT, "prompts": prompts.name}, decide)


def _named_thousand(given: Given, prompts: PromptSet, classes: ClassList) -> Decider:
    vectors, scale = build_classifier(classes, prompts, given.texts).vectors, np.float32(given.logit_scale or 1.0)

    def logits(of: Given, rows: Indices) -> Floats:
        return np.asarray(scale * (of.images[rows] @ vectors.T), np.float32)

    return _thousand(given, {"variant": THOUSAND, "prompts": prompts.name}, logits)


def _scores(given: Given, rows: Indices) -> Floats:
    if given.class_scores is None:
        raise TypeError("a model gives class scores for all datasets or for none")
    return given.class_scores([int(row) for row in rows])


def _thousand(given: Given, which: dict[str, object], logits: Callable[[Given, Indices], Floats]) -> Decider:
    """Softmax over the thousand, mean over each category's classes, the highest; as a class of the dataset."""
    members = [IMAGENET[category] for category in CATEGORIES]
    place = {c.label: i for i, c in enumerate(known_classes(given))} | {c.name: i for i, c in enumerate(known_classes(given))}
    own = np.array([place.get(category, -1) for category in CATEGORIES], np.int64)

    def best(of: Given, rows: Indices, choose: Callable[[Floats], npt.NDArray[np.intp]]) -> Indices:
        parts = [choose(logits(of, rows[start : start + _ROWS])) for start in range(0, len(rows), _ROWS)]
        return np.concatenate(parts).astype(np.int64)

    return Decider(
        which,
        lambda rows: own[best(given, rows, lambda block: category_probabilities(block, members).argmax(axis=1))],
        lambda of, rows: best(of, rows, lambda block: block.argmax(axis=1)),
    )
