"""Charts and tables of a caption repair: what changed, which ways were compared, and the encoded texts."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.numbers import format_value
from eyechart.notice import counted
from eyechart.repair.captions.changes import (
    WAY_TITLES,
    CaptionChange,
    changes,
    short_title,
    shown_way,
    significant_changes,
    trial_title,
)
from eyechart.repair.captions.repair import CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS, variants


def change_exhibits(repaired: CaptionsRepaired) -> list[Exhibit]:
    """For each purpose: the share before and after, and the change with its interval."""
    found = changes(repaired, shown_way(repaired))
    titles = {"matching": "Matching: true captions against false ones", "retrieval": "Retrieval: captions and pictures"}
    shown = []
    for purpose, title in titles.items():
        if mine := [c for c in found if c.purpose == purpose]:
            shown += [_shares(purpose, title, mine), _differences(purpose, title, mine)]
    return shown


def _shares(purpose: str, title: str, found: Sequence[CaptionChange]) -> Exhibit:
    rows = [
        {"trial": short_title(c.trial), "captions": f.slice["captions"], "share": f.value, "low": f.low, "high": f.high, "n": f.n}
        for c in found
        for f in (c.before, c.after)
    ]
    chart = charts.dots_with_intervals(
        category="trial", value="share", low="low", high="high", color="captions", category_title="", value_title="correct"
    )
    sentence = "Before and after, on held-out pictures."
    return Exhibit(f"{purpose}-shares", title, sentence, pa.Table.from_pylist(rows), chart=chart)


def _differences(purpose: str, title: str, found: Sequence[CaptionChange]) -> Exhibit:
    rows = [
        {"trial": short_title(c.trial), "change": c.change.value, "low": c.change.low, "high": c.change.high, "n": c.change.n}
        for c in found
    ]
    chart = charts.dots_with_intervals(
        category="trial",
        value="change",
        low="low",
        high="high",
        category_title="",
        value_title="after − before",
        unit="points",
        reference=0.0,
    )
    sentence = f"Values right of the line are increases. {significant_changes(found)}"
    return Exhibit(f"{purpose}-changes", f"{title}, changes", sentence, pa.Table.from_pylist(rows), chart=chart)


def comparison_exhibits(repaired: CaptionsRepaired) -> list[Exhibit]:
    """The scores of all ways, the kinds of trials, and examples of encoded texts."""
    return [_ways(repaired), *_trials(repaired), _examples(repaired)]


def _ways(repaired: CaptionsRepaired) -> Exhibit:
    rows = [
        {"captions": WAY_TITLES[way] + (" (chosen)" if way == repaired.chosen else "")}
        | {
            f"{purpose}, {half} (n = {repaired.trial_counts[purpose][number]:,})": format_value(scores[way][number], "fraction")
            for number, half in enumerate(("selection half", "held-out half"))
            for purpose, scores in repaired.scores.items()
        }
        for way in (AS_IS, *repaired.ways)
    ]
    sentence = (
        f"Mean share over the n trials of each purpose. The way was chosen for {' and '.join(repaired.purposes)} on the selection"
        " half alone: among the ways that are not significantly worse than the best, the one with the highest sum of all scores."
    )
    return Exhibit("ways", "Ways that were compared", sentence, pa.Table.from_pylist(rows), "table")


def _trials(repaired: CaptionsRepaired) -> list[Exhibit]:
    rows = [{"trial": trial_title(kind), "true": true, "false": false} for kind, (true, false) in repaired.trials.items()]
    if not rows:
        return []
    sentence = (
        "Two captions of the first picture. The false one names an absent object in place of the largest object or of a smaller"
        " one. Scenarios 1 and 2 are those of Abbasi et al. (2025); scenario 2 also reverses the order."
    )
    return [Exhibit("trials", "Matching trials", sentence, pa.Table.from_pylist(rows), "table")]


def _examples(repaired: CaptionsRepaired) -> Exhibit:
    way = shown_way(repaired)
    examples = [
        {"caption": one.caption, "encoded texts": " | ".join(text for texts in variants(one, way) for text in texts)}
        for one in repaired.examples
    ]
    verb = "would be" if repaired.chosen == AS_IS else "is"
    sentence = f"The vector of a caption {verb} the mean over these texts ({counted(len(examples), 'example')})."
    return Exhibit("texts", "Encoded texts", sentence, pa.Table.from_pylist(examples), "table")
