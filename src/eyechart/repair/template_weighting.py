"""Weights of the templates of a pool, from unlabeled pictures.

One pass over the pool scores all weightings at once. Scores are saved, so that an interrupted run continues with the next
template.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.errors import DataError
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.prompts.template_scores import Measure, Templates, cpe, mean_picture, picture_blocks, template_scores, zpe
from eyechart.metrics.prompts.weights import Weights, prompt_weights, weighted_classes
from eyechart.metrics.vectors import unit
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.score_ledger import ScoreLedger
from eyechart.repair.class_vectors import read_vectors
from eyechart.repair.settings import WEIGHTINGS, Settings

UNIFORM = "uniform"


@dataclass(frozen=True)
class Checkpoint:
    """Where a run saves its scores and reports its progress.

    ledger: The file of template scores, until the repair is done; None saves nothing.
    progress: The progress bars.
    """

    ledger: Path | None = None
    progress: Progress = field(default_factory=SilentProgress)


@dataclass(frozen=True, eq=False)
class TemplatePool:
    """The templates to weight.

    templates: The templates as text.
    class_names: The names or phrases of each class, with equal weights.
    vectors: Index of a template → its class vectors.
    """

    templates: Sequence[str]
    class_names: Sequence[Sequence[str]]
    vectors: Templates


def oracle_weights(images: Floats, truth: Indices, pool: TemplatePool, settings: Settings) -> Weights | None:
    """The weights of CPE where true classes take the place of pseudo-labels; None where there is nothing to weight."""
    labeled, classes = truth >= 0, len(pool.class_names)
    if len(pool.templates) < 2 or not labeled.any():
        return None
    measure = cpe(truth[labeled], settings.worst_of(classes))
    blocks = picture_blocks(images[labeled], classes)
    scores = template_scores(blocks, pool.vectors, len(pool.templates), (measure,))
    return prompt_weights(scores[:, 0], settings.scale, settings.tau)


def weigh_templates(images: Floats, pool: TemplatePool, settings: Settings, checkpoint: Checkpoint) -> dict[str, Weights]:
    """The weights of every requested weighting. Memory is limited to a block of pictures × classes of one template."""
    wanted = WEIGHTINGS if settings.weights == "auto" else (settings.weights,)
    count = len(pool.templates)
    uniform = prompt_weights(np.zeros(count), settings.scale, None)
    measures = _measures(images, pool, settings, wanted) if count > 1 else {}
    if not measures:
        return {UNIFORM: uniform}
    scores = _scores(images, pool, measures, settings, checkpoint)
    weights = {name: prompt_weights(scores[:, i], settings.scale, settings.tau) for i, name in enumerate(measures)}
    return {UNIFORM: uniform, **weights} if UNIFORM in wanted else weights


def _measures(images: Floats, pool: TemplatePool, settings: Settings, wanted: Sequence[str]) -> dict[str, Measure]:
    """CPE takes its pseudo-labels from the uniform ensemble, so that no template is scored by its own predictions."""
    classes, found = len(pool.class_names), dict[str, Measure]()
    if "zpe" in wanted:
        before = _pretraining_mean(settings.pretraining, images.shape[1])
        found["zpe"] = zpe(mean_picture(picture_blocks(images, classes)), before)
    if "cpe" in wanted:
        reference = weighted_classes(pool.vectors, np.full(len(pool.templates), 1 / len(pool.templates)))
        found["cpe"] = cpe(best_classes(images, reference, np.arange(classes)), settings.worst_of(classes))
    return found


def _pretraining_mean(file: str, width: int) -> Doubles | None:
    """The mean unit vector of the pictures of a file; None without a file."""
    if not file:
        return None
    vectors = read_vectors(Path(file), "pictures").vectors
    if vectors.shape[1] != width:
        raise DataError(
            f"{file}: its vectors have {vectors.shape[1]} numbers, and those of the pictures {width}; give vectors of this model"
        )
    return np.asarray(unit(vectors).astype(np.float64).mean(axis=0))


def _scores(
    images: Floats, pool: TemplatePool, measures: dict[str, Measure], settings: Settings, checkpoint: Checkpoint
) -> Doubles:
    count, classes = len(pool.templates), len(pool.class_names)
    ledger = None
    if checkpoint.ledger is not None:
        ledger = ScoreLedger(checkpoint.ledger, _key(images, pool, settings), count, tuple(measures))
    known = np.full((count, len(measures)), np.nan) if ledger is None else ledger.known.copy()
    left = int(np.isnan(known).any(axis=1).sum())
    if not left:
        return known
    with checkpoint.progress.task("weighting", left, "templates") as task:

        def done(template: int, scores: Doubles) -> None:
            if ledger is not None:
                ledger.done(template, scores)
            task.advance()

        return template_scores(
            picture_blocks(images, classes), pool.vectors, count, tuple(measures.values()), known=known, done=done
        )


def _key(images: Floats, pool: TemplatePool, settings: Settings) -> str:
    """A hash of everything that the scores depend on. The vectors of one template stand for the text encoder."""
    digest = hashlib.sha256(np.ascontiguousarray(images).data)
    digest.update(np.ascontiguousarray(pool.vectors(0)).data)
    texts = [list(pool.templates), [list(names) for names in pool.class_names], settings.worst_of(len(pool.class_names))]
    if settings.pretraining:
        digest.update(Path(settings.pretraining).read_bytes())
    digest.update(json.dumps(texts).encode("utf-8"))
    return digest.hexdigest()
