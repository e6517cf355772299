"""Charts of a study, each with one sentence that says what to see."""

from collections import Counter

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles
from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.numbers import format_value, p_equals
from eyechart.findings.trend_charts import ChartAxis, trend_scatter
from eyechart.metrics.trends.axes import Axis, from_axis, to_axis
from eyechart.notice import counted
from eyechart.study.comparing import Comparison
from eyechart.study.groups import GROUPS
from eyechart.study.measures import distance_unit
from eyechart.study.trending import TrendStudy, summaries

_POINTS = 60  # of the drawn line
_TICKS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
_CLOSEST = 0.07  # smallest distance of two ticks, as a share of the axis, so that labels do not touch
_NAMED = 3  # of your own models in a sentence
_COLORS = 7  # of the theme


def trend_exhibit(study: TrendStudy, labels: tuple[str, ...] | None = None, label_name: str = "group") -> Exhibit:
    """Every model of the population with the baseline's line; colored by group, or by `labels` with the name `label_name`."""
    population = study.population
    groups = list(labels or population.groups)
    shown = _legend(groups)
    groups = [group if group in shown else shown[-1] for group in groups]
    columns = {
        "model": _names(study),
        label_name: groups,
        population.x_measure: population.x,
        population.y_measure: population.y,
        "above the line": study.robustness,
        "trained on": list(population.facts["source"]),
        "mine": population.mine,
    }
    # The largest group is drawn first, so that it does not hide the others.
    table = pa.table(columns).take(pa.array(sorted(range(len(groups)), key=lambda i: -groups.count(groups[i]))))
    line = study.trend.line
    x = _axis(population.x_measure, population.x_title, population.x_unit, line.x_axis, population.x)
    y = _axis(population.y_measure, population.y_title, population.y_unit, line.y_axis, population.y)
    chart = trend_scatter(
        x, y, label="model", group=label_name, groups=shown, mine="mine" if population.mine.any() else None,
        line=_drawn(study, x),
    )  # fmt: skip
    title = f"{x.title} → {y.title}"
    sentence = _sentence(study) if labels is None else _sentence_by(study, label_name)
    return Exhibit(f"trend-{slug(population.y_measure)}", title, sentence, table, chart=chart)


def offsets_exhibit(comparison: Comparison) -> Exhibit:
    """The offset of each value from the trend, with its interval, in descending order."""
    rows = sorted(zip(comparison.answers, comparison.offsets.groups, strict=True), key=lambda pair: -pair[1].value)
    table = pa.table(
        {
            comparison.question.name: [answer for answer, _ in rows],
            "offset": [group.value for _, group in rows],
            "low": [_finite(group.interval.low) for _, group in rows],
            "high": [_finite(group.interval.high) for _, group in rows],
            "models": [group.n for _, group in rows],
            "families": [group.families for _, group in rows],
            "p": [group.p for _, group in rows],
        }
    )
    chart = dots_with_intervals(
        category=comparison.question.name,
        value="offset",
        low="low",
        high="high",
        category_title="",
        value_title=f"{comparison.study.population.y_title}: mean distance from the trend",
        unit=distance_unit(comparison.study.population.y_unit),
        reference=0.0,
    )
    name = f"offsets-{comparison.question.name}-{slug(comparison.study.population.y_measure)}"
    title = f"Distance from the common trend, by {comparison.question.name}"
    return Exhibit(name, title, verdict(comparison), table, chart=chart)


_HOW_TO_READ = (
    "A line is the 95% interval of the distance from the trend, with the uncertainty of the trend; a dot without a line is a "
    "single family. The p-value of a row tests whether its models differ from the mean of all compared models, corrected for the "
    "number of rows (Holm)."
)


def verdict(comparison: Comparison) -> str:
    """Whether the values differ more than under random permutations of the families, and how to read the chart."""
    p = comparison.offsets.p
    families = counted(sum(g.families for g in comparison.offsets.groups), "family", "families")
    test = f"{p_equals(p)}, permutation test over {families}"
    if p > 0.05:
        return f"The differences are not significant ({test}). {_HOW_TO_READ}"
    rows = list(zip(comparison.answers, comparison.offsets.groups, strict=True))
    answer, group = min(rows, key=lambda pair: (pair[1].p, -abs(pair[1].value)))
    away = f"{answer} lies {_distance(group.value, comparison.study.population.y_unit)} the common trend"
    largest = f"{away} ({p_equals(group.p)})." if group.p <= 0.05 else f"no single value is significant; {away}."
    return f"The differences are significant ({test}): {largest} {_HOW_TO_READ}"


