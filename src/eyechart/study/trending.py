"""The trend of a population: a line fitted to its baseline, and the distance of every model from it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles
from eyechart.errors import UsageError, did_you_mean
from eyechart.metrics.ranking.rank_correlation import spearman
from eyechart.metrics.trends.axes import Axis, clip_shares, to_axis
from eyechart.metrics.trends.line_fits import Fit
from eyechart.metrics.trends.lines import RESAMPLES, Labels, Trend, effective_robustness, fit_trend, robustness_intervals
from eyechart.notice import Notice, counted, shortened
from eyechart.study.baselines import Baseline
from eyechart.study.population import Mask, Population

FEWEST = 5  # models to fit a line to
ALL_PROMPTS = "all"


@dataclass(frozen=True)
class Settings:
    """How a trend is fitted.

    axis: The axis for fractions.
    fit: Robust (Huber) or least squares.
    at_least: Excludes baseline models with a smaller x.
    clip: Whether values of 0 and 1 are moved inwards by half an answer.
    prompts: The prompt set of the baseline models; "" for the one that most of them have, "all" for all.
    seed: Seed of the bootstrap.
    resamples: Number of bootstrap samples.
    """

    axis: Axis = "probit"
    fit: Fit = "huber"
    at_least: float = 0.0
    clip: bool = False
    prompts: str = ""
    seed: int = 0
    resamples: int = RESAMPLES


@dataclass(frozen=True)
class TrendStudy:
    """A population with its trend.

    population: Models that both axes can show.
    baseline: What the line is fitted to.
    in_baseline: Which models belong to the baseline.
    trend: The line.
    robustness: The distance of each model above the line (effective robustness).
    """

    population: Population
    baseline: Baseline
    in_baseline: Mask
    trend: Trend
    robustness: Doubles

    def intervals(self, chosen: Mask, *, seed: int = 0) -> tuple[Doubles, Doubles]:
        """95% intervals of the effective robustness of the chosen models."""
        of = self.population
        return robustness_intervals(of.x[chosen], of.y[chosen], of.n_x[chosen], of.n_y[chosen], self.trend, seed=seed)


@dataclass(frozen=True)
class GroupSummary:
    """One group of models.

    group: Its name.
    n: Number of models.
    spearman: Rank correlation of x and y within the group; None for few models.
    r2: R² of the least-squares line through the group alone, on the axes of the trend; None for few models.
    mean_robustness: Mean distance above the line of the baseline.
    """

    group: str
    n: int
    spearman: float | None
    r2: float | None
    mean_robustness: float


def study_trend(population: Population, baseline: Baseline, settings: Settings) -> TrendStudy:
    """Fit the line of the baseline, and compute the distance of every model from it."""
    x_axis, y_axis = axes_of(population, settings.axis)
    population = on_axes(population, x_axis, y_axis, clip=settings.clip)
    used = _prompt_set(population, baseline.of(population), settings.prompts)
    population = population if used is None else _of_prompt_set(population, used)
    chosen = baseline.of(population) & (population.x >= settings.at_least)
    if used is not None:
        chosen &= np.array([prompts in (None, used) for prompts in population.facts["prompts"]], bool)
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


def _prompt_set(population: Population, chosen: Mask, wanted: str) -> str | None:
    """The prompt set of the line; None where there is nothing to choose. One model under five sets would count as five models."""
    names = population.facts["prompts"]
    held = Counter(name for name, of_line in zip(names, chosen, strict=True) if of_line and name is not None)
    if wanted == ALL_PROMPTS or (not wanted and len(held) < 2):
        return None
    if wanted and wanted not in names:
        known = sorted({name for name in names if name is not None})
        hint = did_you_mean(wanted, known)
        raise UsageError(f"no model has values with the prompts {wanted!r}{hint} (there are: {shortened(known)})")
    return wanted or min(held, key=lambda name: (-held[name], name))


def _of_prompt_set(population: Population, used: str) -> Population:
    """Without the values of a model under other sets, where it has the one that is used. Values without prompts stay."""
    keys = list(zip(population.models, population.mine, population.facts["prompts"], strict=True))
    with_it = {(model, mine) for model, mine, prompts in keys if prompts == used}
    kept = np.array([prompts in (None, used) or (model, mine) not in with_it for model, mine, prompts in keys], bool)
    if kept.all():
        return population
    what = f"the prompts {used} are used; {counted(int((~kept).sum()), 'value')} with other prompts excluded"
    return population.where(
        kept, Notice(population.y_measure, what, "--prompts NAME takes another prompt set, --prompts all takes all")
    )


def axes_of(population: Population, axis: Axis) -> tuple[Axis, Axis]:
    """The wanted axis for fractions; a linear one for other units."""
    kinds: list[Axis] = [axis if unit == "fraction" else "linear" for unit in (population.x_unit, population.y_unit)]
    return kinds[0], kinds[1]


def on_axes(population: Population, x_axis: Axis, y_axis: Axis, *, clip: bool = False) -> Population:
    """The models that both axes can show. With `clip`, 0 and 1 are moved inwards by half an answer where n is known."""
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
    what = f"{counted(len(lost), 'model')} at exactly 0% or 100%, which the axis cannot show, excluded: {shortened(lost)}"
    return population.where(held, Notice(population.y_measure, what, "--clip moves them inwards by half an answer"))


def families(population: Population) -> Labels:
    """The family of each model as an integer code; families are resampled and permuted as a whole."""
    _, numbers = np.unique(np.array(population.facts["family"], str), return_inverse=True)
    return np.asarray(numbers, np.int64)


def summaries(study: TrendStudy, labels: Sequence[str] | None = None) -> list[GroupSummary]:
    """The groups of the population, the largest first.

    Args:
        study: The trend.
        labels: Another grouping: the group of each model; None for the groups of the study.
    """
    groups = np.array(labels or study.population.groups)
    x, y = to_axis(study.population.x, study.trend.line.x_axis), to_axis(study.population.y, study.trend.line.y_axis)
    names, counts = np.unique(groups, return_counts=True)
    found = []
    for name, n in sorted(zip(names, counts, strict=True), key=lambda pair: -pair[1]):
        mine = groups == name
        rank, r2 = None, None
        if n >= FEWEST:
            (value,) = spearman(study.population.x[mine], study.population.y[mine], np.ones((1, int(n))))
            rank = float(value) if np.isfinite(value) else None
            varies = np.ptp(x[mine]) > 0 and np.ptp(y[mine]) > 0
            r2 = float(np.corrcoef(x[mine], y[mine])[0, 1] ** 2) if varies else None
        found.append(GroupSummary(str(name), int(n), rank, r2, float(study.robustness[mine].mean())))
    return found
