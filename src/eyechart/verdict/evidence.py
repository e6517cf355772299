"""Findings as evidence: found by probe, metric and slice over all datasets, and weighed together."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eyechart.findings.numbers import format_interval, format_value, slice_text
from eyechart.findings.run import Run


@dataclass(frozen=True)
class Figure:
    """One finding that a sentence rests on."""

    dataset: str
    probe: str
    metric: str
    title: str
    slice: str  # the canonical key
    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str  # as it is shown: points for a difference of fractions
    baseline: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], run: Run) -> "Figure":
        metric = run.metric(row["probe"], row["metric"], row["unit"])
        known = {name: row[name] for name in cls.__dataclass_fields__ if name not in {"title", "unit"}}
        return cls(**known, title=metric.title, unit=metric.shown_unit)

    @cached_property
    def where(self) -> dict[str, Any]:
        return dict(json.loads(self.slice))

    @property
    def name(self) -> str:
        """What was measured, as a reader would say it."""
        sliced = slice_text(self.slice)
        return self.title + (f" ({sliced})" if sliced else "")

    @property
    def text(self) -> str:
        """'20.5% (18.1 to 22.9%), n = 480'"""
        interval = format_interval(self.low, self.high, self.unit)
        return format_value(self.value, self.unit) + (f" ({interval})" if interval else "") + f", n = {self.n:,}"

    def side_of(self, middle: float = 0.0) -> int:
        """1 where the whole interval lies above the middle, -1 where below, 0 where the finding does not decide."""
        if self.low is None or self.high is None or not self.low <= self.high:
            return 0
        return int(self.low > middle) - int(self.high < middle)


@dataclass(frozen=True)
class Evidence:
    """All figures about one model."""

    figures: tuple[Figure, ...]

    def find(self, probe: str, metric: str, **where: object) -> list[Figure]:
        """Figures with a value, of slices that are just this; one where two datasets gave the very same: it was asked once."""
        found: dict[Hashable, Figure] = {}
        for f in self.figures:
            if (f.probe, f.metric) == (probe, metric) and f.value is not None and f.where == where:
                found.setdefault((f.value, f.low, f.high, f.n), f)
        return list(found.values())

    def sliced(self, probe: str, metric: str, *keys: str) -> list[Figure]:
        """Figures with a value, of slices by just these keys."""
        wanted = set(keys)
        return [
            f for f in self.figures if (f.probe, f.metric) == (probe, metric) and f.value is not None and set(f.where) == wanted
        ]
