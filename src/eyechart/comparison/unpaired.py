"""Differences of findings that cannot be paired by picture: other probes, and groups of people."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eyechart.comparison.sides import Side
from eyechart.findings.metric import Metric
from eyechart.findings.run import Run
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.multiplicity import benjamini_hochberg
from eyechart.metrics.special import ndtr, ndtri

UNPAIRED = "unpaired: MOVER from two intervals, 95%; too wide where both models saw the same pictures"

Key = tuple[str, str, str, str]  # dataset, probe, metric, slice
_Pair = tuple[Key, dict[str, Any], dict[str, Any]]  # a place, and the finding of each model


@dataclass(frozen=True)
class UnpairedDifference:
    """A metric of the second model minus that of the first, from the interval of each.

    dataset: The dataset.
    probe: The probe.
    metric: The metric's record.
    slice: What it is about, as JSON.
    first: Value and interval of the first model.
    second: Value and interval of the second model.
    value: The difference.
    low: Lower end of its 95% interval.
    high: Upper end.
    p: Two-sided, normal, with the standard error of the interval.
    q: p, corrected for all metrics that are compared (Benjamini and Hochberg).
    """

    dataset: str
    probe: str
    metric: Metric
    slice: str
    first: Estimate
    second: Estimate
    value: float
    low: float
    high: float
    p: float
    q: float

    @property
    def separable(self) -> bool:
        return self.q < 0.05

    @property
    def better(self) -> bool | None:
        """Whether the second model is better; None where no direction is."""
        return None if self.metric.higher_is_better is None else (self.value > 0) == self.metric.higher_is_better


def headline_differences(first: Side, second: Side) -> list[UnpairedDifference]:
    """The headline metrics of every probe that both runs have, but for top-1 accuracy, which is paired by picture."""

    def wanted(run: Run, row: dict[str, Any]) -> bool:
        return row["metric"] in run.headline(row["probe"]) and (row["probe"], row["metric"]) != ("zero_shot", "top1")

    return _differences(first, second, wanted, by_slice=False)


def group_differences(first: Side, second: Side) -> list[UnpairedDifference]:
    """Metrics of groups: findings with a slice that names one."""

    def wanted(run: Run, row: dict[str, Any]) -> bool:
        return bool(row["metric"] == "group_accuracy")

    return _differences(first, second, wanted, by_slice=True)


def _differences(
    first: Side, second: Side, wanted: Callable[[Run, dict[str, Any]], bool], *, by_slice: bool
) -> list[UnpairedDifference]:
    one, two = (_findings(side, wanted, by_slice) for side in (first, second))
    pairs = [(key, one[key], two[key]) for key in one if key in two]
    if not by_slice:
        pairs += _under_other_prompts(one, two)
    found = [_difference(first.run, *pair) for pair in pairs]
    corrected = benjamini_hochberg([difference.p for difference in found])
    return [replace(difference, q=float(q)) for difference, q in zip(found, corrected, strict=True)]


def _under_other_prompts(one: dict[Key, dict[str, Any]], two: dict[Key, dict[str, Any]]) -> list[_Pair]:
    """Metrics that the models have under different prompt sets only, or one of them by its class scores: the first of each, as
    accuracy is paired then."""
    places = dict.fromkeys(key[:3] for key in one)
    found = []
    for place in places:
        mine, other = ([key for key in of if key[:3] == place] for of in (one, two))
        if other and not set(mine) & set(other):
            found.append((mine[0], one[mine[0]], two[other[0]]))
    return found


def _findings(side: Side, wanted: Callable[[Run, dict[str, Any]], bool], by_slice: bool) -> dict[Key, dict[str, Any]]:
    """Findings with an interval, by place. Without `by_slice`, those of all rows, or the only one of its prompt set."""
    rows = [row for row in side.run.findings.to_pylist() if row["model"] == side.model and wanted(side.run, row)]
    rows = [row for row in rows if None not in (row["value"], row["low"], row["high"])]
    if by_slice:
        return {(r["dataset"], r["probe"], r["metric"], r["slice"]): r for r in rows}
    places: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        prompts = {k: v for k, v in json.loads(row["slice"]).items() if k == "prompts"}
        places.setdefault((row["dataset"], row["probe"], row["metric"], json.dumps(prompts)), []).append(row)
    whole = {key: _of_all_rows(of) for key, of in places.items()}
    return {key: row for key, row in whole.items() if row is not None}


def _of_all_rows(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    plain = [row for row in rows if set(json.loads(row["slice"])) <= {"prompts", "answers"}]
    return plain[0] if plain else rows[0] if len(rows) == 1 else None


def _difference(run: Run, key: Key, one: dict[str, Any], two: dict[str, Any]) -> UnpairedDifference:
    first, second = (Estimate(row["value"], row["low"], row["high"]) for row in (one, two))
    low, high = difference_interval(second, first)
    value = second.value - first.value
    p = _normal_p(value, low, high)
    metric = run.metric(key[1], key[2], one["unit"])
    return UnpairedDifference(key[0], key[1], metric, key[3], first, second, value, low, high, p, p)


def _normal_p(value: float, low: float, high: float) -> float:
    """Two-sided p with the standard error that the side of the interval towards 0 has."""
    reach = value - low if value > 0 else high - value
    if value == 0 or reach == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * ndtr(-abs(value) / reach * ndtri(0.975)))
