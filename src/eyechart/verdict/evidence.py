"""Findings as evidence: looked up by probe, metric and slice over all datasets."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eyechart.findings.group_sizes import OutsideCounts, size_text
from eyechart.findings.numbers import format_estimate, format_interval, format_value, slice_text
from eyechart.findings.run import Run
from eyechart.metrics.intervals import wilson_count

# How the method of an interval begins that shows how many pictures of a share are independent. Those of an AUROC or of an FPR95
# are wide for other reasons: few errors, or a threshold that rests on few pictures.
_OF_A_SHARE = ("Wilson", "bootstrap over pictures", "bootstrap of pictures within classes")


@dataclass(frozen=True)
class Bounds:
    """The limits that a value is judged by.

    low: The lower limit.
    high: The upper limit.
    source: Where they are from: "default", or "--target".
    tests: How many values are judged together; a value below the limit is corrected for that number.
    corrected: The interval of such a value after the correction.
    """

    low: float | None = None
    high: float | None = None
    source: str = "default"
    tests: int = 1
    corrected: tuple[float, float] | None = None


@dataclass(frozen=True)
class Baseline:
    """A number that a value is compared with: chance, or always predicting the most frequent class.

    name: What it is.
    value: Its value.
    detail: What it would answer.
    """

    name: str
    value: float
    detail: str = ""


@dataclass(frozen=True)
class Figure:
    """One finding that a sentence is based on.

    dataset: The dataset.
    probe: The probe.
    metric: The id of the metric.
    title: The title of the metric.
    short: Its short title.
    slice: The canonical key of the slice.
    value: The value; None where it could not be computed.
    low: Lower end of the 95% interval.
    high: Upper end of the 95% interval.
    n: Sample size.
    unit: As it is shown: "points" for a difference of fractions.
    baseline: What a paired difference is taken against.
    interval: The method of the interval.
    baselines: What a judged value is compared with.
    bounds: The limits that a judged value has.
    originals: Different pictures that it rests on: those of its dataset, or of the smaller of two sets that are compared; None
        where they are not known.
    originals_of: The name of that smaller set; empty for the dataset.
    outside: How many of the n pictures are out-of-distribution; None where n counts one group.
    """

    dataset: str
    probe: str
    metric: str
    title: str
    short: str
    slice: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str
    baseline: str | None = None
    interval: str | None = None
    baselines: tuple[Baseline, ...] = ()
    bounds: Bounds | None = None
    originals: float | None = None
    originals_of: str = ""
    outside: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], run: Run) -> "Figure":
        metric = run.metric(row["probe"], row["metric"], row["unit"])
        known = {name: row[name] for name in cls.__dataclass_fields__ if name in row and name != "unit"}
        outside = OutsideCounts(run).of(row) if metric.outside else None
        return cls(**known, title=metric.title, short=metric.short or metric.title, unit=metric.shown_unit, outside=outside)

    @cached_property
    def where(self) -> dict[str, Any]:
        return dict(json.loads(self.slice))

    @property
    def name(self) -> str:
        """The title of the metric, with the slice."""
        sliced = slice_text(self.slice)
        return self.title + (f" ({sliced})" if sliced else "")

    @property
    def text(self) -> str:
        """'20.5% (18.1 to 22.9%), n = 480'"""
        return f"{format_estimate(self.value, self.low, self.high, self.unit)}, n = {self.size_text}"

    @property
    def size_text(self) -> str:
        """'480', or '400 in-distribution + 80 out-of-distribution'"""
        return size_text(self.n, self.outside)

    @property
    def short_size_text(self) -> str:
        """'480', or '400 ID + 80 OOD', for a tile"""
        return size_text(self.n, self.outside, short=True)

    @property
    def compared_text(self) -> str:
        """'chance 10.0%, majority 19.6% (always “shoes”), target at least 59.8% (default)'; empty where nothing is known"""
        parts = [f"{b.name} {format_value(b.value, self.unit)}{f' ({b.detail})' if b.detail else ''}" for b in self.baselines]
        if self.bounds is not None and (limits := bounds_text(self.bounds, self.unit)):
            parts.append(f"target {limits} ({self.bounds.source})")
        return ", ".join([*parts, *self._corrected])

    @property
    def _corrected(self) -> list[str]:
        """'corrected for 10 classes: 0.0 to 39.6%', where a value below its limit is one of several that are judged together"""
        if self.bounds is None or self.bounds.corrected is None:
            return []
        return [f"corrected for {self.bounds.tests:,} classes: {format_interval(*self.bounds.corrected, self.unit)}"]

    @property
    def line(self) -> str:
        """'top-1 14.2% (7.5 to 20.8%), n = 120 · chance 10.0%, majority 19.6%, target ≥ 59.8%', for a line of the terminal"""
        return self.line_with_ties(0)

    def line_with_ties(self, ties: int) -> str:
        """The line, where `ties` other classes have the same value: 'accuracy (dress and 4 more) 0.0%'."""
        # How the model predicts is the same in all lines; a number needs its name.
        shown = [(key, value) for key, value in self.where.items() if key != "answers"]
        sliced = ", ".join(str(value) if isinstance(value, str) else f"{key} = {value}" for key, value in shown)
        sliced += f" and {ties:,} more" if ties else ""
        parts = [f"{b.name} {format_value(b.value, self.unit)}" for b in self.baselines]
        if self.bounds is not None and (limits := bounds_text(self.bounds, self.unit)):
            source = "" if self.bounds.source == "default" else f" ({self.bounds.source})"
            parts.append(f"target {limits.replace('at least ', '≥').replace('at most ', '≤').replace('from ', '')}{source}")
        parts += self._corrected
        compared = f" · {', '.join(parts)}" if parts else ""
        return f"{self.short}{f' ({sliced})' if sliced else ''} {self.text}{compared}"

    @property
    def independent(self) -> float:
        """The number of independent pictures, as the interval of a share has it: copies and versions of a picture are one."""
        known = float(self.n) if self.originals is None else min(self.originals, float(self.n))
        if self.unit != "fraction" or (self.interval is not None and not self.interval.startswith(_OF_A_SHARE)):
            return known
        if self.value is None or self.low is None or self.high is None or not self.low < self.high:
            return known
        if not 0 <= self.low <= self.value <= self.high <= 1:
            return known
        return min(wilson_count(self.value, self.low, self.high), known)

    def has_fewer_than(self, least: int) -> bool:
        """Whether there are fewer pictures, or fewer different ones.

        Where their number is read from the interval of a share, it is trusted only where it is far from n: not all are Wilson's.
        """
        if self.n < least or (self.originals is not None and self.originals < least):
            return True
        return bool(self.independent < 0.6 * self.n and self.independent < least)

    def side_of(self, middle: float = 0.0) -> int:
        """1 where the whole interval lies above `middle`, -1 where below, 0 where the finding does not decide."""
        if self.low is None or self.high is None or not self.low <= self.high:
            return 0
        return int(self.low > middle) - int(self.high < middle)


def bounds_text(bounds: Bounds, unit: str) -> str:
    """'at least 59.8%', 'at most 10.0 points', 'from −5.0 to 5.0 points'"""
    low, high = (None if bound is None else format_value(bound, unit) for bound in (bounds.low, bounds.high))
    if low and high:
        return f"from {low.removesuffix(f' {unit}')} to {high}"
    return f"at least {low}" if low else f"at most {high}" if high else ""


@dataclass(frozen=True)
class Evidence:
    """All figures about one model."""

    figures: tuple[Figure, ...]

    def find(self, probe: str, metric: str, **where: object) -> list[Figure]:
        """Figures with a value and exactly this slice; identical figures of two datasets count once."""
        found: dict[Hashable, Figure] = {}
        for f in self.figures:
            if (f.probe, f.metric) == (probe, metric) and f.value is not None and f.where == where:
                found.setdefault((f.value, f.low, f.high, f.n), f)
        return list(found.values())

    def of_dataset(self, dataset: str) -> "Evidence":
        """The figures of one dataset."""
        return Evidence(tuple(f for f in self.figures if f.dataset == dataset))

    def sliced(self, probe: str, metric: str, *keys: str) -> list[Figure]:
        """Figures with a value and exactly these slice keys."""
        wanted = set(keys)
        return [
            f for f in self.figures if (f.probe, f.metric) == (probe, metric) and f.value is not None and set(f.where) == wanted
        ]
