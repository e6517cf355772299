"""How a model scores classes: by their prompts, or by a classifier of its own. For questions about the scores themselves."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.metrics.logits import CosineLogits, ListedLogits, LogitBlocks
from eyechart.probes._answerers import hears_prompts, scores_the_classes
from eyechart.probes._classifier import build_classifier, known_classes
from eyechart.probes.probe import Given
from eyechart.prompts.prompt_set import PromptSet

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scorer:
    """One way to score, which findings name by `slice`.

    raw(given, rows): cosines where it goes `by_words`, else logits, for rows of any dataset under the same model. logits(given,
    rows): what probabilities are made of; None where the model has no logit scale. `scale`, `bias`: by which cosines became
    logits."""

    slice: dict[str, str]
    by_words: bool
    raw: Callable[[Given, Indices], LogitBlocks]
    logits: Callable[[Given, Indices], LogitBlocks] | None
    scale: float | None = None
    bias: float = 0.0

    @property
    def title(self) -> str:
        return "-".join(self.slice.values())


def scorers(given: Given) -> list[Scorer]:
    """Every way there is, prompts first."""
    found = [_by_prompts(given, prompts) for prompts in given.prompts if hears_prompts(given, prompts)]
    return [*found, _by_class_scores()] if scores_the_classes(given) else found


def _by_prompts(given: Given, prompts: PromptSet) -> Scorer:
    classifier = build_classifier(known_classes(given), prompts, given.texts)

    def cosines(of: Given, rows: Indices, scale: float = 1.0, bias: float = 0.0) -> LogitBlocks:
        return CosineLogits(of.images, classifier.vectors, scale, bias, classifier.twins, rows)

    scale, bias = given.logit_scale, given.logit_bias
    logits = None if scale is None else lambda of, rows: cosines(of, rows, scale, bias)
    return Scorer({"prompts": prompts.name}, True, cosines, logits, scale, bias)


def _by_class_scores() -> Scorer:
    def listed(of: Given, rows: Indices) -> LogitBlocks:
        if of.class_scores is None:
            raise TypeError("a model gives class scores for all datasets or for none")
        width = of.class_scores([0]).shape[1]
        return ListedLogits(of.class_scores, np.asarray(rows), np.arange(width))

    return Scorer({"answers": "class scores"}, False, listed, listed)
