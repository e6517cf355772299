"""How much a metric changed against a baseline: paired by picture where predictions decide it, else from two findings."""

from dataclasses import dataclass

from eyechart.comparison.paired_metrics import paired_metric
from eyechart.comparison.pairing import matching_groups, pair_pictures
from eyechart.comparison.sides import Side
from eyechart.metrics.intervals.mover import Estimate, difference_interval

UNCHANGED = "paired by picture: not one prediction changed"
UNPAIRED = "unpaired: MOVER from two intervals, 95%"


@dataclass(frozen=True)
class MetricChange:
    """A metric minus that of the baseline.

    before: The value of the baseline; over the shared pictures where it is paired.
    now: The value of the run, likewise.
    change: The difference with its interval; None where there is none.
    how: The method.
    n: Pictures that were paired; None where it is unpaired.
    notices: Pictures that were left out.
    """

    before: float
    now: float
    change: Estimate | None
    how: str
    n: int | None = None
    notices: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The difference."""
        return self.now - self.before


def paired_change(baseline: Side, run: Side, metric: str, dataset: str, prompts: str | None) -> MetricChange | None:
    """The change of a metric of zero_shot from the predictions of both; None where one of them has no such predictions."""
    for groups in matching_groups([baseline, run]):
        if groups[1].dataset == groups[1].of == dataset and groups[1].prompts == prompts:
            paired, notices = pair_pictures([baseline, run], groups)
            if len(paired.labelled):
                of = paired_metric(paired, 0, 1, metric)
                # Pictures that one run lacks may have changed.
                same = of.unchanged and not notices
                change, how = (Estimate(0.0, 0.0, 0.0), UNCHANGED) if same else (of.change, of.how)
                said = tuple(map(str, notices))
                if groups[0].prompts != groups[1].prompts:
                    said += (f"prompts {groups[0].prompts} in the baseline, {groups[1].prompts} now",)
                return MetricChange(of.first.value, of.second.value, change, how, of.n, said)
    return None


def unpaired_change(before: Estimate | float, now: Estimate | float) -> MetricChange:
    """The change between two findings; without an interval where one of them has none."""
    if isinstance(before, Estimate) and isinstance(now, Estimate):
        change = Estimate(now.value - before.value, *difference_interval(now, before))
        return MetricChange(before.value, now.value, change, UNPAIRED)
    first, second = (given.value if isinstance(given, Estimate) else given for given in (before, now))
    return MetricChange(first, second, None, "no interval")
