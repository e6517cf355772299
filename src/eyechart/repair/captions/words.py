"""What a repair of captions did, in sentences and lines of text."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.findings.finding import Finding
from eyechart.repair.captions.matching import TOGETHER
from eyechart.repair.captions.outcome import CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.words import points, sure

SAID = {
    AS_IS: "captions as they are",
    "orders": "the mean over orders of the things",
    "parts": "the mean over captions of one thing each",
    "both": "the mean over orders and over captions of one thing each",
}

_SHORT = {"matching": "Right captions told from wrong ones", "retrieval": "Captions that find their picture at once"}


def shown_way(repaired: CaptionsRepaired) -> str:
    """The way whose changes are shown: the chosen one; where nothing was better than captions as they are, the next best."""
    if repaired.chosen != AS_IS:
        return repaired.chosen
    return max((way for way in repaired.scores if way != AS_IS), key=lambda way: repaired.scores[way][0])


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


def changes(repaired: CaptionsRepaired, way: str) -> list[Change]:
    of = {(f.metric, f.slice["trial"], f.slice["captions"]): f for f in repaired.findings}
    found = []
    for (metric, trial, captions), change in of.items():
        if metric.endswith("_change") and captions == way:
            plain = metric.removesuffix("_change")
            found.append(Change(str(trial), of[plain, trial, AS_IS], of[plain, trial, way], change))
    return found


def caption_sentences(repaired: CaptionsRepaired) -> list[str]:
    """What to do, and what it brings in short, on held-out pictures."""
    way, purposes = shown_way(repaired), " and ".join(repaired.purposes)
    if repaired.chosen == AS_IS:
        said = [
            f"Leave captions as they are: on the half that was looked at, nothing else was better at {purposes} beyond chance."
        ]
    else:
        said = [f"Take {SAID[way]}, chosen for {purposes}."]
    found = changes(repaired, way)
    for purpose, what in _SHORT.items():
        for one in [c for c in found if c.purpose == purpose][:1]:
            said.append(
                f"{what}: {one.before.value:.1%}, with {SAID[way]} {one.after.value:.1%}: {points(one.change.value)}"
                f"{sure(one.change)}."
            )
    return said


def rose_and_fell(found: Sequence[Change]) -> str:
    """Kinds of trials of whose change chance alone is no likely reason."""
    rose = [c.trial for c in found if (c.change.low or 0) > 0 and c.trial != TOGETHER]
    fell = [c.trial for c in found if (c.change.high or 0) < 0 and c.trial != TOGETHER]
    return f"Beyond their own 95% interval rose: {_listed(rose)}; fell: {_listed(fell)}."


def _listed(names: Sequence[str]) -> str:
    return " · ".join(names) or "none"


def caption_rows(repaired: CaptionsRepaired) -> list[list[str]]:
    """For the terminal."""
    return [
        [
            f"{c.purpose}: {c.trial}",
            f"{c.before.value:.1%}",
            f"{c.after.value:.1%}",
            points(c.change.value),
            sure(c.change).strip(" ()"),
            str(c.change.n),
        ]
        for c in changes(repaired, shown_way(repaired))
    ]
