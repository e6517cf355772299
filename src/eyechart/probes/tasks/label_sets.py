"""Label sets: words that pictures of people may be labeled with, or searched by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.class_design import read_design
from eyechart.data.dataset import Dataset
from eyechart.metrics.classification.predictions import ensembles
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest

_WORLD_DESIGNS = {"world-people": "world-people"}


@dataclass(frozen=True)
class LabelSet:
    """Words that are used as labels.

    words: The labels.
    attributes: The columns that define groups, where the label set belongs to a dataset.
    """

    words: tuple[str, ...]
    attributes: tuple[str, ...] = ()

    def vectors(self, inputs: ProbeInput[Any]) -> npt.NDArray[np.float32]:
        """One vector for each label, under the first prompt set."""
        prompts = [inputs.prompts[0].fill(word) for word in self.words]
        return ensembles(inputs.texts([text for of in prompts for text in of]), np.array([len(of) for of in prompts]))


def choose_labels(dataset: Dataset, words: Sequence[str], setting: str) -> LabelSet:
    """The given words, or the labels that come with a synthetic dataset.

    Args:
        dataset: The pictures that get the labels.
        words: The labels that a user chose.
        setting: The setting that chooses them, such as "skew.queries".

    Raises:
        NotApplicable: No words are given.
    """
    labels = _given_or_embedded(dataset, words)
    if labels is None:
        raise NotApplicable(
            "no words are chosen to label the pictures with; choose occupations-300, appearance or a file, "
            f"such as --set {setting}=appearance"
        )
    return labels


def label_texts(request: TextRequest[Any] | ProbeInput[Any], words: Sequence[str]) -> list[str]:
    """The prompts of all labels under the first prompt set; none where no labels are chosen."""
    labels = _given_or_embedded(request.dataset, words)
    if labels is None:
        return []
    return [text for prompts in request.prompts[:1] for word in labels.words for text in prompts.fill(word)]


def _given_or_embedded(dataset: Dataset, words: Sequence[str]) -> LabelSet | None:
    """There is no default for datasets of users: people are not labeled with words that nobody chose."""
    if words:
        return LabelSet(tuple(words))
    design = _WORLD_DESIGNS.get(str(dataset.reader.get("source")))
    if design is None:
        return None
    known = read_design(design)
    return LabelSet(known.names, known.attributes)
