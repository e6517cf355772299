"""Prompts: the same exam in other words, and what they do to accuracy, calibration, the telling of strangers, and factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.notice import Notice
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.prompts.changes import Pictures, calibrated, changed_answers, changes, largest_change, measured
from eyechart.probes.prompts.exhibits import prompts_exhibits
from eyechart.probes.prompts.metrics import METRICS
from eyechart.probes.tasks.factor_columns import factor_columns
from eyechart.probes.tasks.factor_pairs import units_of
from eyechart.probes.tasks.prompt_outcomes import compared_sets, outcomes, said
from eyechart.prompts.library import prompt_sets


@dataclass(frozen=True)
class Settings:
    """sets: names of the sets that are compared with the plan's own, separated by blanks. bins: of ECE. least: labelled pictures
    that a factor needs. scene: the column that says which pictures show one scene. resamples, seed: of ECE's interval."""

    sets: str = "single mcm-5 openai-7 eyechart-30 openai-80"
    bins: int = 15
    least: int = 30
    scene: str = "attr.scene"
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        known = [prompts.name for prompts in prompt_sets()]
        for name in self.sets.split():
            if name not in known:
                raise ValueError(f"sets: {name!r} is not one of {', '.join(known)}; sets of your own are given with --prompts")
        if min(self.bins, self.least, self.resamples) < 1 or self.seed < 0:
            raise ValueError("bins, least and resamples are whole numbers from 1 up, seed from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None:
        return ()
    sets = compared_sets(request, request.settings.sets.split())
    if len(sets) < 2:
        return ()
    return [text for prompts in sets for text in said(request.dataset.classes, prompts)]


@probe(
    version=1,
    needs=("images", "texts", "labels", "classes"),
    wants=("logit_scale",),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    compares=True,
    headline=("largest_top1_change", "unstable_predictions"),
)
def prompts(inputs: ProbeInput[Settings]) -> Answer:
    """How much does the answer depend on the words that the classes are put in?

    The same pictures under each prompt set: top-1, ECE and negative log-likelihood, AUROC of maximum concept matching against
    pictures of other things, accuracy by factor; each beside the plan's first set, picture by picture.
    """
    labelled = np.flatnonzero(inputs.dataset.label_indices() >= 0)
    if not len(labelled):
        raise NotApplicable("no usable picture has a label, so no answer can be called right")
    settings: Settings = inputs.settings
    sets = compared_sets(inputs, settings.sets.split())
    if len(sets) < 2:
        raise NotApplicable("the model knows the classes under one prompt set only; give others with --prompts")
    dataset = inputs.dataset.take(labelled)
    pictures = Pictures(units_of(dataset, settings.scene, inputs.clusters[labelled]), _factors(inputs, labelled))
    first, *others = found = outcomes(inputs, sets, labelled)
    sure = calibrated(found, pictures.units, bins=settings.bins, seed=settings.seed, resamples=settings.resamples)
    findings = [
        largest_change(others, first, pictures.units),
        changed_answers(others, first, pictures.units),
        *(f for outcome, own in zip(found, sure, strict=True) for f in measured(outcome, own, pictures)),
        *(f for other, own in zip(others, sure[1:], strict=True) for f in changes(other, first, (own, sure[0]), pictures)),
    ]
    return Answer(findings, prompts_exhibits(findings, found, dataset), _better(inputs, findings[0]))


def _factors(inputs: ProbeInput[Settings], labelled: Indices) -> Mapping[str, Flags]:
    """The factors that mark enough of the labelled pictures."""
    columns = factor_columns(inputs.dataset)
    marks = columns.marks[labelled].T
    return {name: rows for name, rows in zip(columns.names, marks, strict=True) if rows.sum() >= inputs.settings.least}


def _better(inputs: ProbeInput[Settings], largest: Finding) -> list[Notice]:
    """Said where another set is better than the plan's own beyond chance."""
    if largest.low is None or largest.value is None or largest.low <= 0:
        return []
    other, gain = largest.slice["other"], 100 * largest.value
    what = f"{inputs.model} names {gain:.1f} points more pictures rightly with prompts {other} than with {largest.baseline}"
    return [Notice(inputs.dataset.name, what, f"--prompts {other} asks all questions with it; a set chosen here flatters here")]
