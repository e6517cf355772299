"""Prompt weights without labels: scores of templates (`template_scores`) and the weights that follow from them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.metrics.prompts.template_scores import Done, Templates, cpe, mean_picture, template_scores, zpe
from eyechart.metrics.vectors import unit

SCALE = 100.0  # margins are about 0.01; without CLIP's logit scale the softmax would be flat
BROAD, FINE = 0.5, 2.0  # τ for broad and for fine-grained lists of classes


def zpe_scores(
    picture_blocks: Iterable[Floats],
    class_vectors_of_template: Templates,
    templates: int,
    *,
    pretraining_mean: Doubles | None = None,
    known: Doubles | None = None,
    done: Done | None = None,
) -> Doubles:
    """[templates]: see `zpe`. Logits are raw cosines; `known` [templates] and `done` as in `template_scores`."""
    measure = zpe(mean_picture(picture_blocks), pretraining_mean)
    before = None if known is None else known[:, None]
    return template_scores(picture_blocks, class_vectors_of_template, templates, [measure], known=before, done=done)[:, 0]


def cpe_scores(
    picture_blocks: Iterable[Floats],
    class_vectors_of_template: Templates,
    templates: int,
    labels: Indices,
    k: int,
    *,
    known: Doubles | None = None,
    done: Done | None = None,
) -> Doubles:
    """[templates]: see `cpe`. `known` [templates] and `done` as in `template_scores`."""
    before = None if known is None else known[:, None]
    return template_scores(picture_blocks, class_vectors_of_template, templates, [cpe(labels, k)], known=before, done=done)[:, 0]


@dataclass(frozen=True)
class Weights:
    """Weights of templates.

    weights: [templates], summing to 1; 0 where a template is not kept.
    kept: Which templates are kept.
    note: What could not be done as requested; empty otherwise.
    scale: The factor of the softmax.
    tau: The threshold of the selection.
    """

    weights: Doubles
    kept: Flags
    note: str = ""
    scale: float = SCALE
    tau: float | None = None


def prompt_weights(scores: Doubles, scale: float = SCALE, tau: float | None = BROAD) -> Weights:
    r"""w = softmax(scale · s) over the templates with (s − median) / MAD ≥ τ, all of them where τ is None.

    The median absolute deviation is not rescaled. Where it is 0, or no template is left, all are kept and the note says so."""
    scores = np.asarray(scores, np.float64)
    if len(scores) == 0 or not np.isfinite(scores).all():
        raise ValueError("every template needs a finite score")
    kept, note = _selected(scores, tau)
    powers = np.where(kept, scale * (scores - scores[kept].max()), -np.inf)
    weights = np.exp(powers)
    return Weights(weights / weights.sum(), kept, note, scale, tau)


def _selected(scores: Doubles, tau: float | None) -> tuple[Flags, str]:
    everyone = np.ones(len(scores), bool)
    if tau is None:
        return everyone, ""
    apart = scores - np.median(scores)
    spread = float(np.median(np.abs(apart)))
    if spread == 0:
        return everyone, "all templates were kept: half of them or more have the same score, so none stands out"
    kept = apart / spread >= tau
    if not kept.any():
        return everyone, f"all templates were kept: none lies {tau:g} median deviations above the median"
    return kept, ""


def weighted_classes(class_vectors_of_template: Templates, weights: Doubles) -> Floats:
    """[C, d], unit length: the mean of each class's unit vectors over templates with these weights, one template at a time."""
    total = sum(weights[t] * unit(class_vectors_of_template(int(t))).astype(np.float64) for t in np.flatnonzero(weights))
    return unit(np.asarray(total, np.float32))
