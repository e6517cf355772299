"""The zero-shot classifier that several probes ask about: class names in prompts, one vector a class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.classes import ClassList
from eyechart.metrics.classification.predictions import duplicate_classes, ensembles, same_vectors
from eyechart.probes.probe import ProbeInput, TextRequest, TextVectors
from eyechart.prompts.prompt_set import PromptSet

_CLASSES = 256  # whose prompts are fetched at once: 256 × 80 vectors of width 512 are 42 MB


@dataclass(frozen=True)
class ZeroShotClassifier:
    """`vectors` [C, d], unit length; `duplicates[c]`: the first class that the model hears as it hears c."""

    vectors: npt.NDArray[np.float32]
    duplicates: npt.NDArray[np.int64]


@lru_cache(maxsize=8)  # several probes ask for the same 80,000 texts
def class_prompts(classes: ClassList, prompts: PromptSet) -> tuple[tuple[str, ...], ...]:
    """Every class's prompts: each of its names in each template."""
    return tuple(tuple(text for name in c.names for text in prompts.fill(name)) for c in classes)


def class_texts(request: TextRequest[Any]) -> Sequence[str]:
    """The texts of a probe that classifies: every class name in every template of every prompt set."""
    classes = request.dataset.classes
    if classes is None:
        return ()
    return [text for prompts in request.prompts for of_class in class_prompts(classes, prompts) for text in of_class]


def build_classifier(classes: ClassList, prompts: PromptSet, texts: TextVectors) -> ZeroShotClassifier:
    wording = class_prompts(classes, prompts)
    vectors = np.concatenate([_vectors(wording[start : start + _CLASSES], texts) for start in range(0, len(wording), _CLASSES)])
    # Names that differ in case, or only behind the end of the context, are other texts and the same vector.
    return ZeroShotClassifier(vectors, same_vectors(vectors, duplicate_classes(wording)))


def _vectors(wording: Sequence[Sequence[str]], texts: TextVectors) -> npt.NDArray[np.float32]:
    request = [text for of_class in wording for text in of_class]
    return ensembles(texts(request), np.array([len(of_class) for of_class in wording]))


def class_titles(classes: ClassList) -> list[str]:
    """A distinct title a class: its name, with the label behind it where several classes share the name."""
    shared = Counter(c.name for c in classes)
    return [c.name if shared[c.name] == 1 else f"{c.name} ({c.label})" for c in classes]


def known_classes(inputs: ProbeInput[Any]) -> ClassList:
    """The dataset's classes; a probe that asks for them declares the need, so the exam has made sure they are there."""
    if inputs.dataset.classes is None:
        raise TypeError("a probe that uses classes must declare that it needs them")
    return inputs.dataset.classes
