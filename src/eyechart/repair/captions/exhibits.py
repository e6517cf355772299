"""What a repair of captions did, to be looked at: what rose and fell, what was tried, and what is said now."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.notice import counted
from eyechart.repair.captions.outcome import CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS, wordings
from eyechart.repair.captions.words import SAID, Change, brief, changes, rose_and_fell, shown_way, titled


def change_exhibits(repaired: CaptionsRepaired) -> list[Exhibit]:
    """For each purpose: the share before and after, and the change with its interval."""
    found = changes(repaired, shown_way(repaired))
    titles = {"matching": "Right captions against wrong ones", "retrieval": "Captions and pictures that look for each other"}
    shown = []
    for purpose, title in titles.items():
        if of := [c for c in found if c.purpose == purpose]:
            shown += [_shares(purpose, title, of), _differences(purpose, title, of)]
    return shown


def _shares(purpose: str, title: str, found: Sequence[Change]) -> Exhibit:
    rows = [
        {"trial": brief(c.trial), "captions": f.slice["captions"], "share": f.value, "low": f.low, "high": f.high, "n": f.n}
        for c in found
        for f in (c.before, c.after)
    ]
    chart = charts.dots_with_intervals(
        category="trial", value="share", low="low", high="high", color="captions", category_title="", value_title="right"
    )
    sentence = "Before and after, on pictures that no choice was made on."
    return Exhibit(f"{purpose}-shares", title, sentence, pa.Table.from_pylist(rows), chart=chart)


def _differences(purpose: str, title: str, found: Sequence[Change]) -> Exhibit:
    rows = [
        {"trial": brief(c.trial), "change": c.change.value, "low": c.change.low, "high": c.change.high, "n": c.change.n}
        for c in found
    ]
    chart = charts.dots_with_intervals(
        category="trial", value="change", low="low", high="high", category_title="", value_title="after − before", reference=0.0
    )
    sentence = f"To the right of the line is a rise. {rose_and_fell(found)}"
    return Exhibit(f"{purpose}-changes", f"{title}: what changed", sentence, pa.Table.from_pylist(rows), chart=chart)


def tried_exhibits(repaired: CaptionsRepaired) -> list[Exhibit]:
    return [_tried(repaired), *_asked(repaired), _said(repaired)]


def _tried(repaired: CaptionsRepaired) -> Exhibit:
    """Every way at every purpose: also at those that it was not chosen for."""
    rows = [
        {"captions": SAID[way] + (" (taken)" if way == repaired.chosen else "")}
        | {
            f"{purpose}, {half} (n = {repaired.asked[purpose][number]:,})": of[way][number]
            for number, half in enumerate(("looked at", "held out"))
            for purpose, of in repaired.scores.items()
        }
        for way in (AS_IS, *repaired.ways)
    ]
    sentence = (
        f"Mean shares over the n trials of each purpose. Chosen for {' and '.join(repaired.purposes)}, by what was looked at"
        " alone: of ways that do as well as the best as far as chance allows to tell, the one that does best in all."
    )
    return Exhibit("tried", "What was tried", sentence, pa.Table.from_pylist(rows), "table")


def _asked(repaired: CaptionsRepaired) -> list[Exhibit]:
    rows = [{"trial": titled(kind), "right": right, "wrong": wrong} for kind, (right, wrong) in repaired.trials.items()]
    if not rows:
        return []
    sentence = (
        "Two captions of the first picture, of which the wrong one names a thing that is not there, in place of the largest thing"
        " or of a smaller one. Scenarios 1 and 2 are those of Abbasi et al. (2025); scenario 2 turns the order besides."
    )
    return [Exhibit("asked", "The trials of matching", sentence, pa.Table.from_pylist(rows), "table")]


def _said(repaired: CaptionsRepaired) -> Exhibit:
    way = shown_way(repaired)
    examples = [
        {"caption": one.caption, "said anew": " | ".join(text for of_mean in wordings(one, way) for text in of_mean)}
        for one in repaired.examples
    ]
    verb = "would be" if repaired.chosen == AS_IS else "is"
    sentence = f"The vector of a caption {verb} the mean over these ({counted(len(examples), 'example')})."
    return Exhibit("said", "What is said instead", sentence, pa.Table.from_pylist(examples), "table")
