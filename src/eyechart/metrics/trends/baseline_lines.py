"""Published lines that relate accuracy on ImageNet to accuracy on a shifted set, and how far above them a model lies.

The lines are data (`baseline_lines.json`, made by scripts/make_baseline_lines.py) with the citation of their figures.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.special import ndtri
from eyechart.metrics.trends.axes import Axis, from_axis, to_axis
from eyechart.metrics.trends.line_fits import Fit
from eyechart.metrics.trends.lines import Line


@dataclass(frozen=True)
class BaselineLine:
    """`classes`: how many of the source's classes the line's accuracies are taken over. `grouped`: a source picture is right when
    it gets any class that means the same in the shifted set. `covariance`: of slope and slope, slope and intercept, intercept."""

    source: str
    shift: str
    line: Line
    fit: Fit
    covariance: tuple[float, float, float]
    n: int
    r2: float
    classes: int
    grouped: bool
    source_range: tuple[float, float]

    @property
    def axis(self) -> Axis:
        return self.line.x_axis

    def expected(self, source: Estimate, level: float = 0.95) -> Estimate:
        """The shifted accuracy of a baseline model with this accuracy on the source, with the doubts about both the accuracy and
        the line. NaN where the axis cannot hold the accuracy (0 or 1)."""
        slope, intercept = self.line.slope, self.line.intercept
        at, low, high = to_axis(source, self.axis)
        if not np.isfinite(at):
            return Estimate(np.nan, np.nan, np.nan)
        varies = at**2 * self.covariance[0] + 2 * at * self.covariance[1] + self.covariance[2]
        of_line = float(ndtri(0.5 + level / 2)) ** 2 * varies
        middle = slope * at + intercept
        below, above = (np.sqrt((slope * (at - end)) ** 2 + of_line) for end in (low, high))
        value, least, most = from_axis([middle, middle - below, middle + above], self.axis)
        return Estimate(float(value), float(least), float(most))

    def effective_robustness(self, source: Estimate, shifted: Estimate) -> tuple[float, Interval]:
        """How far the shifted accuracy lies above the line (Taori et al., 2020, §2): 0.05 is five percentage points. The two
        accuracies are of different pictures."""
        expected = self.expected(source)
        return shifted.value - expected.value, difference_interval(shifted, expected)


def find_line(source: str, shift: str, *, axis: Axis = "probit", fit: Fit = "huber") -> BaselineLine | None:
    """The stored line between two published sets, None where there is none."""
    wanted = (source, shift, axis, fit)
    return next((line for line in baseline_lines() if (line.source, line.shift, line.axis, line.fit) == wanted), None)


@cache
def baseline_lines() -> tuple[BaselineLine, ...]:
    content = _content()
    return tuple(
        BaselineLine(
            source=row["source"],
            shift=row["shift"],
            line=Line(row["slope"], row["intercept"], row["axis"], row["axis"]),
            fit=row["fit"],
            covariance=tuple(row["covariance"]),
            n=row["n"],
            r2=row["r2"],
            classes=row["classes"],
            grouped=row["grouped"],
            source_range=tuple(row["source_range"]),
        )
        for row in content["lines"]
    )


def citation() -> str:
    return str(_content()["citation"])


@cache
def _content() -> dict:  # type: ignore[type-arg]
    content: dict = json.loads((files("eyechart.metrics.trends") / "baseline_lines.json").read_text(encoding="utf-8"))  # type: ignore[type-arg]
    return content
