"""A question put to a population: do models that answer it differently lie at different distances from their common trend?"""

from dataclasses import dataclass

import numpy as np

from eyechart.errors import UsageError
from eyechart.metrics.trends.group_offsets import Offsets, group_offsets
from eyechart.notice import Notice, counted
from eyechart.study.baselines import Baseline
from eyechart.study.population import Mask, Population
from eyechart.study.questions import Question
from eyechart.study.trending import FEWEST, Settings, TrendStudy, families, study_trend

EVERYBODY = "all"
_FEWEST_OF_ONE_ANSWER = 2


@dataclass(frozen=True)
class Comparison:
    """A question answered: the trend of all who were asked, each model's answer, and each answer's offset from the trend."""

    question: Question
    study: TrendStudy
    labels: tuple[str, ...]  # of each model of the study
    answers: tuple[str, ...]  # in the order of `offsets.groups`
    offsets: Offsets


def compare(
    population: Population, question: Question, baseline: Baseline, settings: Settings, *, among: tuple[str, ...] = ()
) -> Comparison:
    """Offsets of each answer from the trend of the baseline among those who are asked; of all of them, with the baseline `all`.

    An answer that only one model gives is left out, for nothing can be said of it.
    """
    groups = among or question.among
    asked = _asked(population, groups)
    labels = _labels(population, question)
    names, counts = np.unique(labels[asked & (labels != "")], return_counts=True)
    told = set(names[counts >= _FEWEST_OF_ONE_ANSWER])
    answered = asked & np.isin(labels, list(told))
    if len(told) < 2 or answered.sum() < FEWEST:
        who = "all groups" if EVERYBODY in groups else ", ".join(groups)
        raise UsageError(
            f"{question.name}: among {counted(int(asked.sum()), 'model')} ({who}) there are not two answers of "
            f"{_FEWEST_OF_ONE_ANSWER} models each; {question.remedy}"
        )
    lost = int((asked & ~answered).sum())
    what = f"{counted(lost, 'model')} left out: the answer is not known, or no second model gives it"
    study = study_trend(population.where(answered, *([Notice(question.name, what)] if lost else [])), baseline, settings)
    kept = _labels(study.population, question)
    answers, codes = np.unique(kept, return_inverse=True)
    models = np.unique(np.array(study.population.models, str), return_inverse=True)[1].astype(np.int64)
    offsets = group_offsets(
        study.population.x,
        study.population.y,
        codes.astype(np.int64),
        models if question.within_models else families(study.population),
        study.trend,
        in_trend=study.in_baseline,
        strata=models if question.within_models else None,
        seed=settings.seed,
        resamples=settings.resamples,
    )
    return Comparison(question, study, tuple(map(str, kept)), tuple(map(str, answers)), offsets)


def _asked(population: Population, groups: tuple[str, ...]) -> Mask:
    if EVERYBODY in groups:
        return np.ones(len(population), bool)
    return np.isin(np.array(population.groups, str), list(groups)) | population.mine


def _labels(population: Population, question: Question) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
    """Each model's answer, '' where it is not known."""
    return np.array([question.label(population.facts_of(i)) or "" for i in range(len(population))], str)
