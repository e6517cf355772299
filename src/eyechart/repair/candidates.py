"""Candidate classifiers: several weightings of the templates (see `template_weighting`), with and without descriptions of the
worst classes. No labels are used here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.classification.margins import class_margins, picture_margins
from eyechart.metrics.classification.predictions import best_classes, same_vectors
from eyechart.metrics.prompts.weights import Weights, weighted_classes
from eyechart.metrics.vectors import unit
from eyechart.probes.contract import TextVectors
from eyechart.repair.descriptions import Describer, phrases
from eyechart.repair.prompt_vectors import prompt_texts, prompt_vectors

_BLOCK = 1 << 22  # cosines held at once


@dataclass(frozen=True, eq=False)
class Candidate:
    """A candidate for the repaired classifier.

    weighting: How the templates are weighted.
    vectors: Class vectors [C, d].
    weights: Weights of the templates of the pool.
    described: Class index → phrases that describe the class.
    baseline: What it is instead of a candidate that may be selected; empty where it may be.
    """

    weighting: str
    vectors: Floats
    weights: Weights
    described: dict[int, list[str]]
    baseline: str = ""

    @property
    def name(self) -> str:
        if self.baseline:
            return f"{self.weighting} + {self.baseline} (baseline)" if self.described else f"{self.weighting} (baseline)"
        return f"{self.weighting} + descriptions" if self.described else self.weighting


def worst_by_margin(images: Floats, vectors: Floats, reference: Floats, count: int) -> Indices:
    """The classes with the smallest margin under `vectors`, with the predictions of `reference` as pseudo-labels."""
    labels = best_classes(images, reference, np.arange(len(reference)))
    margins = class_margins(picture_margins(images, vectors, labels), labels, len(vectors))
    # Classes of equal margin, such as those that are never predicted: the one closest to another class comes first, since it is
    # the most easily confused. Classes that tie in that as well, such as two of one vector, keep the order of the list.
    return np.asarray(np.lexsort((-nearest_cosines(vectors), margins.values))[:count], np.int64)


def nearest_cosines(vectors: Floats) -> Doubles:
    """[C]: the highest cosine of each class vector with that of another class, to six digits."""
    found, rows = np.empty(len(vectors)), max(1, _BLOCK // len(vectors))
    for start in range(0, len(vectors), rows):
        block = vectors[start : start + rows] @ vectors.T
        block[np.arange(len(block)), start + np.arange(len(block))] = -np.inf
        found[start : start + rows] = block.max(axis=1)
    return found.round(6)


def candidates(
    weights: dict[str, Weights],
    classes: ClassList,
    templates: Sequence[str],
    texts: TextVectors,
    *,
    rows: Indices,
    describer: Describer | None,
) -> list[Candidate]:
    """Every weighting by itself, and again with descriptions of the classes `rows`.

    The vector of a described class is the normalized sum of the vector of its name and the mean vector of its descriptions, in
    the same templates with the same weights.
    """
    plain = prompt_vectors([c.names for c in classes], templates, texts)
    described = described_classes(classes, rows, describer)
    found = []
    for weighting, weight in weights.items():
        vectors = weighted_classes(plain, weight.weights)
        found.append(Candidate(weighting, tied(vectors), weight, {}))
        if described:
            found.append(Candidate(weighting, enriched(vectors, described, weight, templates, texts), weight, described))
    return found


def enriched(
    vectors: Floats,
    described: dict[int, list[str]],
    weight: Weights,
    templates: Sequence[str],
    texts: TextVectors,
    *,
    alone: bool = False,
) -> Floats:
    """Class vectors with the phrases of some classes added; with `alone`, in place of the vectors of their names."""
    rows, listed = list(described), list(described.values())
    texts(prompt_texts(listed, templates))  # encode all at once, not template by template
    richer = weighted_classes(prompt_vectors(listed, templates, texts), weight.weights)
    made = vectors.copy()
    made[rows] = richer if alone else unit(vectors[rows] + richer)
    return tied(made)


def described_classes(classes: ClassList, rows: Indices, describer: Describer | None) -> dict[int, list[str]]:
    """Class index → phrases, of those among `rows` that the describer knows."""
    if describer is None:
        return {}
    names = {int(c): classes[int(c)].name for c in rows}
    descriptions = describer(list(names.values()))
    return {c: phrases(name, descriptions[name]) for c, name in names.items() if name in descriptions}


def tied(vectors: Floats) -> Floats:
    """Classes that differ only by rounding get the same vector, so that they tie."""
    return np.asarray(vectors[same_vectors(vectors, np.arange(len(vectors)))])
