"""Signals of every class under one prompt set, with true labels and with pseudo-labels of a reference prompt set."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from eyechart.arrays import Doubles, Indices
from eyechart.metrics.classification.class_signals import PictureSignals, class_means, read_signals, strongest_confusion
from eyechart.metrics.classification.margins import class_margins
from eyechart.metrics.classification.predictions import best_classes
from eyechart.probes.contract import ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, known_classes, prompt_texts
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet

LabelKind = Literal["true", "pseudo"]
KINDS: tuple[LabelKind, ...] = ("true", "pseudo")
REFERENCE = "openai-7"  # seven prompts for each class, all of them part of openai-80; the whole pool has 164
# The reference for prompts that are themselves the reference.
SECOND = {REFERENCE: "eyechart-30"}
SECOND_DEFAULT = "openai-80"


@dataclass(frozen=True)
class ClassSignals:
    """Signals of every class, with pictures assigned to classes by one kind of label.

    labels: The label of each picture.
    counts: Pictures of each class.
    margins: The margin of each picture.
    signals: Signals by name [C], higher for classes that should be more accurate: margin and minus confusion; with a logit scale
        also minus entropy, and confidence.
    """

    labels: Indices
    counts: Indices
    margins: Doubles
    signals: dict[str, Doubles]

    @property
    def empty(self) -> Indices:
        """Classes without pictures."""
        return np.flatnonzero(self.counts == 0)


def choose_reference(request: TextRequest[Any] | ProbeInput[Any], prompts: PromptSet) -> PromptSet | None:
    """The prompt set that gives pseudo-labels for these prompts; None where the model can encode no other set."""
    classes = request.dataset.classes
    first = request.settings.reference
    for name in dict.fromkeys((first, SECOND.get(first, SECOND_DEFAULT))):
        other = load_prompts(name)
        different = set(other.templates) != set(prompts.templates)
        if different and classes is not None and request.can_encode(prompt_texts(classes, other)):
            return other
    return None


def class_signals(
    inputs: ProbeInput[Any], prompts: PromptSet, reference: PromptSet | None, rows: Indices, truth: Indices
) -> dict[LabelKind, ClassSignals]:
    """The signals of the pictures in `rows`, with their true classes `truth` and with pseudo-labels.

    Without a reference, the prompts themselves give the pseudo-labels.
    """
    classes = known_classes(inputs)
    classifier = build_classifier(classes, prompts, inputs.texts)
    labeller = classifier if reference is None else build_classifier(classes, reference, inputs.texts)
    images = inputs.images[rows]
    pseudo = best_classes(images, labeller.vectors, labeller.duplicates)
    read = read_signals(images, classifier.vectors, [truth, pseudo], inputs.logit_scale)
    return {
        "true": _class_signals(read, truth, read.margins[0], len(classes)),
        "pseudo": _class_signals(read, pseudo, read.margins[1], len(classes)),
    }


def _class_signals(read: PictureSignals, labels: Indices, margins: Doubles, classes: int) -> ClassSignals:
    """A class without pictures gets the lowest value of the others, in every signal."""
    by_class = class_margins(margins, labels, classes)
    signals = {"margin": by_class.values, "confusion": -strongest_confusion(labels, read.predicted, classes)}
    for name, values in (("entropy", None if read.entropy is None else -read.entropy), ("confidence", read.confidence)):
        if values is not None:
            means = class_means(values, labels, classes, np.nan)
            signals[name] = np.where(np.isnan(means), np.nanmin(means), means)
    return ClassSignals(labels, by_class.counts, margins, signals)
