"""A score for every template without labels (ZPE, CPE), streamed over pictures.

ZPE: "A Simple Zero-shot Prompt Weighting Technique to Improve Prompt Ensembling in Text-Image Models" (Allingham et al., 2023).
CPE: "Investigating the Limitation of CLIP Models: The Worst-Performing Categories" (arXiv 2310.03324).

A template's scores are read off block by block and forgotten: what is held is one block of pictures × classes, never the array
of pictures × classes × templates. Templates do not depend on each other, so a caller that keeps what `done` hands out can stop
at any template and go on with `known`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.metrics.classification.margins import margins_of_block, margins_of_sums

Templates = Callable[[int], Floats]  # number of a template → unit vectors [C, d] of the classes in it
Done = Callable[[int, Doubles], None]  # number of a template, its scores by each measure

_BLOCK = 1 << 19  # cosines held at once


def picture_blocks(images: Floats, classes: int) -> list[Floats]:
    """`images` [n, d] as views of so many rows that their scores against all classes stay near the processor."""
    rows = max(1, _BLOCK // max(classes, 1))
    return [images[start : start + rows] for start in range(0, len(images), rows)]


class TemplateScore(Protocol):
    """Accumulates the score of one template over blocks of pictures."""

    def add(self, rows: slice, scores: Floats) -> None:
        """The next rows of pictures, and their cosines [rows, C] with all classes, which are as before when it returns."""

    def score(self) -> float: ...


Measure = Callable[[Floats], TemplateScore]  # class vectors of a template → a reading that begins


def template_scores(
    blocks: Iterable[Floats],
    class_vectors_of_template: Templates,
    templates: int,
    measures: Sequence[Measure],
    *,
    known: Doubles | None = None,
    done: Done | None = None,
) -> Doubles:
    """[templates, measures] scores, all measures off the same products. `blocks` is gone through once a template: a list or
    anything that can be. `known` [templates, measures]: what is known already, NaN where not; `done` is told of each new row."""
    scores = np.full((templates, len(measures)), np.nan) if known is None else known.astype(np.float64).copy()
    for template in np.flatnonzero(np.isnan(scores).any(axis=1)):
        vectors = class_vectors_of_template(int(template))
        weights = np.ascontiguousarray(vectors.T)
        readings = [measure(vectors) for measure in measures]
        for rows, block in _placed(blocks):
            products = block @ weights
            for reading in readings:
                reading.add(rows, products)
        scores[template] = [reading.score() for reading in readings]
        if done is not None:
            done(int(template), scores[template])
    return scores


def _placed(blocks: Iterable[Floats]) -> Iterator[tuple[slice, Floats]]:
    start = 0
    for block in blocks:
        yield slice(start, start + len(block)), block
        start += len(block)


def mean_picture(blocks: Iterable[Floats]) -> Doubles:
    """[d]. The mean cosine of pictures with a text is the product of their mean vector with it: no second pass is needed."""
    sums = [(block.sum(axis=0, dtype=np.float64), len(block)) for block in blocks]
    return np.asarray(np.sum([s for s, _ in sums], axis=0) / sum(n for _, n in sums))


@dataclass
class _MaxAboveUsual:
    usual: Floats
    total: float = 0.0
    n: int = 0

    def add(self, rows: slice, scores: Floats) -> None:
        self.total += float((scores - self.usual).max(axis=1).sum(dtype=np.float64))
        self.n += len(scores)

    def score(self) -> float:
        return self.total / self.n


def zpe(test_mean: Doubles, pretraining_mean: Doubles | None = None) -> Measure:
    r"""s_p = mean_n max_c (L[n,p,c] − E[p,c]), E the mean of E_test and E_pre, or E_test where pre-training pictures are unknown:
    how far the best class stands above what its words get from any picture. Means are those of picture vectors [d]."""
    middle = test_mean if pretraining_mean is None else (test_mean + pretraining_mean) / 2

    def begin(vectors: Floats) -> TemplateScore:
        return _MaxAboveUsual((vectors.astype(np.float64) @ middle).astype(np.float32))

    return begin


@dataclass
class _WorstMargin:
    labels: Indices
    k: int
    sums: Doubles
    counts: Indices

    def add(self, rows: slice, scores: Floats) -> None:
        labels = self.labels[rows]
        self.sums += np.bincount(labels, margins_of_block(scores, labels), minlength=len(self.sums))
        self.counts += np.bincount(labels, minlength=len(self.counts))

    def score(self) -> float:
        return margins_of_sums(self.sums, self.counts).worst(self.k)


def cpe(labels: Indices, k: int) -> Measure:
    """s_p = mean of the k lowest class-wise margins under template p alone. `labels` [n]: the class of every picture, by a
    reference ensemble, for a template's own answers have no negative margin."""

    def begin(vectors: Floats) -> TemplateScore:
        if len(vectors) < 2:
            raise ValueError("a margin is taken over another class, and there is only one")
        return _WorstMargin(labels, k, np.zeros(len(vectors)), np.zeros(len(vectors), np.int64))

    return begin
