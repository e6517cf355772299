"""What a repair of captions did: names of ways and trials, what changed in each, and lines of text."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.findings.finding import Finding
from eyechart.probes.matching.trials import FIRST, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST
from eyechart.repair.captions.outcome import WHOLE, CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.words import points, sure

SAID = {
    AS_IS: "captions as they are",
    "orders": "the mean over orders of the things",
    "parts": "the mean over captions of one thing each",
    "both": "the mean over orders and over captions of one thing each",
}

# The paper's names say nothing by themselves; and charts have room for a few letters only.
_MEANT = {FIRST: "large replaced, named first", SECOND: "small replaced, order turned"}
_BRIEF = {
    LARGE_LAST: "large: named last",
    SMALL_FIRST: "small: large first",
    SMALL_LAST: "small: large last",
    "text → image, R@1, large named first": "… R@1, large first",
    "text → image, R@1, large named later": "… R@1, large later",
}


def titled(trial: str) -> str:
    """The name of a kind of trial with what it means."""
    return f"{trial} ({_MEANT[trial]})" if trial in _MEANT else trial


def brief(trial: str) -> str:
    """The same where there is little room; no two are alike."""
    return _BRIEF.get(trial, trial)


def shown_way(repaired: CaptionsRepaired) -> str:
    """The way whose changes are shown: the chosen one; where nothing was better than captions as they are, the next best."""
    return max(repaired.ways, key=lambda way: repaired.gains[way].value or 0.0) if repaired.chosen == AS_IS else repaired.chosen


@dataclass(frozen=True)
class Change:
    """One kind of trial: with captions as they are, with captions said anew, and the difference."""

    trial: str
    before: Finding
    after: Finding
    change: Finding

    @property
    def purpose(self) -> str:
        return self.before.metric

    @property
    def costs(self) -> bool:
        """Whether it is a loss that chance alone does not bring."""
        return (self.change.high or 0.0) < 0

    @property
    def gains(self) -> bool:
        """Whether it is a gain that chance alone does not bring."""
        return (self.change.low or 0.0) > 0


def changes(repaired: CaptionsRepaired, way: str) -> list[Change]:
    of = {(f.metric, f.slice["trial"], f.slice["captions"]): f for f in repaired.findings}
    found = []
    for (metric, trial, captions), change in of.items():
        if metric.endswith("_change") and captions == way:
            plain = metric.removesuffix("_change")
            found.append(Change(str(trial), of[plain, trial, AS_IS], of[plain, trial, way], change))
    return found


def rose_and_fell(found: Sequence[Change]) -> str:
    """Kinds of trials of whose change chance alone is no likely reason."""
    rose = [c.trial for c in found if c.gains and c.trial not in WHOLE.values()]
    fell = [c.trial for c in found if c.costs and c.trial not in WHOLE.values()]
    return f"Beyond their own 95% interval rose: {_listed(rose)}; fell: {_listed(fell)}."


def _listed(names: Sequence[str]) -> str:
    return " · ".join(names) or "none"


def caption_rows(repaired: CaptionsRepaired) -> list[list[str]]:
    """For the terminal."""
    return [
        [
            f"{c.purpose}: {titled(c.trial)}",
            f"{c.before.value:.1%}",
            f"{c.after.value:.1%}",
            points(c.change.value),
            sure(c.change).strip(" ()"),
            str(c.change.n),
        ]
        for c in changes(repaired, shown_way(repaired))
    ]
