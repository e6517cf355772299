"""Prompts: how accuracy, calibration, OOD detection and factor accuracy depend on the prompt set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import points
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.prompts.differences import (
    Pictures,
    calibrations,
    differences,
    false_positive_rates,
    largest_change,
    set_findings,
    unstable_predictions,
)
from eyechart.probes.prompts.exhibits import prompts_exhibits
from eyechart.probes.prompts.metrics import METRICS
from eyechart.probes.tasks.classifier import ONE_CLASS, known_classes, prompt_texts
from eyechart.probes.tasks.factor_columns import factor_columns
from eyechart.probes.tasks.factor_pairs import scene_units
from eyechart.probes.tasks.predictors import can_encode_prompts
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome, compared_sets, prompt_outcomes
from eyechart.probes.tasks.question_wordings import wording_outcomes
from eyechart.prompts.library import prompt_sets


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `prompts`.

    sets: Names of prompt sets that are compared with the plan's first one, separated by blanks.
    bins: Bins of ECE.
    least: Labeled pictures that a factor needs.
    scene: The column with the scene of each picture.
    resamples: Bootstrap resamples of ECE and FPR95.
    seed: The seed of the bootstrap.
    """

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
                raise ValueError(f"sets has {name!r}; choose from {', '.join(known)}, and give your own sets with --prompts")
        if min(self.bins, self.least, self.resamples) < 1 or self.seed < 0:
            raise ValueError("bins, least and resamples must be at least 1, seed at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None:
        return ()
    sets = compared_sets(request, request.settings.sets.split())
    if len(sets) < 2:
        return ()
    return [text for prompts in sets for text in prompt_texts(request.dataset.classes, prompts)]


@probe(
    version=2,
    needs=("pictures", "labels", "classes"),
    wants=("logit_scale", "likelihoods"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "paper"),
    texts=texts,
    compares=True,
    headline=("largest_top1_change", "unstable_predictions"),
)
def prompts(inputs: ProbeInput[Settings]) -> Answer:
    """How much do the predictions depend on the wording of the prompts?

    The same pictures under each prompt set: top-1 accuracy, ECE, negative log-likelihood, AUROC and FPR95 of maximum concept
    matching against out-of-distribution pictures, and accuracy by factor. Each is compared with the plan's first set, paired by
    picture. A multimodal language model is asked the same question in several wordings, and class names are scored as its reply.
    """
    labeled = np.flatnonzero(inputs.dataset.label_indices() >= 0)
    if not len(labeled):
        raise NotApplicable("no readable picture has a label")
    if len(known_classes(inputs)) < 2:
        raise NotApplicable(ONE_CLASS)
    settings: Settings = inputs.settings
    dataset = inputs.dataset.take(labeled)
    pictures = Pictures(scene_units(dataset, settings.scene, inputs.units[labeled]), _factors(inputs, labeled))
    first, *others = found = _outcomes(inputs, labeled)
    calibrated = calibrations(found, pictures.units, bins=settings.bins, seed=settings.seed, resamples=settings.resamples)
    rates = false_positive_rates(found, seed=settings.seed, resamples=settings.resamples)
    findings = [
        largest_change(others, first, pictures.units),
        unstable_predictions(others, first, pictures.units),
        *(
            f
            for outcome, own, fpr95 in zip(found, calibrated, rates, strict=True)
            for f in set_findings(outcome, own, fpr95, pictures)
        ),
        *(
            f
            for other, own, fpr95 in zip(others, calibrated[1:], rates[1:], strict=True)
            for f in differences(other, first, (own, calibrated[0]), (fpr95, rates[0]), pictures)
        ),
    ]
    return Answer(findings, prompts_exhibits(findings, found, dataset), _better(inputs, findings[0]))


def _outcomes(inputs: ProbeInput[Settings], labeled: Indices) -> list[PromptOutcome]:
    """The predictions under every prompt set, or under every wording of the question."""
    usable = [prompts for prompts in inputs.prompts if can_encode_prompts(inputs, prompts)]
    if not usable and inputs.log_likelihoods is not None:
        return wording_outcomes(inputs, labeled)
    if not usable:
        raise NotApplicable("the model can neither encode the class names nor score them as answers")
    sets = compared_sets(inputs, inputs.settings.sets.split())
    if len(sets) < 2:
        raise NotApplicable("the model can encode the classes under one prompt set only; give others with --prompts")
    return prompt_outcomes(inputs, sets, labeled)


def _factors(inputs: ProbeInput[Settings], labeled: Indices) -> Mapping[str, Flags]:
    """The factors that mark enough of the labeled pictures."""
    columns = factor_columns(inputs.dataset)
    marks = columns.marks[labeled].T
    return {name: rows for name, rows in zip(columns.names, marks, strict=True) if rows.sum() >= inputs.settings.least}


def _better(inputs: ProbeInput[Settings], largest: Finding) -> list[Notice]:
    """A notice where another set is better than the plan's first one at 95% confidence."""
    if largest.low is None or largest.value is None or largest.low <= 0:
        return []
    other, gain = largest.slice["other"], points(largest.value)
    what = f"top-1 accuracy of {inputs.model} is {gain} higher with prompts {other} than with {largest.baseline}"
    use = f"use it for all probes with --prompts {other}" if inputs.log_likelihoods is None else "ask in these words"
    remedy = f"{use}; a set chosen on these pictures looks better on them than on others"
    return [Notice(inputs.dataset.name, what, remedy)]
