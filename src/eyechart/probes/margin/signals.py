"""Signals of every class under one prompt set, its pictures being told by true labels and by those of a reference ensemble."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from eyechart.arrays import Doubles, Indices
from eyechart.metrics.classification.class_signals import PictureSignals, class_means, read_signals, strongest_confusion
from eyechart.metrics.classification.margins import class_margins
from eyechart.metrics.classification.predictions import best_classes
from eyechart.probes.probe import ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, known_classes
from eyechart.probes.tasks.prompt_outcomes import said
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet

Labels = Literal["true", "pseudo"]
KINDS: tuple[Labels, ...] = ("true", "pseudo")
CHEAP = "openai-7"  # seven texts a class, none of them new beside openai-80; the whole pool would be 164
SECOND = {CHEAP: "eyechart-30"}  # labels pictures for the prompts that are themselves the reference; for any other reference:
SECOND_ELSE = "openai-80"


@dataclass(frozen=True)
class Labelling:
    """`labels` of the labelled pictures; `counts` by class; `signals` by name, [C] each, higher where a class should do better:
    margin, less confusion, and where the scale of logits is known less entropy and confidence."""

    labels: Indices
    counts: Indices
    margins: Doubles
    signals: dict[str, Doubles]

    @property
    def unseen(self) -> Indices:
        return np.flatnonzero(self.counts == 0)


def reference_of(request: TextRequest[Any] | ProbeInput[Any], prompts: PromptSet) -> PromptSet | None:
    """The set whose ensemble labels the pictures for these prompts; None where the model hears no other than these."""
    classes = request.dataset.classes
    first = request.settings.reference
    for name in dict.fromkeys((first, SECOND.get(first, SECOND_ELSE))):
        other = load_prompts(name)
        if set(other.templates) != set(prompts.templates) and classes is not None and request.can_encode(said(classes, other)):
            return other
    return None


def labellings(
    inputs: ProbeInput[Any], prompts: PromptSet, reference: PromptSet | None, rows: Indices, truth: Indices
) -> dict[Labels, Labelling]:
    """Of the pictures in `rows`, whose true classes are `truth`; without a reference the prompts label for themselves."""
    classes = known_classes(inputs)
    classifier = build_classifier(classes, prompts, inputs.texts)
    judge = classifier if reference is None else build_classifier(classes, reference, inputs.texts)
    images = inputs.images[rows]
    pseudo = best_classes(images, judge.vectors, judge.duplicates)
    read = read_signals(images, classifier.vectors, [truth, pseudo], inputs.logit_scale)
    return {
        "true": _labelling(read, truth, read.margins[0], len(classes)),
        "pseudo": _labelling(read, pseudo, read.margins[1], len(classes)),
    }


def _labelling(read: PictureSignals, labels: Indices, margins: Doubles, classes: int) -> Labelling:
    """A class without pictures stands where the worst of the others does, in every signal."""
    by_class = class_margins(margins, labels, classes)
    signals = {"margin": by_class.values, "confusion": -strongest_confusion(labels, read.predicted, classes)}
    for name, values in (("entropy", None if read.entropy is None else -read.entropy), ("confidence", read.confidence)):
        if values is not None:
            means = class_means(values, labels, classes, np.nan)
            signals[name] = np.where(np.isnan(means), np.nanmin(means), means)
    return Labelling(labels, by_class.counts, margins, signals)
