"""What to do about captions, in sentences: a cost first, then whether to say them anew, and for what."""

from collections.abc import Sequence

from eyechart.repair.captions.outcome import WHOLE, CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.captions.words import SAID, Change, changes, shown_way
from eyechart.repair.words import points, sure

_SHORT = {"matching": "Right captions told from wrong ones", "retrieval": "Captions and pictures that find each other at once"}


def caption_sentences(repaired: CaptionsRepaired) -> list[str]:
    """What to do, what it costs, and what it brings in short, on held-out pictures."""
    way = shown_way(repaired)
    wholes = _wholes(repaired, way)
    said = _left(repaired, wholes) if repaired.chosen == AS_IS else _taken(repaired, wholes)
    for one in wholes:
        said.append(
            f"{_SHORT[one.purpose]}: {one.before.value:.1%}, with {SAID[way]} {one.after.value:.1%}: {points(one.change.value)}"
            f"{sure(one.change)}."
        )
    return said


def _wholes(repaired: CaptionsRepaired, way: str) -> list[Change]:
    return [c for c in changes(repaired, way) if c.trial == WHOLE[c.purpose]]


def _taken(repaired: CaptionsRepaired, wholes: Sequence[Change]) -> list[str]:
    """A cost comes before anything else, and a way without it beside. One way alone was tried where it was asked for, and what
    was asked for is no advice."""
    way = SAID[repaired.chosen]
    asked_for = len(repaired.ways) == 1
    said = [f"Measured as asked for: {way}." if asked_for else f"Take {way}, chosen for {' and '.join(repaired.purposes)}."]
    gained = [c for c in wholes if c.gains]
    if any(c.costs for c in wholes):
        gentle = [other for other in repaired.ways if other != repaired.chosen and _gains_alone(repaired, other)]
        instead = f", or take {SAID[gentle[0]]}, which also gains and costs nothing beyond chance" if gentle else ""
        advice = f"Use it for {_purposes(gained)} alone{instead}." if gained else "Leave captions as they are."
        said.insert(0, f"{_cost(repaired, wholes)} {advice}")
    elif not gained:
        said.insert(0, "Nothing was shown to improve on held-out pictures: captions as they are do as well.")
    return said


def _gains_alone(repaired: CaptionsRepaired, way: str) -> bool:
    wholes = _wholes(repaired, way)
    return any(c.gains for c in wholes if c.purpose in repaired.purposes) and not any(c.costs for c in wholes)


def _cost(repaired: CaptionsRepaired, wholes: Sequence[Change]) -> str:
    """Both sides of the bargain with their figures, and what is known of the sum, which is weighed on the half looked at."""
    way, lost, gained = shown_way(repaired), [c for c in wholes if c.costs], [c for c in wholes if c.gains]
    said = f"{SAID[way][0].upper()}{SAID[way][1:]} has a cost: {_figures(lost)}"
    if not gained:
        return f"{said}."
    better = all(c.purpose in repaired.purposes for c in wholes) and (repaired.gains[way].low or 0.0) > 0
    in_sum = "In sum it is better on the half that the choice was made on." if better else "In sum it is not shown to be better."
    return f"{said}. It gains {_figures(gained)}. {in_sum}"


def _figures(found: Sequence[Change]) -> str:
    return " and ".join(f"{c.purpose} {points(c.change.value)}{sure(c.change)}" for c in found)


def _purposes(found: Sequence[Change]) -> str:
    return " and ".join(c.purpose for c in found)


def _left(repaired: CaptionsRepaired, wholes: Sequence[Change]) -> list[str]:
    """Nothing was taken; what is shown beside is what the next best way would have done."""
    way, purposes = shown_way(repaired), " and ".join(repaired.purposes)
    lost, gained = [c for c in wholes if c.costs], [c for c in wholes if c.gains]
    gain = repaired.gains[way]
    together = " together" if len(repaired.purposes) > 1 else ""
    where = f" where {_purposes(lost)} counts" if lost and gained else ""
    said = [_cost(repaired, wholes)] if lost else []
    said.append(
        f"Leave captions as they are{where}: on the half that the choice was made on, the next best, {SAID[way]}, changed"
        f" {purposes}{together} by {points(gain.value)}{sure(gain)}. What follows is what it would have changed on the other"
        " half."
    )
    return said + [_both_halves(repaired, one) for one in gained if one.purpose in repaired.purposes]


def _both_halves(repaired: CaptionsRepaired, gained: Change) -> str:
    """A gain beyond chance on held-out pictures that was not taken: because the half looked at has none, too little of it, or
    a loss at the other purpose."""
    purpose, of = gained.purpose, repaired.scores[gained.purpose]
    looked = of[shown_way(repaired)][0] - of[AS_IS][0]
    if looked <= 0:
        return (
            f"There it gains at {purpose} beyond chance. The halves disagree, so the gain is small or not there: more pictures"
            " would tell."
        )
    both = f"Both halves gain at {purpose} ({points(looked)} and {points(gained.change.value)})"
    if len(repaired.purposes) == 1:
        return f"{both}, but the one that the choice was made on by no more than chance may bring: more pictures would tell."
    return f"{both}: where {purpose} alone counts, choose for it with --purpose {purpose}."
