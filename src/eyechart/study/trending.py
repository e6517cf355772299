"""The trend of a population: a line through its baseline, and how far every model lies from it."""

from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles
from eyechart.errors import UsageError
from eyechart.metrics.ranking.rank_correlation import spearman
from eyechart.metrics.trends.axes import Axis, clip_shares, to_axis
from eyechart.metrics.trends.line_fits import Fit
from eyechart.metrics.trends.lines import RESAMPLES, Labels, Trend, effective_robustness, fit_trend, robustness_intervals
from eyechart.notice import Notice, counted, shortened
from eyechart.study.baselines import Baseline
from eyechart.study.population import Mask, Population

FEWEST = 5  # models without which a line says nothing


@dataclass(frozen=True)
class Settings:
    """How a trend is fitted: every one of these moves numbers. `at_least` leaves baseline models with less x aside."""

    axis: Axis = "probit"
    fit: Fit = "huber"
    at_least: float = 0.0
    clip: bool = False
    seed: int = 0
    resamples: int = RESAMPLES


@dataclass(frozen=True)
class TrendStudy:
    """A population whose every model has a place on both axes, its trend, and each model's distance from it."""

    population: Population
    baseline: Baseline
    in_baseline: Mask
    trend: Trend
    robustness: Doubles

    def intervals(self, chosen: Mask, *, seed: int = 0) -> tuple[Doubles, Doubles]:
        """Bounds of the effective robustness of the chosen models."""
        of = self.population
        return robustness_intervals(of.x[chosen], of.y[chosen], of.n_x[chosen], of.n_y[chosen], self.trend, seed=seed)


@dataclass(frozen=True)
class GroupSummary:
    """One group along the trend: how closely its models follow each other, and how far they lie from the line in the mean."""

    group: str
    n: int
    spearman: float | None
    mean_robustness: float


def study_trend(population: Population, baseline: Baseline, settings: Settings) -> TrendStudy:
    """Fit the baseline's line and measure everybody against it."""
    x_axis, y_axis = axes_of(population, settings.axis)
    population = on_axes(population, x_axis, y_axis, clip=settings.clip)
    chosen = baseline.of(population) & (population.x >= settings.at_least)
    if chosen.sum() < FEWEST:
        raise UsageError(
            f"{counted(int(chosen.sum()), 'model')} with {population.x_measure} and {population.y_measure} in the baseline "
            f"{baseline.name!r}: a line needs {FEWEST}; choose another --baseline, or add a table that has them"
        )
    trend = fit_trend(
        population.x[chosen],
        population.y[chosen],
        families(population)[chosen],
        x_axis=x_axis,
        y_axis=y_axis,
        fit=settings.fit,
        seed=settings.seed,
        resamples=settings.resamples,
    )
    return TrendStudy(population, baseline, chosen, trend, effective_robustness(population.x, population.y, trend.line))


def axes_of(population: Population, axis: Axis) -> tuple[Axis, Axis]:
    """The wanted axis for shares; a measure that is no share stands on a linear one."""
    kinds: list[Axis] = [axis if unit == "fraction" else "linear" for unit in (population.x_unit, population.y_unit)]
    return kinds[0], kinds[1]


def on_axes(population: Population, x_axis: Axis, y_axis: Axis, *, clip: bool = False) -> Population:
    """The models that both axes can hold. With `clip`, a share of 0 or 1 is moved half an answer inwards where n is known."""
    if clip:
        x, y = population.x.copy(), population.y.copy()
        for values, n, axis in ((x, population.n_x, x_axis), (y, population.n_y, y_axis)):
            known = np.isfinite(n) & (axis != "linear")
            values[known] = clip_shares(values[known], n[known])
        population = replace(population, x=x, y=y)
    held = np.isfinite(to_axis(population.x, x_axis)) & np.isfinite(to_axis(population.y, y_axis))
    if held.all():
        return population
    lost = [model for model, fine in zip(population.models, held, strict=True) if not fine]
    what = f"{counted(len(lost), 'model')} at exactly 0% or 100%, which the axis cannot hold, left out: {shortened(lost)}"
    return population.where(held, Notice(population.y_measure, what, "--clip moves them half an answer inwards"))


def families(population: Population) -> Labels:
    """Numbers of the families, which are resampled and permuted as a whole."""
    _, numbers = np.unique(np.array(population.facts["family"], str), return_inverse=True)
    return np.asarray(numbers, np.int64)


def summaries(study: TrendStudy) -> list[GroupSummary]:
    """Each group of the population, the largest first."""
    groups = np.array(study.population.groups)
    names, counts = np.unique(groups, return_counts=True)
    found = []
    for name, n in sorted(zip(names, counts, strict=True), key=lambda pair: -pair[1]):
        mine = groups == name
        rank = None
        if n >= FEWEST:
            (value,) = spearman(study.population.x[mine], study.population.y[mine], np.ones((1, int(n))))
            rank = float(value) if np.isfinite(value) else None
        found.append(GroupSummary(str(name), int(n), rank, float(study.robustness[mine].mean())))
    return found
