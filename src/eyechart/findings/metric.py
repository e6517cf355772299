"""A metric: what one number of a probe is called, its unit, its direction, and the limits that the verdict judges it by.

The probe that computes a metric declares its record. Summary, page, exports, verdict and documentation read the record; none of
them keeps a list of metrics of its own. Records are written to `protocol.json`, so that a run can be read without the probe.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

Area = Literal[
    "accuracy", "retrieval", "worst classes", "groups", "harm", "robustness", "out-of-distribution", "calibration",
    "class names", "shape and texture", "words and objects", "other targets",
]  # fmt: skip
AREAS: tuple[Area, ...] = get_args(Area)  # in the order in which a verdict is read


# How a lower limit depends on other numbers of the probe; `Limits.at_least` explains them.
RelativeLimit = Literal["chance", "halfway", "half"]
RELATIVE_LIMITS: tuple[RelativeLimit, ...] = get_args(RelativeLimit)
LEAST_N = 30  # by default a value over fewer different pictures is inconclusive; a convention (docs/report.md)
# The name under which the exam, or a probe, counts the different pictures that its numbers rest on: copies and versions of a
# picture are one. Of a probe that compares two sets, the slice `set` names each.
DIFFERENT_PICTURES = "different_pictures"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Where a value is good or bad, and the verdict's sentences. A value counts only where its whole 95% interval is on one side.

    In sentences, `{limit}` stands for the limit, which a user may have set.

    area: The part of the verdict that it belongs to.
    good: The sentence where every dataset is within the limits.
    unclear: The clause where the intervals do not decide; it begins with "whether".
    at_least: The lower limit: a number, or one of three words. "chance": the value must be shown to be above the chance level.
        "halfway": likewise, and it must reach the point halfway from the higher of `Metric.chance` and `Metric.baseline` to 1.
        "half": every value of the slice key `by` must reach half of the point halfway from `Metric.chance` to 1, and at least
        chance; 0 is bad where `Metric.baseline`, the mean of the values, makes it improbable.
    low: The sentence where a dataset is below `at_least`, or more than `below_chance` below the chance level.
    at_most: The upper limit.
    high: The sentence where a dataset is above `at_most`.
    below_chance: How far below the metric named by `Metric.chance` a value may lie.
    above_chance: How far above the metric named by `Metric.chance` a value may lie, where lower is better.
    by: The slice key of the values that are judged, where they are not those of all rows.
    values: The metric of the same probe that holds the values that are judged; None for the metric itself.
    least_n: A value over fewer different pictures is inconclusive.
    presumes_accuracy: The value says nothing about a model whose accuracy is not above its baselines, such as a drop of accuracy.
        It is never called good then.
    presumes: The metric of the same probe without which the value says nothing, such as the share of names that a model finds at
        all. Where it is not clear of its own chance level (`clear_of_chance`), the value is never called good.
    """

    area: Area
    good: str
    unclear: str
    at_least: float | RelativeLimit | None = None
    low: str = ""
    at_most: float | None = None
    high: str = ""
    below_chance: float | None = None
    above_chance: float | None = None
    by: str | None = None
    values: str | None = None
    least_n: int = LEAST_N
    presumes_accuracy: bool = False
    presumes: str | None = None

    def __post_init__(self) -> None:
        if self.area not in AREAS:
            raise ValueError(f"limits: area is {self.area!r}; choose one of {', '.join(AREAS)}")
        if (isinstance(self.at_least, str) and self.at_least not in RELATIVE_LIMITS) or isinstance(self.at_most, str):
            words = ", ".join(f'"{word}"' for word in RELATIVE_LIMITS)
            raise ValueError(f"limits: at_least is a number or one of {words}, at_most a number; see also above_chance")
        given = (None if isinstance(self.at_least, str) else self.at_least, self.at_most, self.below_chance, self.above_chance)
        if not all(v is None or (isinstance(v, int | float) and not isinstance(v, bool)) for v in given):
            raise ValueError("limits: a limit is a number")
        if not isinstance(self.low, str) or not isinstance(self.high, str):
            raise ValueError("limits: `low` and `high` are texts")
        if not all(isinstance(name, str | None) for name in (self.by, self.values, self.presumes)):
            raise ValueError("limits: by, values and presumes are names of metrics")
        if type(self.least_n) is not int or self.least_n < 1:
            raise ValueError("limits: least_n is a whole number, at least 1")
        lower, upper = self.at_least is not None or self.below_chance is not None, self.at_most is not None
        upper = upper or self.above_chance is not None
        if not lower and not upper:
            raise ValueError("limits: give at_least, at_most, below_chance or above_chance")
        if lower != bool(self.low) or upper != bool(self.high):
            raise ValueError("limits: a lower limit needs the sentence `low`, an upper limit the sentence `high`")
        relative = [isinstance(self.at_least, str), self.below_chance is not None, self.above_chance is not None]
        fixed = isinstance(self.at_least, int | float) or self.at_most is not None
        if sum(relative) > 1 or (any(relative) and (fixed or (self.by is not None) != (self.at_least == "half"))):
            raise ValueError(
                'limits: a limit relative to another number stands alone, without another limit; "half" needs `by`, the others '
                "go without"
            )
        numbers = [v for v in (self.at_least, self.at_most, self.below_chance, self.above_chance) if isinstance(v, int | float)]
        if not all(map(math.isfinite, numbers)):
            raise ValueError("limits: a limit is a finite number")
        if isinstance(self.at_least, int | float) and self.at_most is not None and self.at_least >= self.at_most:
            raise ValueError("limits: at_least must be below at_most")
        if not all(isinstance(text, str) for text in (self.good, self.unclear)):
            raise ValueError("limits: `good` and `unclear` are texts")
        if not self.good or not self.unclear.startswith("whether "):
            raise ValueError("limits: `good` is a sentence, and `unclear` a clause that begins with 'whether'")

    @property
    def two_sided(self) -> bool:
        """Whether a value can be too low as well as too high."""
        return self.at_least is not None and self.at_most is not None


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One number that a probe reports.

    name: Its id in `findings.parquet`. A number that a setting chooses is a placeholder: "recall_{k}px".
    title: What it is called wherever a person reads it; the placeholder stands for the same number.
    short: A short title, for a line of the terminal and a tile of the page; by default `title`.
    unit: "fraction" (shown in percent), "count", "number", or the name of a unit such as "nats".
    difference: It is a difference of two values of this unit. A difference of fractions is shown in points.
    higher_is_better: None where neither direction is better, as where it has limits on both sides.
    chance: The metric of the same probe that holds the chance level at the same slice.
    baseline: The metric of the same probe that holds another baseline, such as the share of the most frequent class.
    limits: Where it is good or bad; None where the verdict does not judge it.
    rows: The predictions that it can be traced to, of its slice: "wrong" for an accuracy or an error rate, "all" for a share of
        pictures, "harmful" for those predicted as harmful classes of a design, "below_top5" for true classes that are not among
        the best five, "accepted" for out-of-distribution pictures that pass as in-distribution, "missed" for queries of retrieval
        without a correct result among the first k, and for trials in which a false caption is preferred; empty where no rows are
        counted.
    outside: The metric of the same probe that counts the out-of-distribution pictures, where n counts in-distribution and
        out-of-distribution pictures together.
    """

    name: str
    title: str
    short: str = ""
    unit: str = "fraction"
    difference: bool = False
    higher_is_better: bool | None = True
    chance: str | None = None
    baseline: str | None = None
    limits: Limits | None = None
    rows: Literal["", "wrong", "all", "harmful", "below_top5", "accepted", "missed"] = ""
    outside: str | None = None

    def __post_init__(self) -> None:
        if not self.name or not self.title:
            raise ValueError(f"metric {self.name!r}: give it a name and a title")
        for field_name in ("chance", "baseline", "outside"):
            if not isinstance(named := getattr(self, field_name), str | None):
                raise ValueError(f"metric {self.name!r}: {field_name} is the name of a metric of the same probe, not {named!r}")
        limits = self.limits
        if limits is not None and "{" in self.name:
            raise ValueError(f"metric {self.name!r}: a name with a placeholder cannot have limits")
        if limits is None:
            return
        of_chance = limits.at_least in ("chance", "halfway") or not (limits.below_chance is limits.above_chance is None)
        if of_chance and self.chance is None:
            raise ValueError(f"metric {self.name!r}: its limits are relative to chance, so name the metric `chance`")
        if limits.at_least == "half" and self.baseline is None:
            raise ValueError(f"metric {self.name!r}: its limit is half of a baseline, so name the metric `baseline`")

        if limits.two_sided and self.higher_is_better is not None:
            raise ValueError(f"metric {self.name!r}: it has limits on both sides, so neither direction is better; say None")

    @property
    def shown_unit(self) -> str:
        """The unit as it is shown: "points" for a difference of fractions, because "10%" could be read as a relative change.

        Example:
            >>> Metric(name="gap", title="gap", difference=True).shown_unit
            'points'
        """
        return "points" if self.difference and self.unit == "fraction" else self.unit

    def to_dict(self) -> dict[str, Any]:
        """As in `protocol.json`, without empty keys."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "") or key == "higher_is_better"}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Metric":
        """From `protocol.json`; unknown keys are ignored, and so are limits that this version does not understand.

        Args:
            content: The entry of the metric.

        Example:
            >>> Metric.from_dict({"name": "top1", "title": "top-1 accuracy", "later": 1}).title
            'top-1 accuracy'
        """
        known = {f.name for f in fields(cls)}
        values = {key: value for key, value in content.items() if key in known and key != "limits"}
        limits = _limits(content.get("limits"), values.get("chance"), values.get("baseline"))
        if limits is not None and limits.two_sided:
            values["higher_is_better"] = None  # earlier versions wrote a direction
        return cls(**values, limits=limits)


