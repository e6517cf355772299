"""Judging the values of a metric by its limits.

A value counts only where its whole 95% interval lies on one side of a limit, and where it rests on enough pictures.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from eyechart.findings.metric import Limits
from eyechart.findings.numbers import format_value
from eyechart.metrics.ranking.retrieval import clear_of_chance
from eyechart.notice import shortened
from eyechart.verdict.class_check import check_classes
from eyechart.verdict.evidence import Baseline, Bounds, Evidence, Figure
from eyechart.verdict.ruling import NOT_JUDGED, Ruling
from eyechart.verdict.sample_size import what_would_decide
from eyechart.verdict.targets import Judged

WITHOUT_ACCURACY = f"{NOT_JUDGED}accuracy is not above its baselines."
_RULES = {
    "chance": "chance",
    "halfway": "halfway from the best baseline to 100%",
    "half": "half of halfway from chance to 100%",
}
Side = Literal["low", "high", "within", "open", "at baseline"]


@dataclass(frozen=True)
class _Placed:
    """A figure, and on which side of its limits it is."""

    figure: Figure
    side: Side


def judge(evidence: Evidence, judged: Judged, useless: Collection[str] = ()) -> Iterator[Ruling]:
    """The rulings on one metric: a warning for each side on which a dataset is bad; else one that it is good or inconclusive.

    Args:
        evidence: The figures.
        judged: The metric with its limits.
        useless: Datasets on which accuracy is not above its baselines.
    """
    placed = _placed(evidence, judged)
    if judged.limits.presumes_accuracy:
        placed = [replace(p, side="open") if p.side == "within" and p.figure.dataset in useless else p for p in placed]
    mild = [p.figure for p in placed if p.side in ("within", "open")]
    failed = {figure: why for figure in mild if (why := _not_presumed(evidence, judged, figure))}
    placed = [replace(p, side="open") if p.figure in failed else p for p in placed]
    limits = judged.limits
    by_side = {side: [p.figure for p in placed if p.side == side] for side in ("at baseline", "low", "high", "within", "open")}
    within = tuple(by_side["within"])
    if figures := by_side["at baseline"]:
        yield Ruling(limits.area, "bad", _not_above(judged, figures), tuple(figures), within)
    if figures := by_side["low"]:
        yield Ruling(limits.area, "bad", _filled(limits.low, judged, figures), tuple(figures), within)
    if figures := by_side["high"]:
        yield Ruling(limits.area, "bad", _filled(limits.high, judged, figures), tuple(figures[::-1]), within)
    bad = by_side["at baseline"] or by_side["low"] or by_side["high"]
    if bad or not placed:
        return
    if by_side["open"]:
        figures = [*by_side["open"], *within]
        # A single class can be bad however poor the model is; what keeps it open is the number of its pictures.
        of_classes = limits.at_least == "half"
        without = limits.presumes_accuracy and not of_classes and all(f.dataset in useless for f in by_side["open"])
        if without:
            remedy = WITHOUT_ACCURACY
        elif all(f in failed for f in by_side["open"]):
            remedy = failed[by_side["open"][0]]
        else:
            remedy = what_would_decide([f for f in by_side["open"] if f not in failed], limits.least_n)
        yield Ruling(limits.area, "inconclusive", _filled(limits.unclear, judged, figures), tuple(figures), (), remedy)
    else:
        nearest = tuple(sorted(within, key=_room))
        yield Ruling(limits.area, "good", _filled(limits.good, judged, within), nearest)


def _not_presumed(evidence: Evidence, judged: Judged, figure: Figure) -> str:
    """Why a value says nothing: what it presumes is not clear of chance. Empty where it is, or where it was not measured."""
    presumed = judged.presumed
    if presumed is None:
        return ""
    found = _level(evidence, judged.probe, presumed.name, figure)
    chance = _level(evidence, judged.probe, presumed.chance, figure)
    if found is None or chance is None or clear_of_chance(_value(found), _value(chance)):
        return ""
    shown, by_chance = (format_value(f.value, presumed.shown_unit) for f in (found, chance))
    return f"{NOT_JUDGED}{presumed.title} {shown}, chance {by_chance}."


def useless_datasets(evidence: Evidence, judged: Iterable[Judged]) -> set[str]:
    """Datasets on which an accuracy is not above its baselines at 95% confidence."""
    relative = [one for one in judged if one.limits.area == "accuracy" and one.limits.at_least in ("chance", "halfway")]
    return {p.figure.dataset for one in relative for p in _placed(evidence, one) if p.side == "at baseline"}


def _placed(evidence: Evidence, judged: Judged) -> list[_Placed]:
    """The values of the metric with the limits that each has, from the lowest to the highest."""
    limits, metric = judged.limits, judged.metric
    if limits.at_least == "half":
        return [_Placed(f, side) for f, side in check_classes(evidence, judged)]
    sliced = [] if limits.by is None else evidence.sliced(judged.probe, metric.name, limits.by)
    figures = sorted(_distinct(sliced or _overall(evidence, judged.probe, metric.name)), key=_value)
    if limits.at_least in ("chance", "halfway"):
        known = [_with_baselines(f, evidence, judged) for f in figures]
        return [_Placed(f, _against_baselines(f, limits)) for f in known if f.baselines]
    if limits.below_chance is not None:
        pairs = [(f, level) for f in figures if (level := _level(evidence, judged.probe, metric.chance, f)) is not None]
        return [_Placed(*_below_chance(f, level, limits, limits.below_chance)) for f, level in pairs]
    if limits.above_chance is not None:
        pairs = [(f, level) for f in figures if (level := _level(evidence, judged.probe, metric.chance, f)) is not None]
        return [_within(_at_most(f, level, limits.above_chance), limits) for f, level in pairs]
    least = None if isinstance(limits.at_least, str) else limits.at_least
    placed = [_within(replace(f, bounds=Bounds(least, limits.at_most, judged.source)), limits) for f in figures]
    if limits.area != "accuracy" or metric.chance is None:
        return placed
    return [_above_chance(p, _level(evidence, judged.probe, metric.chance, p.figure)) for p in placed]


def _above_chance(placed: _Placed, chance: Figure | None) -> _Placed:
    """A value that reaches a target below chance is not good for that."""
    if chance is None or chance.value is None:
        return placed
    figure = replace(placed.figure, baselines=(Baseline("chance", chance.value),))
    at_chance = placed.side == "within" and figure.side_of(chance.value) <= 0
    return _Placed(figure, "at baseline" if at_chance else placed.side)


def _within(figure: Figure, limits: Limits) -> _Placed:
    """A figure against fixed limits."""
    bounds = figure.bounds or Bounds()
    if figure.has_fewer_than(limits.least_n):
        return _Placed(figure, "open")
    if bounds.low is not None and figure.side_of(bounds.low) < 0:
        return _Placed(figure, "low")
    if bounds.high is not None and figure.side_of(bounds.high) > 0:
        return _Placed(figure, "high")
    return _Placed(figure, "within" if _room(figure) > 0 else "open")


def _with_baselines(figure: Figure, evidence: Evidence, judged: Judged) -> Figure:
    """The figure with chance, the other baseline, and the target: halfway from the higher of them to 1, or the user's."""
    names = {"chance": judged.metric.chance, "majority": judged.metric.baseline}
    levels = {name: _level(evidence, judged.probe, metric, figure) for name, metric in names.items()}
    baselines = tuple(
        Baseline(name, level.value, f"always “{level.baseline}”" if level.baseline else "")
        for name, level in levels.items()
        if level is not None and level.value is not None
    )
    target = judged.target
    if target is None and baselines and judged.limits.at_least == "halfway":
        target = (1 + max(b.value for b in baselines)) / 2
    return replace(figure, baselines=baselines, bounds=Bounds(low=target, source=judged.source))


