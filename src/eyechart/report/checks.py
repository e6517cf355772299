"""A check: a number that answers a question, and the limits from which a reader should know.

A finding decides only where its whole 95% interval lies on one side of a limit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eyechart.report.evidence import Evidence, Figure
from eyechart.report.rulings import Ruling, undecided


@dataclass(frozen=True)
class Outcome:
    """What one check has to say. `warning`: a reader should know before relying on the model."""

    ruling: Ruling
    warning: bool = False


@dataclass(frozen=True)
class Check:
    """`metric` of `probe` should be at least `least` and at most `most`. `below` and `above` are said where a dataset or more is
    surely beyond, `fine` where all are surely within; where neither holds, `open` says what is not decided. `by`: of which slices
    the figures are, where not of all rows."""

    probe: str
    metric: str
    fine: str
    open: str
    least: float | None = None
    below: str = ""
    most: float | None = None
    above: str = ""
    by: str | None = None

    def __call__(self, evidence: Evidence) -> Iterator[Outcome]:
        figures = _distinct(self._figures(evidence))
        low = [f for f in figures if self.least is not None and f.surely(self.least) < 0]
        high = [f for f in figures if self.most is not None and f.surely(self.most) > 0]
        within = tuple(f for f in figures if self._room(f) > 0)
        if low:
            yield Outcome(Ruling(self.below, tuple(sorted(low, key=value_of)), against=within), warning=True)
        if high:
            yield Outcome(Ruling(self.above, tuple(sorted(high, key=value_of, reverse=True)), against=within), warning=True)
        if figures and not low and not high:
            nearest = sorted(figures, key=self._room)
            yield Outcome(Ruling(self.fine, tuple(nearest)) if len(within) == len(figures) else undecided(self.open, nearest))

    def _figures(self, evidence: Evidence) -> list[Figure]:
        sliced = [] if self.by is None else evidence.sliced(self.probe, self.metric, self.by)
        return sliced or overall(evidence, self.probe, self.metric)

    def _room(self, figure: Figure) -> float:
        """From the interval to the nearer limit; negative where the interval crosses it or is not known."""
        if figure.low is None or figure.high is None:
            return -float("inf")
        below = float("inf") if self.least is None else figure.low - self.least
        above = float("inf") if self.most is None else self.most - figure.high
        return min(below, above)


def overall(evidence: Evidence, probe: str, metric: str) -> list[Figure]:
    """Of each dataset the figure over all its rows, or those of its slices where there is none."""
    by_dataset: dict[str, list[Figure]] = {}
    for f in evidence.figures:
        if (f.probe, f.metric) == (probe, metric) and f.value is not None:
            by_dataset.setdefault(f.dataset, []).append(f)
    return [f for mine in by_dataset.values() for f in [f for f in mine if not f.where] or mine]


def _distinct(figures: Iterable[Figure]) -> list[Figure]:
    """One where two datasets gave the very same: it was asked once."""
    found: dict[tuple[object, ...], Figure] = {}
    for f in figures:
        found.setdefault((f.value, f.low, f.high, f.n, f.slice), f)
    return list(found.values())


def value_of(figure: Figure) -> float:
    return figure.value or 0.0