def is_record(content: Any) -> bool:
    """Whether an entry of `protocol.json` can be a metric: a run folder may come from anyone."""
    return (
        isinstance(content, Mapping)
        and all(isinstance(content.get(key), str) and content[key] for key in ("name", "title"))
        and all(isinstance(content.get(key, ""), str) for key in ("unit", "short", "rows"))
        and isinstance(content.get("chance"), str | None)
        and isinstance(content.get("baseline"), str | None)
    )


def _limits(content: Any, chance: Any, baseline: Any) -> Limits | None:
    if not isinstance(content, Mapping):
        return None
    known = {f.name for f in fields(Limits)}
    try:
        limits = Limits(**{key: value for key, value in content.items() if key in known})
        Metric(name="any", title="any", chance=chance, baseline=baseline, limits=limits, higher_is_better=None)
    except (TypeError, ValueError):
        return None
    return limits


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
    chance, baseline = (None if named is None else named.format(**values) for named in (metric.chance, metric.baseline))
    return replace(metric, name=name, title=metric.title.format(**values), chance=chance, baseline=baseline)


def unknown_metric(name: str, unit: str = "fraction", higher_is_better: bool | None = None) -> Metric:
    """A record for a metric that is not declared, as in results of an older version."""
    return Metric(name=name, title=name.replace("_", " "), unit=unit, higher_is_better=higher_is_better)