def _against_baselines(figure: Figure, limits: Limits) -> Side:
    highest = max(b.value for b in figure.baselines)
    if figure.has_fewer_than(limits.least_n) or figure.low is None or figure.high is None:
        return "open"
    if highest >= 1:  # with one class nothing can be above chance
        return "open"
    if figure.side_of(highest) <= 0:
        return "at baseline"
    target = figure.bounds.low if figure.bounds else None
    if target is None:
        return "within"
    return ("low", "open", "within")[1 + figure.side_of(target)]


def _below_chance(figure: Figure, level: Figure, limits: Limits, margin: float) -> tuple[Figure, Side]:
    """A figure against the chance level minus a margin. The interval of the chance level is that of what chance gives."""
    limit = _value(level) - margin
    # A limit below 0 would look like a mistake: nothing can be below it.
    bounds = Bounds(low=limit if limit > 0 else None)
    shown = replace(figure, baselines=(Baseline("equal classes", _value(level)),), bounds=bounds)
    if figure.n < limits.least_n:
        return shown, "open"
    if _value(figure) < min(level.low or 0.0, limit):
        return shown, "low"
    # Where chance itself is within the margin of 0, no value could be bad, so none is good.
    sure = limit > 0 and figure.low is not None and figure.low >= limit
    return shown, "within" if sure else "open"


def _at_most(figure: Figure, level: Figure, margin: float) -> Figure:
    return replace(figure, baselines=(Baseline("chance", _value(level)),), bounds=Bounds(high=_value(level) + margin))


def _level(evidence: Evidence, probe: str, metric: str | None, figure: Figure) -> Figure | None:
    """The finding of another metric at the same dataset and slice."""
    same = (
        f for f in evidence.figures if (f.probe, f.metric, f.dataset, f.slice) == (probe, metric, figure.dataset, figure.slice)
    )
    return next((f for f in same if f.value is not None), None)


def _room(figure: Figure) -> float:
    """From the interval to the nearer limit; negative where the interval crosses it or is not known."""
    bounds = figure.bounds or Bounds()
    if figure.low is None or figure.high is None:
        return -float("inf")
    below = float("inf") if bounds.low is None else figure.low - bounds.low
    above = float("inf") if bounds.high is None else bounds.high - figure.high
    return min(below, above)


def _not_above(judged: Judged, figures: Iterable[Figure]) -> str:
    title = judged.metric.title[:1].upper() + judged.metric.title[1:]
    highest = {max(f.baselines, key=lambda b: b.value).name for f in figures}
    names = {"chance": "chance", "majority": "always predicting the most frequent class"}
    return f"{title} is not above {shortened([names[name] for name in sorted(highest)])} at 95% confidence."


def _filled(sentence: str, judged: Judged, figures: Iterable[Figure]) -> str:
    """The sentence with the limit in place of {limit}; where datasets have different ones, with how they are made."""
    limits, unit = judged.limits, judged.metric.shown_unit
    if isinstance(limits.at_least, str):
        found = {format_value(f.bounds.low, unit) for f in figures if f.bounds is not None}
        return sentence.replace("{limit}", found.pop() if len(found) == 1 else _RULES[limits.at_least])
    margin = limits.below_chance if limits.above_chance is None else limits.above_chance
    bound = next(b for b in (margin, limits.at_most, limits.at_least) if b is not None)
    shown = format_value(abs(bound), "points" if margin is not None else unit)
    return sentence.replace("{limit}", shown.replace(".0 points", " points").replace(".0%", "%").replace("1 points", "1 point"))


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
