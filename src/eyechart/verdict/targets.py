"""Targets: limits that a user sets for metrics, in place of the default ones."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.metric import Limits, Metric

USER = "--target"  # the source of a limit that the user set


def parse_target(text: str) -> tuple[str, float]:
    """'top1=0.8' or 'top1=80%' → ("top1", 0.8).

    >>> parse_target("top1=80%"), parse_target("calibration.ece=0.05")
    (('top1', 0.8), ('calibration.ece', 0.05))
    """
    name, equals, number = (part.strip() for part in text.partition("="))
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not (name and equals and math.isfinite(value)):
        raise UsageError(f"target {text!r}: write METRIC=NUMBER, such as top1=0.8 or top1=80%")
    return name, value


@dataclass(frozen=True)
class Judged:
    """A metric that the verdict judges.

    probe: The probe that reports it.
    metric: Its record.
    limits: Its limits.
    target: The user's number in place of a limit that is relative to another metric.
    source: Where the limits are from: "default" or "--target".
    presumed: The metric that the limits presume; None where they presume none.
    """

    probe: str
    metric: Metric
    limits: Limits
    target: float | None = None
    source: str = "default"
    presumed: Metric | None = None


def judged_metrics(metrics: Iterable[tuple[str, Metric]], targets: Mapping[str, float]) -> list[Judged]:
    """The metrics with default limits, and those for which the user set a target.

    Args:
        metrics: All metrics, each with its probe.
        targets: The targets by the metric's name, or by "probe.metric".

    Raises:
        UsageError: If a target names no metric, several, or one that has no better direction.
    """
    known = list(metrics)
    chosen = {_find(name, known): value for name, value in targets.items()}
    judged = []
    for place, (probe, metric) in enumerate(known):
        if place in chosen:
            _check_range(metric, chosen[place])
            area = next((m.limits.area for p, m in known if p == probe and m.limits is not None), "other targets")
            limits = metric.limits or _plain_limits(replace(metric, limits=None), area)
            wanted = _with_target(metric, limits, chosen[place])
            judged.append(Judged(probe, metric, wanted, chosen[place], USER, _presumed(probe, limits, known)))
        elif metric.limits is not None:
            judged.append(Judged(probe, metric, metric.limits, presumed=_presumed(probe, metric.limits, known)))
    return judged


def _presumed(probe: str, limits: Limits, known: list[tuple[str, Metric]]) -> Metric | None:
    return next((m for p, m in known if p == probe and limits.presumes and m.name == limits.presumes), None)


def _check_range(metric: Metric, value: float) -> None:
    """Refuse a target that no value can reach or miss, such as 80 where 80% is meant."""
    if metric.unit == "fraction" and abs(value) > 1:
        hint = f"; write {metric.name}={value:g}% or {metric.name}={value / 100:g}" if 2 <= abs(value) <= 100 else ""
        raise UsageError(f"target {metric.name}={value:g}: it is a fraction, at most 1{hint}")


def _find(name: str, known: list[tuple[str, Metric]]) -> int:
    """The place of the metric that a target names."""
    places = [place for place, (probe, metric) in enumerate(known) if name in (metric.name, f"{probe}.{metric.name}")]
    limited = [place for place in places if known[place][1].limits is not None]
    if len(places) > 1 and len(limited) == 1:
        places = limited
    if not places:
        names = dict.fromkeys(n for probe, metric in known for n in (metric.name, f"{probe}.{metric.name}"))
        hint = did_you_mean(name, list(names))
        raise UsageError(
            f"target {name!r}: no probe of this examination reports this metric{hint}; `eyechart probes` lists probes"
        )
    if len(places) > 1:
        listed = ", ".join(f"{known[place][0]}.{known[place][1].name}" for place in places)
        raise UsageError(f"target {name!r}: several probes report this metric; write one of {listed}")
    return places[0]


def _plain_limits(metric: Metric, area: str) -> Limits:
    """Limits for a metric without default ones; the number itself is set later."""
    if metric.higher_is_better is None:
        raise UsageError(f"target {metric.name!r}: neither a higher nor a lower value is better, so it cannot have a target")
    title = metric.title[:1].upper() + metric.title[1:]
    lower = metric.higher_is_better
    return Limits(
        area=area,  # type: ignore[arg-type]
        at_least=0.0 if lower else None,
        at_most=None if lower else 0.0,
        low=f"{title}: below the target ({{limit}})." if lower else "",
        high="" if lower else f"{title}: above the target ({{limit}}).",
        good=f"{title}: reaches the target ({{limit}}).",
        unclear=f"whether the target is reached: {metric.title} ({{limit}})",
    )


def _with_target(metric: Metric, limits: Limits, value: float) -> Limits:
    if limits.at_least is not None and limits.at_most is not None:  # such as overconfidence: 5 points to either side
        return replace(limits, at_least=-abs(value), at_most=abs(value))
    if isinstance(limits.at_least, str):
        return limits  # it keeps its comparison with the baseline; the target is `Judged.target`
    if limits.at_least is not None:
        return replace(limits, at_least=value)
    if limits.at_most is not None:
        return replace(limits, at_most=value)
    plain = _plain_limits(metric, limits.area)
    return replace(plain, at_least=value) if metric.higher_is_better else replace(plain, at_most=value)
