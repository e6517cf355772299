"""A metric: what one number of a probe is called, its unit, its direction, and the limits that the verdict judges it by.

The probe that computes a metric declares its record. Summary, page, exports, verdict and documentation read the record; none of
them keeps a list of metrics of its own. Records are written to `protocol.json`, so that a run can be read without the probe.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

Area = Literal[
    "accuracy", "worst classes", "groups", "harm", "robustness", "out-of-distribution", "calibration", "prompts",
    "shape and texture", "words and objects",
]  # fmt: skip
AREAS: tuple[Area, ...] = get_args(Area)  # in the order in which a verdict is read


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Where a value is good or bad, and the verdict's sentences. A value counts only where its whole 95% interval is on one side.

    area: The part of the verdict that it belongs to.
    good: The sentence where every dataset is within the limits.
    unclear: The clause where the intervals do not decide; it begins with "whether".
    at_least: The lower limit. With `Metric.chance` it may be "chance": the value must be shown to be above the chance level.
    low: The sentence where a dataset is below `at_least`, or more than `below_chance` below the chance level.
    at_most: The upper limit.
    high: The sentence where a dataset is above `at_most`.
    below_chance: How far below the metric named by `Metric.chance` a value may lie.
    by: The slice key of the values that are judged, where they are not those of all rows.
    """

    area: Area
    good: str
    unclear: str
    at_least: float | Literal["chance"] | None = None
    low: str = ""
    at_most: float | None = None
    high: str = ""
    below_chance: float | None = None
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One number that a probe reports.

    name: Its id in `findings.parquet`. A number that a setting chooses is a placeholder: "recall_{k}px".
    title: What it is called wherever a person reads it; the placeholder stands for the same number.
    unit: "fraction" (shown in percent), "count", "number", or the name of a unit such as "nats".
    difference: It is a difference of two values of this unit. A difference of fractions is shown in points.
    higher_is_better: None where neither direction is better.
    chance: The metric of the same probe that holds the chance level at the same slice.
    limits: Where it is good or bad; None where the verdict does not judge it.
    """

    name: str
    title: str
    unit: str = "fraction"
    difference: bool = False
    higher_is_better: bool | None = True
    chance: str | None = None
    limits: Limits | None = None

    @property
    def shown_unit(self) -> str:
        """The unit as it is shown: "points" for a difference of fractions, because "10%" could be read as a relative change."""
        return "points" if self.difference and self.unit == "fraction" else self.unit

    def to_dict(self) -> dict[str, Any]:
        """As in `protocol.json`, without keys that are None."""
        return {key: value for key, value in asdict(self).items() if value is not None or key == "higher_is_better"}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Metric":
        """From `protocol.json`; unknown keys are ignored."""
        known = {f.name for f in fields(cls)}
        values = {key: value for key, value in content.items() if key in known}
        if isinstance(values.get("limits"), Mapping):
            of_limits = {f.name for f in fields(Limits)}
            values["limits"] = Limits(**{key: value for key, value in values["limits"].items() if key in of_limits})
        return cls(**values)


def find_metric(metrics: Iterable[Metric], name: str) -> Metric | None:
    """The record that describes a metric's name, with the number in place of a placeholder; None where there is none.

    >>> recall = Metric(name="recall_{k}px", title="keypoint recall within {k} px")
    >>> find_metric([recall], "recall_25px").title
    'keypoint recall within 25 px'
    """
    found = None
    for metric in metrics:
        if metric.name == name:
            return metric
        if "{" in metric.name and found is None and (match := _pattern(metric.name).fullmatch(name)):
            found = _filled(metric, name, match.groupdict())
    return found


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[0-9.]+)", re.escape(name)))


def _filled(metric: Metric, name: str, values: Mapping[str, str]) -> Metric:
    chance = None if metric.chance is None else metric.chance.format(**values)
    return replace(metric, name=name, title=metric.title.format(**values), chance=chance)


def unknown_metric(name: str, unit: str = "fraction", higher_is_better: bool | None = None) -> Metric:
    """A record for a metric that is not declared, as in results of an older version."""
    return Metric(name=name, title=name.replace("_", " "), unit=unit, higher_is_better=higher_is_better)
