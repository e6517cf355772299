"""The labels that pictures of people may be called, or be searched by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.class_design import read_design
from eyechart.data.dataset import Dataset
from eyechart.metrics.classification.predictions import ensembles
from eyechart.probes.probe import NotApplicable, ProbeInput, TextRequest

_OF_THE_WORLD = {"world-people": "world-people"}


@dataclass(frozen=True)
class Labels:
    """`attributes`: the columns that tell groups apart, where the set is made for a dataset."""

    words: tuple[str, ...]
    attributes: tuple[str, ...] = ()

    def vectors(self, inputs: ProbeInput[Any]) -> npt.NDArray[np.float32]:
        """One a label, under the first prompt set."""
        said = [inputs.prompts[0].fill(word) for word in self.words]
        return ensembles(inputs.texts([text for texts in said for text in texts]), np.array([len(texts) for texts in said]))


def labels_for(dataset: Dataset, words: Sequence[str]) -> Labels:
    """Those that are named; else those that come with a dataset of the world. Nobody is labelled with words that were not asked
    for."""
    if words:
        return Labels(tuple(words))
    design = _OF_THE_WORLD.get(str(dataset.reader.get("source")))
    if design is None:
        raise NotApplicable("no labels were named: occupations-300, appearance, or a file of yours")
    known = read_design(design)
    return Labels(known.names, known.attributes)


def label_texts(request: TextRequest[Any], words: Sequence[str]) -> list[str]:
    try:
        labels = labels_for(request.dataset, words)
    except NotApplicable:
        return []
    return [text for prompts in request.prompts[:1] for word in labels.words for text in prompts.fill(word)]