def _fitted(study: TrendStudy) -> str:
    trend = study.trend
    r2, spearman = (format_value(value, "number") for value in (trend.r2, trend.spearman))
    fit = f"R² {r2}, Spearman correlation {spearman}"
    return f"The line is fitted to {counted(trend.n, 'model')} ({study.baseline.title}; {fit})."


def _sentence_by(study: TrendStudy, label_name: str) -> str:
    return f"A dot is a model, colored by {label_name}. {_fitted(study)}"


def _sentence(study: TrendStudy) -> str:
    fitted, y = _fitted(study), study.population.y_title
    mine = np.flatnonzero(study.population.mine)
    if 1 <= len(mine) <= _NAMED and study.population.y_unit == "fraction":
        names = _names(study)
        where = ", ".join(
            f"{names[i]} lies {_distance(float(study.robustness[i]), study.population.y_unit)} the line" for i in mine
        )
        return f"A dot is a model. {where}. {fitted}"
    far = max((s for s in summaries(study) if s.n > 1), key=lambda s: abs(s.mean_robustness), default=None)
    if far is None or study.population.y_unit != "fraction":
        return f"A dot is a model. {fitted}"
    away = f"On average, {far.group} is farthest from it: {_distance(far.mean_robustness, study.population.y_unit)} the line."
    return f"A dot is a model; above the line, its {y} is higher than that of other models with its accuracy. {fitted} {away}"


def _names(study: TrendStudy) -> list[str]:
    """Each model's name, with its prompt set where the population has several."""
    of = study.population
    keys = list(zip(of.models, of.mine, strict=True))
    several = {key for key, count in Counter(keys).items() if count > 1}
    return [
        f"{name}, {prompts}" if (name, mine) in several and prompts else name
        for (name, mine), prompts in zip(keys, of.facts["prompts"], strict=True)
    ]


def _legend(groups: list[str]) -> list[str]:
    """Groups in the papers' order, other labels by their number of models; the rest is 'all others'."""
    counts = {group: groups.count(group) for group in dict.fromkeys(groups)}
    known = [group for group in GROUPS if group in counts]
    names = known + sorted((g for g in counts if g not in known), key=lambda g: -counts[g])
    return names if len(names) <= _COLORS else [*names[: _COLORS - 1], "all others"]


def _axis(measure: str, title: str, unit: str, axis: Axis, values: Doubles) -> ChartAxis:
    places = to_axis(values, axis)
    low, high = float(places.min()), float(places.max())
    margin = 0.04 * (high - low) or 0.1
    low, high = low - margin, high + margin
    ticks = None
    if axis != "linear":
        chosen: list[float] = []
        # From the middle outwards, so that round values are kept and crowded ends are thinned.
        for share in sorted(_TICKS, key=lambda s: abs(s - 0.5)):
            at = float(to_axis(share, axis))
            if low <= at <= high and all(abs(at - other) >= _CLOSEST * (high - low) for other in chosen):
                chosen.append(at)
        ticks = tuple(sorted(chosen))
    return ChartAxis(measure, title, axis, low, high, ticks, unit)


def _drawn(study: TrendStudy, x: ChartAxis) -> list[dict[str, float | None]]:
    """Points of the line and its band, as positions on the axes, over the range of the models."""
    line = study.trend.line
    places = np.linspace(x.low, x.high, _POINTS)
    low, high = (to_axis(bound, line.y_axis) for bound in study.trend.band(from_axis(places, line.x_axis)))
    middle = line.slope * places + line.intercept
    return [
        {"x": float(at), "y": float(y), "low": _finite(bottom), "high": _finite(top)}
        for at, y, bottom, top in zip(places, middle, low, high, strict=True)
    ]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _distance(value: float, unit: str) -> str:
    """'3.1 points above' or '3.1 points below'."""
    return f"{format_value(abs(value), distance_unit(unit))} {'above' if value > 0 else 'below'}"
