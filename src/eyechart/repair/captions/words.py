"""What a repair of captions did, in sentences and lines of text."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.findings.finding import Finding
from eyechart.probes._match_trials import FIRST, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST
from eyechart.repair.captions.outcome import WHOLE, CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.words import points, sure

SAID = {
    AS_IS: "captions as they are",
    "orders": "the mean over orders of the things",
    "parts": "the mean over captions of one thing each",
    "both": "the mean over orders and over captions of one thing each",
}

_SHORT = {"matching": "Right captions told from wrong ones", "retrieval": "Captions and pictures that find each other at once"}
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


def changes(repaired: CaptionsRepaired, way: str) -> list[Change]:
    of = {(f.metric, f.slice["trial"], f.slice["captions"]): f for f in repaired.findings}
    found = []
    for (metric, trial, captions), change in of.items():
        if metric.endswith("_change") and captions == way:
            plain = metric.removesuffix("_change")
            found.append(Change(str(trial), of[plain, trial, AS_IS], of[plain, trial, way], change))
    return found


def caption_sentences(repaired: CaptionsRepaired) -> list[str]:
    """What to do, what it costs, and what it brings in short, on held-out pictures."""
    way = shown_way(repaired)
    wholes = [c for c in changes(repaired, way) if c.trial == WHOLE[c.purpose]]
    said = _left(repaired, wholes) if repaired.chosen == AS_IS else _taken(repaired, wholes)
    for one in wholes:
        said.append(
            f"{_SHORT[one.purpose]}: {one.before.value:.1%}, with {SAID[way]} {one.after.value:.1%}: {points(one.change.value)}"
            f"{sure(one.change)}."
        )
    return said


def _taken(repaired: CaptionsRepaired, wholes: Sequence[Change]) -> list[str]:
    """A cost comes before anything else, and a way without it beside. One way alone was tried where it was asked for, and what
    was asked for is no advice."""
    way = SAID[repaired.chosen]
    asked_for = len(repaired.ways) == 1
    said = [f"Measured as asked for: {way}." if asked_for else f"Take {way}, chosen for {' and '.join(repaired.purposes)}."]
    if lost := [c for c in wholes if c.costs]:
        costs = " and ".join(f"{c.purpose} {points(c.change.value)}{sure(c.change)}" for c in lost)
        spared = " and ".join(c.purpose for c in wholes if not c.costs)
        gentle = [other for other in repaired.ways if other != repaired.chosen and _gains_alone(repaired, other)]
        instead = f", or take {SAID[gentle[0]]}, which also gains and costs nothing beyond chance" if gentle else ""
        advice = f"Use it for {spared} alone{instead}." if spared else "Leave captions as they are."
        said.insert(0, f"{way[0].upper()}{way[1:]} has a cost: {costs}. {advice}")
    return said


def _gains_alone(repaired: CaptionsRepaired, way: str) -> bool:
    wholes = [c for c in changes(repaired, way) if c.trial == WHOLE[c.purpose]]
    return any((c.change.low or 0) > 0 for c in wholes if c.purpose in repaired.purposes) and not any(c.costs for c in wholes)


def _left(repaired: CaptionsRepaired, wholes: Sequence[Change]) -> list[str]:
    """Nothing was taken; what is shown beside is what the next best way would have done."""
    way, purposes = shown_way(repaired), " and ".join(repaired.purposes)
    gain = repaired.gains[way]
    said = [
        f"Leave captions as they are: on the half that the choice was made on, the next best, {SAID[way]}, changed {purposes} by"
        f" {points(gain.value)}{sure(gain)}. What follows is what it would have changed on the other half."
    ]
    if any((c.change.low or 0) > 0 for c in wholes if c.purpose in repaired.purposes):
        said.append(
            "There it gains beyond chance. The halves disagree, so the gain is small or not there: more pictures would tell."
        )
    return said


def rose_and_fell(found: Sequence[Change]) -> str:
    """Kinds of trials of whose change chance alone is no likely reason."""
    rose = [c.trial for c in found if (c.change.low or 0) > 0 and c.trial not in WHOLE.values()]
    fell = [c.trial for c in found if (c.change.high or 0) < 0 and c.trial not in WHOLE.values()]
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
