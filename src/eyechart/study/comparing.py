"""A comparison of models: do models with different properties lie at different distances from their common trend?"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eyechart.errors import UsageError
from eyechart.metrics.trends.group_offsets import Offsets, group_offsets
from eyechart.metrics.trends.lines import Labels
from eyechart.notice import Notice, counted
from eyechart.study.baselines import Baseline
from eyechart.study.population import Mask, Population
from eyechart.study.questions import PROMPTS, Facts, Question
from eyechart.study.trending import ALL_PROMPTS, FEWEST, Settings, TrendStudy, families, study_trend

ALL_GROUPS = "all"
_FEWEST_PER_VALUE = 2


@dataclass(frozen=True)
class Comparison:
    """A comparison by one property.

    question: The property.
    study: The trend of all compared models.
    labels: The value of the property of each model.
    answers: The distinct values, in the order of `offsets.groups`.
    offsets: The offset of each value from the trend.
    """

    question: Question
    study: TrendStudy
    labels: tuple[str, ...]
    answers: tuple[str, ...]
    offsets: Offsets


def compare(
    population: Population, question: Question, baseline: Baseline, settings: Settings, *, groups: tuple[str, ...] = ()
) -> Comparison:
    """The offset of each value of a property from the trend of the baseline, among the models of some groups.

    A value that only one model has is excluded. Where models are compared in pairs, so are models without a partner.
    """
    groups = groups or question.groups
    compared = _in_groups(population, groups)
    labels = _labels(population, question)
    names, counts = np.unique(labels[compared & (labels != "")], return_counts=True)
    usable = set(names[counts >= _FEWEST_PER_VALUE])
    answered = compared & np.isin(labels, list(usable))
    if question.pair is not None:
        answered &= _with_partner(_pairs(population, question.pair), labels, answered)
        usable = set(labels[answered])
    if len(usable) < 2 or answered.sum() < FEWEST:
        who = "all groups" if ALL_GROUPS in groups else ", ".join(groups)
        raise UsageError(
            f"{question.name}: {counted(int(compared.sum()), 'model')} ({who}) do not have two values with "
            f"{_FEWEST_PER_VALUE} models each; {question.remedy}"
        )
    lost = int((compared & ~answered).sum())
    alone = "there is no model of the same origin with another value" if question.pair else "no second model has it"
    what = f"{counted(lost, 'model')} excluded: the value is unknown, or {alone}"
    answering = population.where(answered, *([Notice(question.name, what)] if lost else []))
    if not baseline.of(answering).any():
        raise UsageError(
            f"{question.name}: none of the compared models is in the baseline {baseline.name!r}, and the line of a comparison is "
            "fitted to compared models; use --baseline all"
        )
    study = study_trend(answering, baseline, replace(settings, prompts=ALL_PROMPTS) if question is PROMPTS else settings)
    kept = _labels(study.population, question)
    answers, codes = np.unique(kept, return_inverse=True)
    pairs = None if question.pair is None else _pairs(study.population, question.pair)
    offsets = group_offsets(
        study.population.x,
        study.population.y,
        codes.astype(np.int64),
        families(study.population) if pairs is None else pairs,
        study.trend,
        in_trend=study.in_baseline,
        strata=pairs,
        seed=settings.seed,
        resamples=settings.resamples,
    )
    return Comparison(question, study, tuple(map(str, kept)), tuple(map(str, answers)), offsets)


def _in_groups(population: Population, groups: tuple[str, ...]) -> Mask:
    if ALL_GROUPS in groups:
        return np.ones(len(population), bool)
    return np.isin(np.array(population.groups, str), list(groups)) | population.mine


def _pairs(population: Population, pair: Callable[[Facts], str]) -> Labels:
    """Models that are compared with each other, as an integer code."""
    keys = np.array([pair(population.facts_of(i)) for i in range(len(population))], str)
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _with_partner(pairs: Labels, labels: "np.ndarray[tuple[int], np.dtype[np.str_]]", chosen: Mask) -> Mask:
    """The chosen models for which there is a chosen model of the same origin with another label."""
    found = np.zeros(len(pairs), bool)
    for code in np.unique(pairs[chosen]):
        of = chosen & (pairs == code)
        found |= of & (len(set(labels[of])) > 1)
    return found


def _labels(population: Population, question: Question) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
    """Each model's value of the property, '' where it is unknown."""
    return np.array([question.label(population.facts_of(i)) or "" for i in range(len(population))], str)
