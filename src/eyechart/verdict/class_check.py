"""Judging all classes of a dataset at once: is one of them never right, or far below the others?

The worst of many classes looks bad by chance alone. So a class is bad only where it stays so after Bonferroni's correction for
the number of classes.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from eyechart.findings.metric import LEAST_N
from eyechart.metrics.intervals import score_interval
from eyechart.metrics.special import ndtri
from eyechart.verdict.evidence import Baseline, Bounds, Evidence, Figure
from eyechart.verdict.targets import Judged

LEVEL = 0.05  # of a false warning about any class of a dataset


def check_classes(evidence: Evidence, judged: Judged) -> Iterator[tuple[Figure, Literal["low", "within", "open"]]]:
    """Every class with its limit and on which side of it the class is, the lowest accuracy first.

    "low": never right although the mean over classes makes that improbable, or below the limit after the correction; the lowest
    class also where the interval of the mean over classes is below the limit. "within":
    the interval is above the limit and above chance. "open": neither, or fewer pictures than `least_n`.
    """
    limits, metric = judged.limits, judged.metric
    figures = evidence.sliced(judged.probe, limits.values or metric.name, limits.by or "")
    classes = {dataset: sum(f.dataset == dataset for f in figures) for dataset in {f.dataset for f in figures}}
    chance, means = (_levels(evidence, judged.probe, name) for name in (metric.chance, metric.baseline))
    highest = _highest(evidence, judged.probe, metric.baseline)
    lowest: set[str] = set()  # datasets of which the lowest class was seen
    # Of equal accuracies the one with the most pictures first, because its evidence is stronger.
    for f in sorted(figures, key=lambda f: (f.value or 0.0, -f.n)):
        mean = means.get(f.dataset)
        if mean is None:
            continue
        by_chance = chance.get(f.dataset, 0.0)
        limit = judged.target if judged.target is not None else max(by_chance, (1 + by_chance) / 4)
        baselines = (Baseline("mean over classes", mean), Baseline("chance", by_chance))
        tests = classes[f.dataset]
        corrected = _corrected(f, tests) if tests > 1 and f.value is not None and f.value < limit and f.n else None
        side = _side(f, limit, mean, by_chance, tests, limits.least_n)
        if f.dataset not in lowest and highest.get(f.dataset, 1.0) < limit:
            side, corrected = "low", None  # the mean over classes is below the limit, so the lowest class is
        lowest.add(f.dataset)
        bounds = Bounds(low=limit, source=judged.source, tests=tests, corrected=corrected)
        yield replace(f, baselines=baselines, bounds=bounds), side


def _side(f: Figure, limit: float, mean: float, chance: float, classes: int, least_n: int) -> Literal["low", "within", "open"]:
    if f.value is None or f.low is None or round(f.independent) < least_n:
        return "open"
    never_right = f.value == 0 and classes * (1 - mean) ** f.independent < LEVEL
    if never_right or _corrected(f, classes)[1] < limit:
        return "low"
    return "within" if f.value > 0 and f.low > max(limit, chance) else "open"


def _corrected(f: Figure, classes: int) -> tuple[float, float]:
    """Wilson's interval after Bonferroni's correction for the number of classes."""
    z, n = float(ndtri(1 - LEVEL / (2 * classes))), f.independent
    low, high = score_interval((f.value or 0.0) * n, n, z)
    return float(low), float(high)


def _levels(evidence: Evidence, probe: str, metric: str | None) -> dict[str, float]:
    found = (f for f in evidence.figures if (f.probe, f.metric) == (probe, metric) and f.value is not None and not f.where)
    return {f.dataset: f.value or 0.0 for f in found}


def _highest(evidence: Evidence, probe: str, metric: str | None) -> dict[str, float]:
    """Dataset → the upper end of the interval of a metric; none for fewer pictures than decide anything."""
    found = (f for f in evidence.figures if (f.probe, f.metric) == (probe, metric) and f.high is not None and not f.where)
    return {f.dataset: f.high for f in found if f.high is not None and not f.has_fewer_than(LEAST_N)}
