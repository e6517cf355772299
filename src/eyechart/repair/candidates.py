"""Classifiers that might be better than the one there is: templates weighed in several ways (see `weighing`), with and without
descriptions of the worst classes. Nothing here looks at a label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Floats, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.classification.margins import class_margins, picture_margins
from eyechart.metrics.classification.predictions import best_classes, same_vectors
from eyechart.metrics.prompts.weights import Weights, weighted_classes
from eyechart.metrics.vectors import unit
from eyechart.probes.probe import TextVectors
from eyechart.repair.descriptions import Describes, phrases
from eyechart.repair.spoken import spoken, spoken_texts


@dataclass(frozen=True, eq=False)
class Candidate:
    """`vectors` [C, d]; `weights` of the pool's templates; `described`: phrases by the number of the class they describe."""

    weighting: str
    vectors: Floats
    weights: Weights
    described: dict[int, list[str]]

    @property
    def name(self) -> str:
        return f"{self.weighting} + descriptions" if self.described else self.weighting


def worst_by_margin(images: Floats, vectors: Floats, reference: Floats, count: int) -> Indices:
    """The classes of the smallest margin under `vectors`, pictures being sorted into classes by `reference`."""
    labels = best_classes(images, reference, np.arange(len(reference)))
    margins = class_margins(picture_margins(images, vectors, labels), labels, len(vectors))
    # Among classes that nobody was taken for, and others of equal margin, the order is that of the list.
    return np.asarray(np.argsort(margins.values, kind="stable")[:count], np.int64)


def candidates(
    weights: dict[str, Weights],
    classes: ClassList,
    templates: Sequence[str],
    texts: TextVectors,
    *,
    worst: Indices,
    describes: Describes | None,
) -> list[Candidate]:
    """Every weighting by itself, and again with the worst classes described: such a class stands half way between its name and
    the mean of its descriptions, in the same templates with the same weights."""
    plain = spoken([c.names for c in classes], templates, texts)
    described = _described(classes, worst, describes)
    if described:
        texts(spoken_texts(list(described.values()), templates))  # all at once, not template by template
    richer = spoken(list(described.values()), templates, texts) if described else None
    rows = list(described)
    found = []
    for weighting, of in weights.items():
        vectors = weighted_classes(plain, of.weights)
        found.append(Candidate(weighting, tied(vectors), of, {}))
        if richer is not None:
            enriched = vectors.copy()
            enriched[rows] = unit(vectors[rows] + weighted_classes(richer, of.weights))
            found.append(Candidate(weighting, tied(enriched), of, described))
    return found


def _described(classes: ClassList, worst: Indices, describes: Describes | None) -> dict[int, list[str]]:
    if describes is None:
        return {}
    names = {int(c): classes[int(c)].name for c in worst}
    said = describes(list(names.values()))
    return {c: phrases(name, said[name]) for c, name in names.items() if name in said}


def tied(vectors: Floats) -> Floats:
    """Classes that differ by rounding alone get the very same vector, so that they tie."""
    return np.asarray(vectors[same_vectors(vectors, np.arange(len(vectors)))])
