"""Judging the values of a metric by the limits that its probe declares.

A value counts only where its whole 95% interval lies on one side of a limit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eyechart.findings.metric import Limits, Metric
from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.rulings import Ruling, inconclusive


@dataclass(frozen=True)
class Judgement:
    """The result of one check.

    ruling: The sentence with its figures.
    bad: Whether it is a warning.
    """

    ruling: Ruling
    bad: bool = False


def judge(evidence: Evidence, probe: str, metric: Metric) -> Iterator[Judgement]:
    """Judge all values of a metric by its limits; nothing where it has none."""
    if metric.limits is None:
        return
    if metric.chance is not None and metric.limits.at_least == "chance":
        yield from _above_chance(evidence, probe, metric, metric.chance, metric.limits)
    elif metric.chance is not None and metric.limits.below_chance is not None:
        yield from _near_chance(evidence, probe, metric, metric.chance, metric.limits, metric.limits.below_chance)
    elif metric.chance is not None and metric.limits.above_chance is not None:
        yield from _not_above_chance(evidence, probe, metric, metric.chance, metric.limits, metric.limits.above_chance)
    else:
        yield from _within(evidence, probe, metric, metric.limits)


def _within(evidence: Evidence, probe: str, metric: Metric, limits: Limits) -> Iterator[Judgement]:
    """The values against fixed limits."""
    least = None if limits.at_least == "chance" else limits.at_least
    sliced = [] if limits.by is None else evidence.sliced(probe, metric.name, limits.by)
    figures = _distinct(sliced or _overall(evidence, probe, metric.name))

    def room(figure: Figure) -> float:
        """From the interval to the nearer limit; negative where the interval crosses it or is not known."""
        if figure.low is None or figure.high is None:
            return -float("inf")
        below = float("inf") if least is None else figure.low - least
        above = float("inf") if limits.at_most is None else limits.at_most - figure.high
        return min(below, above)

    low = [f for f in figures if least is not None and f.side_of(least) < 0]
    high = [f for f in figures if limits.at_most is not None and f.side_of(limits.at_most) > 0]
    within = tuple(f for f in figures if room(f) > 0)
    if low:
        yield Judgement(Ruling(limits.low, tuple(sorted(low, key=_value)), against=within), bad=True)
    if high:
        yield Judgement(Ruling(limits.high, tuple(sorted(high, key=_value, reverse=True)), against=within), bad=True)
    if figures and not low and not high:
        nearest = sorted(figures, key=room)
        good = len(within) == len(figures)
        yield Judgement(Ruling(limits.good, tuple(nearest)) if good else inconclusive(limits.unclear, nearest))


def _above_chance(evidence: Evidence, probe: str, metric: Metric, chance: str, limits: Limits) -> Iterator[Judgement]:
    """The values against the chance level. Not shown to be above it is bad."""
    levels = {(f.dataset, f.slice): f.value for f in evidence.figures if (f.probe, f.metric) == (probe, chance)}
    figures = [f for f in _overall(evidence, probe, metric.name) if levels.get((f.dataset, f.slice)) is not None]
    not_above = [f for f in figures if f.side_of(levels[f.dataset, f.slice] or 0.0) <= 0]
    if not_above:
        yield Judgement(Ruling(limits.low, tuple(not_above)), bad=True)
    elif figures:
        yield Judgement(Ruling(limits.good, tuple(sorted(figures, key=_value))))


def _near_chance(
    evidence: Evidence, probe: str, metric: Metric, chance: str, limits: Limits, margin: float
) -> Iterator[Judgement]:
    """The values against the chance level, minus a margin."""
    levels = {(f.dataset, f.slice): f for f in evidence.figures if (f.probe, f.metric) == (probe, chance)}
    figures = sorted(_overall(evidence, probe, metric.name), key=_value)
    pairs = [(f, levels[f.dataset, f.slice]) for f in figures if (f.dataset, f.slice) in levels]
    low = [(f, level) for f, level in pairs if _value(f) < min(level.low or 0.0, _value(level) - margin)]
    if low:
        yield Judgement(Ruling(limits.low, tuple(f for pair in low for f in pair)), bad=True)
    elif pairs and all(_value(level) > margin and f.low is not None and f.low >= _value(level) - margin for f, level in pairs):
        # Where chance itself is within the margin of 0, no value could be bad, so none is good.
        yield Judgement(Ruling(limits.good, tuple(f for pair in pairs for f in pair)))
    elif pairs:
        yield Judgement(inconclusive(limits.unclear, [f for pair in pairs for f in pair]))


def _not_above_chance(
    evidence: Evidence, probe: str, metric: Metric, chance: str, limits: Limits, margin: float
) -> Iterator[Judgement]:
    """The values against the chance level plus a margin, where lower is better."""
    levels = {(f.dataset, f.slice): _value(f) for f in evidence.figures if (f.probe, f.metric) == (probe, chance)}
    figures = [f for f in _overall(evidence, probe, metric.name) if (f.dataset, f.slice) in levels]
    sides = [(f, f.side_of(levels[f.dataset, f.slice] + margin)) for f in sorted(figures, key=_value, reverse=True)]
    high = tuple(f for f, side in sides if side > 0)
    if high:
        yield Judgement(Ruling(limits.high, high), bad=True)
    elif sides and all(side < 0 for _, side in sides):
        yield Judgement(Ruling(limits.good, tuple(f for f, _ in sides)))
    elif sides:
        yield Judgement(inconclusive(limits.unclear, [f for f, _ in sides]))


def _overall(evidence: Evidence, probe: str, metric: str) -> list[Figure]:
    """For each dataset the figure over all its rows, or the figures of its slices where there is none."""
    by_dataset: dict[str, list[Figure]] = {}
    for f in evidence.figures:
        if (f.probe, f.metric) == (probe, metric) and f.value is not None:
            by_dataset.setdefault(f.dataset, []).append(f)
    return [f for mine in by_dataset.values() for f in [f for f in mine if not f.where] or mine]


def _distinct(figures: Iterable[Figure]) -> list[Figure]:
    """Identical figures of two datasets count once."""
    found: dict[tuple[object, ...], Figure] = {}
    for f in figures:
        found.setdefault((f.value, f.low, f.high, f.n, f.slice), f)
    return list(found.values())


def _value(figure: Figure) -> float:
    return figure.value or 0.0
