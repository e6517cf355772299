"""The zero-shot classifier: class names in prompt templates, one vector for each class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.data.classes import ClassList, PictureClass
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.classification.predictions import duplicate_classes, ensembles, same_vectors
from eyechart.probes.contract import ProbeInput, TextRequest, TextVectors
from eyechart.prompts.prompt_set import PromptSet

ONE_CLASS = "there is one class, so every prediction would be correct; name more classes with --classes"
_CLASSES = 256  # fetched at once: 256 × 80 prompt vectors of width 512 are 42 MB


@dataclass(frozen=True)
class ZeroShotClassifier:
    """A linear classifier made of text vectors.

    vectors: One unit vector for each class [C, d].
    duplicates: For each class, the first class with the same vector.
    """

    vectors: npt.NDArray[np.float32]
    duplicates: npt.NDArray[np.int64]


@lru_cache(maxsize=8)  # several probes need the same 80,000 texts
def class_prompts(classes: ClassList, prompts: PromptSet) -> tuple[tuple[str, ...], ...]:
    """The prompts of every class: each of its names in each template."""
    return tuple(tuple(text for name in c.names for text in prompts.fill(name)) for c in classes)


def prompt_texts(classes: ClassList, prompts: PromptSet) -> list[str]:
    """The prompts of all classes in one list."""
    return [text for of_class in class_prompts(classes, prompts) for text in of_class]


def class_texts(request: TextRequest[Any]) -> Sequence[str]:
    """The texts of a probe that classifies: every class name in every template of every prompt set.

    Args:
        request: What the probe knows before anything is encoded.

    Returns:
        The texts; none where the dataset has no classes.

    Example:
        >>> from eyechart.inputs import open_data
        >>> from eyechart.plan import DataPlan
        >>> from eyechart.probes import TextRequest
        >>> from eyechart.prompts.library import load_prompts
        >>> shapes = open_data(DataPlan("world-objects", limit=18), seed=0)
        >>> len(class_texts(TextRequest(shapes, (load_prompts("bare"),), None))) == len(shapes.classes)
        True
    """
    classes = request.dataset.classes
    if classes is None:
        return ()
    return [text for prompts in request.prompts for text in prompt_texts(classes, prompts)]


def build_classifier(classes: ClassList, prompts: PromptSet, texts: TextVectors) -> ZeroShotClassifier:
    """The zero-shot classifier of a class list under a prompt set.

    Args:
        classes: The classes.
        prompts: The prompt set; every name of a class is put into every template.
        texts: Gives the vectors of these texts, as `ProbeInput.texts` does.

    Returns:
        One unit vector per class, and which classes are duplicates.

    Example:
        >>> import numpy as np
        >>> from eyechart.data import ClassList, PictureClass
        >>> from eyechart.prompts.library import load_prompts
        >>> classes = ClassList("pets", (PictureClass("cat", "cat"), PictureClass("dog", "dog")))
        >>> vectors = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}
        >>> classifier = build_classifier(classes, load_prompts("bare"), lambda texts: np.float32([vectors[t] for t in texts]))
        >>> classifier.vectors.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    wording = class_prompts(classes, prompts)
    vectors = np.concatenate([_vectors(wording[start : start + _CLASSES], texts) for start in range(0, len(wording), _CLASSES)])
    # Names that differ in case only, or only after the end of the context, are different texts with the same vector.
    return ZeroShotClassifier(vectors, same_vectors(vectors, duplicate_classes(wording)))


def shared_classifier(inputs: ProbeInput[Any], prompts: PromptSet, classes: ClassList | None = None) -> ZeroShotClassifier:
    """`build_classifier` of the dataset's classes, or of others, built once for all probes that share their scores."""
    classes = known_classes(inputs) if classes is None else classes
    return inputs.shared.once((classes, prompts, inputs.texts), lambda: build_classifier(classes, prompts, inputs.texts))


def class_cosines(
    inputs: ProbeInput[Any],
    classifier: ZeroShotClassifier,
    rows: Indices | None = None,
    *,
    scale: float = 1.0,
    bias: float = 0.0,
    keep: bool = True,
) -> CosineLogits:
    """scale · cosine + bias of pictures and classes; the cosines are computed once for all probes that share their scores.

    Args:
        inputs: The pictures.
        classifier: A classifier from `shared_classifier`.
        rows: Which pictures; None for all.
        scale: What cosines are multiplied by.
        bias: What is added then.
        keep: Whether other probes will need them: those of the plan's prompt sets.
    """
    shared = inputs.shared if keep else None
    return CosineLogits(inputs.images, classifier.vectors, scale, bias, classifier.duplicates, rows=rows, shared=shared)


def _vectors(wording: Sequence[Sequence[str]], texts: TextVectors) -> npt.NDArray[np.float32]:
    request = [text for of_class in wording for text in of_class]
    return ensembles(texts(request), np.array([len(of_class) for of_class in wording]))


def class_titles(classes: ClassList) -> list[str]:
    """A distinct title for each class: its label, with the name in brackets where they differ; an id shows the name alone."""
    shared = Counter(c.name for c in classes)
    return [_title(c, shared[c.name] > 1) for c in classes]


def _title(c: PictureClass, shared: bool) -> str:
    if _is_word(c.label):
        return c.name if _letters(c.label) == _letters(c.name) and not shared else f"{c.label} ({c.name})"
    return f"{c.name} ({c.label})" if shared else c.name


def _is_word(label: str) -> bool:
    """Whether a person can read it: not a number, a letter or an id such as n01440764."""
    return len(label) > 2 and any(map(str.isalpha, label)) and not any(map(str.isdigit, label))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def known_classes(inputs: ProbeInput[Any]) -> ClassList:
    """The classes of the dataset.

    Args:
        inputs: The input of a probe that declares `needs=("classes",)`.

    Raises:
        TypeError: If the dataset has none, which the declared need rules out.

    Example:
        >>> from types import SimpleNamespace
        >>> from eyechart.data import ClassList, PictureClass
        >>> pets = ClassList("pets", (PictureClass("cat", "cat"),))
        >>> known_classes(SimpleNamespace(dataset=SimpleNamespace(classes=pets))) is pets
        True
    """
    if inputs.dataset.classes is None:
        raise TypeError("a probe that uses classes must declare the need 'classes'")
    return inputs.dataset.classes
