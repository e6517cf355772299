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


def choose_labels(dataset: Dataset, words: Sequence[str]) -> LabelSet:
    """The given words, or the labels that come with a synthetic dataset.

    There is no default for other datasets: people are not labeled with words that nobody chose.

    Raises:
        NotApplicable: No words are given.
    """
    if words:
        return LabelSet(tuple(words))
    design = _WORLD_DESIGNS.get(str(dataset.reader.get("source")))
    if design is None:
        raise NotApplicable(
            "no labels are given; choose occupations-300, appearance or a file, such as --set labels_by_group.labels=appearance"
        )
    known = read_design(design)
    return LabelSet(known.names, known.attributes)


def label_texts(request: TextRequest[Any], words: Sequence[str]) -> list[str]:
    """The prompts of all labels under the first prompt set."""
    try:
        labels = choose_labels(request.dataset, words)
    except NotApplicable:
        return []
    return [text for prompts in request.prompts[:1] for word in labels.words for text in prompts.fill(word)]
