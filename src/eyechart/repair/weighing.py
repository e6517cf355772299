"""The templates of a pool, weighed by pictures alone: one pass over the pool for all ways at once, and what it found is kept, so
that a run that was stopped goes on with the next template."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from eyechart.arrays import Doubles, Floats
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.prompts.template_scores import Measure, Templates, cpe, mean_picture, picture_blocks, template_scores, zpe
from eyechart.metrics.prompts.weights import Weights, prompt_weights, weighted_classes
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.score_ledger import ScoreLedger
from eyechart.repair.settings import WEIGHTINGS, Settings

UNIFORM = "uniform"


@dataclass(frozen=True)
class Workplace:
    """`ledger`: the file in which the scores of templates are kept until the repair is done; None keeps nothing."""

    ledger: Path | None = None
    progress: Progress = field(default_factory=SilentProgress)


@dataclass(frozen=True, eq=False)
class Pool:
    """Templates in words, the classes in theirs (names or phrases that weigh the same), and `spoken`: both as vectors."""

    templates: Sequence[str]
    called: Sequence[Sequence[str]]
    spoken: Templates


def weigh(images: Floats, pool: Pool, settings: Settings, workplace: Workplace) -> dict[str, Weights]:
    """The weights of every way that is asked for. What is held at once is a block of pictures × classes of one template."""
    wanted = WEIGHTINGS if settings.weights == "auto" else (settings.weights,)
    count = len(pool.templates)
    uniform = prompt_weights(np.zeros(count), settings.scale, None)
    measures = _measures(images, pool, settings, wanted) if count > 1 else {}
    if not measures:
        return {UNIFORM: uniform}
    scores = _scores(images, pool, measures, settings, workplace)
    weighed = {name: prompt_weights(scores[:, i], settings.scale, settings.tau) for i, name in enumerate(measures)}
    return {UNIFORM: uniform, **weighed} if UNIFORM in wanted else weighed


def _measures(images: Floats, pool: Pool, settings: Settings, wanted: Sequence[str]) -> dict[str, Measure]:
    """Pseudo labels for CPE are those of the uniform ensemble over the pool, so that no template is judged by its own answers."""
    classes, found = len(pool.called), dict[str, Measure]()
    if "zpe" in wanted:
        found["zpe"] = zpe(mean_picture(picture_blocks(images, classes)))
    if "cpe" in wanted:
        reference = weighted_classes(pool.spoken, np.full(len(pool.templates), 1 / len(pool.templates)))
        found["cpe"] = cpe(best_classes(images, reference, np.arange(classes)), settings.worst_of(classes))
    return found


def _scores(images: Floats, pool: Pool, measures: dict[str, Measure], settings: Settings, workplace: Workplace) -> Doubles:
    count, classes = len(pool.templates), len(pool.called)
    ledger = None
    if workplace.ledger is not None:
        ledger = ScoreLedger(workplace.ledger, _key(images, pool, settings), count, tuple(measures))
    known = np.full((count, len(measures)), np.nan) if ledger is None else ledger.known.copy()
    left = int(np.isnan(known).any(axis=1).sum())
    if not left:
        return known
    with workplace.progress.task("weighing", left, "templates") as task:

        def done(template: int, scores: Doubles) -> None:
            if ledger is not None:
                ledger.done(template, scores)
            task.advance()

        return template_scores(
            picture_blocks(images, classes), pool.spoken, count, tuple(measures.values()), known=known, done=done
        )


def _key(images: Floats, pool: Pool, settings: Settings) -> str:
    """Everything that scores depend on. The vectors of one template stand for the text tower."""
    digest = hashlib.sha256(np.ascontiguousarray(images).data)
    digest.update(np.ascontiguousarray(pool.spoken(0)).data)
    words = [list(pool.templates), [list(names) for names in pool.called], settings.worst_of(len(pool.called))]
    digest.update(json.dumps(words).encode("utf-8"))
    return digest.hexdigest()
