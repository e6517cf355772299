"""The zero-shot classifier that several probes ask about: class names in prompts, one vector a class."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.data.classes import ClassList
from eyechart.metrics.classification import ensemble, same_vectors, twin_classes
from eyechart.probes.probe import Given, TextVectors
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class Classifier:
    """`vectors` [C, d], unit length; `twins[c]`: the first class that the model hears as it hears c."""

    vectors: npt.NDArray[np.float32]
    twins: npt.NDArray[np.int64]


def class_prompts(classes: ClassList, prompts: PromptSet) -> list[list[str]]:
    """Every class's prompts: each of its names in each template."""
    return [[text for name in c.names for text in prompts.fill(name)] for c in classes]


def build_classifier(classes: ClassList, prompts: PromptSet, texts: TextVectors) -> Classifier:
    wording = class_prompts(classes, prompts)
    vectors = np.stack([ensemble(texts(of_class)) for of_class in wording])
    # Names that differ in case, or only behind the end of the context, are other texts and the same vector.
    return Classifier(vectors, same_vectors(vectors, twin_classes(wording)))


def class_titles(classes: ClassList) -> list[str]:
    """A distinct title a class: its name, with the label behind it where several classes share the name."""
    shared = Counter(c.name for c in classes)
    return [c.name if shared[c.name] == 1 else f"{c.name} ({c.label})" for c in classes]


def known_classes(given: Given) -> ClassList:
    """The dataset's classes; a probe that asks for them declares the need, so the exam has made sure they are there."""
    if given.dataset.classes is None:
        raise TypeError("a probe that uses classes must declare that it needs them")
    return given.dataset.classes
