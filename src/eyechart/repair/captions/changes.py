"""What a caption repair changed: titles of ways and trials, the paired changes, and rows of the terminal's table."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.findings.finding import Finding
from eyechart.probes.matching.trials import FIRST, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST
from eyechart.repair.captions.metrics import CAPTION_METRICS, OF_PURPOSE
from eyechart.repair.captions.repair import OVERALL, CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.metrics import CHANGE, interval_text, is_better, is_worse, value_text

WAY_TITLES = {
    AS_IS: "the original captions",
    "orders": "the mean over orders of the objects",
    "parts": "the mean over single-object captions",
    "both": "the mean over orders and over single-object captions",
}

# The paper's names need an explanation, and charts have little room.
_EXPLAINED = {FIRST: "large object replaced, named first", SECOND: "small object replaced, order reversed"}
_SHORT = {
    LARGE_LAST: "large: named last",
    SMALL_FIRST: "small: large first",
    SMALL_LAST: "small: large last",
    "text → image, R@1, large named first": "… R@1, large first",
    "text → image, R@1, large named later": "… R@1, large later",
}
_PURPOSE_OF = {metric: purpose for purpose, metric in OF_PURPOSE.items()}


def trial_title(trial: str) -> str:
    """The name of a kind of trial with an explanation."""
    return f"{trial} ({_EXPLAINED[trial]})" if trial in _EXPLAINED else trial


def short_title(trial: str) -> str:
    """The name of a kind of trial for a chart; each is distinct."""
    return _SHORT.get(trial, trial)


def shown_way(repaired: CaptionsRepaired) -> str:
    """The way that is reported: the chosen one, or the best other one where the original captions are kept."""
    return max(repaired.ways, key=lambda way: repaired.gains[way].value or 0.0) if repaired.chosen == AS_IS else repaired.chosen


@dataclass(frozen=True)
class CaptionChange:
    """One kind of trial.

    trial: Its name.
    before: With the original captions.
    after: With the reported way.
    change: The paired difference.
    """

    trial: str
    before: Finding
    after: Finding
    change: Finding

    @property
    def purpose(self) -> str:
        return _PURPOSE_OF[self.before.metric]

    @property
    def is_loss(self) -> bool:
        """Whether it is a significant loss."""
        return is_worse(self.change, CAPTION_METRICS)

    @property
    def is_gain(self) -> bool:
        """Whether it is a significant gain."""
        return is_better(self.change, CAPTION_METRICS)


def changes(repaired: CaptionsRepaired, way: str) -> list[CaptionChange]:
    """The changes of all kinds of trials with one way."""
    known = {(f.metric, f.slice["trial"], f.slice["captions"]): f for f in repaired.findings}
    found = []
    for (metric, trial, captions), change in known.items():
        if metric.endswith(CHANGE) and captions == way:
            plain = metric.removesuffix(CHANGE)
            found.append(CaptionChange(str(trial), known[plain, trial, AS_IS], known[plain, trial, way], change))
    return found


def significant_changes(found: Sequence[CaptionChange]) -> str:
    """The kinds of trials with a significant change."""
    better = [c.trial for c in found if c.is_gain and c.trial not in OVERALL.values()]
    worse = [c.trial for c in found if c.is_loss and c.trial not in OVERALL.values()]
    return f"Significant changes: better: {_listed(better)}; worse: {_listed(worse)}."


def _listed(names: Sequence[str]) -> str:
    return " · ".join(names) or "none"


def caption_rows(repaired: CaptionsRepaired) -> list[list[str]]:
    """For the terminal."""
    return [
        [
            f"{c.purpose}: {trial_title(c.trial)}",
            value_text(c.before, CAPTION_METRICS),
            value_text(c.after, CAPTION_METRICS),
            value_text(c.change, CAPTION_METRICS),
            interval_text(c.change, CAPTION_METRICS),
            f"{c.change.n:,}",
        ]
        for c in changes(repaired, shown_way(repaired))
    ]
