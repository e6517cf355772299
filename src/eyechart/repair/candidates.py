"""Candidate classifiers: several weightings of the templates (see `template_weighting`), with and without descriptions of the
worst classes. No labels are used here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Floats, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.classification.margins import class_margins, picture_margins
from eyechart.metrics.classification.predictions import best_classes, same_vectors
from eyechart.metrics.prompts.weights import Weights, weighted_classes
from eyechart.metrics.vectors import unit
from eyechart.probes.contract import TextVectors
from eyechart.repair.descriptions import Describer, phrases
from eyechart.repair.prompt_vectors import prompt_texts, prompt_vectors


@dataclass(frozen=True, eq=False)
class Candidate:
    """A candidate for the repaired classifier.

    weighting: How the templates are weighted.
    vectors: Class vectors [C, d].
    weights: Weights of the templates of the pool.
    described: Class index → phrases that describe the class.
    """

    weighting: str
    vectors: Floats
    weights: Weights
    described: dict[int, list[str]]

    @property
    def name(self) -> str:
        return f"{self.weighting} + descriptions" if self.described else self.weighting


def worst_by_margin(images: Floats, vectors: Floats, reference: Floats, count: int) -> Indices:
    """The classes with the smallest margin under `vectors`, with the predictions of `reference` as pseudo-labels."""
    labels = best_classes(images, reference, np.arange(len(reference)))
    margins = class_margins(picture_margins(images, vectors, labels), labels, len(vectors))
    # Stable: classes of equal margin, such as those that are never predicted, keep the order of the list.
    return np.asarray(np.argsort(margins.values, kind="stable")[:count], np.int64)


def candidates(
    weights: dict[str, Weights],
    classes: ClassList,
    templates: Sequence[str],
    texts: TextVectors,
    *,
    worst: Indices,
    describer: Describer | None,
) -> list[Candidate]:
    """Every weighting by itself, and again with descriptions of the worst classes.

    The vector of a described class is the normalized sum of the vector of its name and the mean vector of its descriptions, in
    the same templates with the same weights.
    """
    plain = prompt_vectors([c.names for c in classes], templates, texts)
    described = _described(classes, worst, describer)
    if described:
        texts(prompt_texts(list(described.values()), templates))  # encode all at once, not template by template
    richer = prompt_vectors(list(described.values()), templates, texts) if described else None
    rows = list(described)
    found = []
    for weighting, weight in weights.items():
        vectors = weighted_classes(plain, weight.weights)
        found.append(Candidate(weighting, tied(vectors), weight, {}))
        if richer is not None:
            enriched = vectors.copy()
            enriched[rows] = unit(vectors[rows] + weighted_classes(richer, weight.weights))
            found.append(Candidate(weighting, tied(enriched), weight, described))
    return found


def _described(classes: ClassList, worst: Indices, describer: Describer | None) -> dict[int, list[str]]:
    if describer is None:
        return {}
    names = {int(c): classes[int(c)].name for c in worst}
    descriptions = describer(list(names.values()))
    return {c: phrases(name, descriptions[name]) for c, name in names.items() if name in descriptions}


def tied(vectors: Floats) -> Floats:
    """Classes that differ only by rounding get the same vector, so that they tie."""
    return np.asarray(vectors[same_vectors(vectors, np.arange(len(vectors)))])
