"""Charts of the probe `matching`: accuracy by kind of trial, and pictures whose result changes with the order of names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.contract import ProbeInput
from eyechart.probes.matching.trials import CONTROLLED, FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST, MatchTrials
from eyechart.probes.tasks.missed_rows import missed_trials

# At most 20 characters, or a chart cuts them.
_TITLES = {
    FIRST: "large swapped, first",
    SECOND: "scenario 2 (mixed)",
    LARGE_LAST: "large swapped, last",
    SMALL_FIRST: "small swapped, first",
    SMALL_LAST: "small swapped, last",
}
_MEANINGS = {
    FIRST: "scenario 1 of the paper: the large object is named first; the false caption has an absent object instead of it",
    SECOND: "scenario 2 of the paper: the large object is named last; the false one names it first and replaces a small object",
    LARGE_LAST: "like scenario 1, but the large object is named last in both captions",
    SMALL_FIRST: "a small object is replaced; the large object is named first in both captions",
    SMALL_LAST: "the same small object is replaced; the large object is named last in both captions",
}


def missed_exhibits(inputs: ProbeInput[Any], trials: MatchTrials, correct: Mapping[str, Flags]) -> list[Exhibit]:
    """Trials with template captions in which the false caption is preferred: of both scenarios, and of every kind of trial."""
    found = []
    for metric, kinds in {"scenario_1": (FIRST,), "scenario_2": (SECOND,), "trial_accuracy": KINDS}.items():
        missed = [(kind, int(i)) for kind in kinds for i in np.flatnonzero(~correct[kind])]
        places = np.array([i for _, i in missed], np.int64)
        attributes = {"trial": [kind for kind, _ in missed], "objects": trials.counts[places].tolist()}
        true, wrong = ([side[kind][i] for kind, i in missed] for side in (trials.right, trials.wrong))
        found += missed_trials(inputs, metric, trials.rows[places], true, wrong, attributes)
    return found


def kinds_exhibit(findings: Sequence[Finding]) -> Exhibit:
    """The accuracy of every kind of trial."""
    shown = [f for f in findings if f.metric == "trial_accuracy" and set(f.slice) <= {"trial", "scenario", "captions"}]
    rows = [
        {
            "trial": _title(f),
            "captions": str(f.slice.get("captions", "template")),
            "accuracy": f.value,
            "low": f.low,
            "high": f.high,
            "n": f.n,
        }
        for f in shown
    ]
    several = len({row["captions"] for row in rows}) > 1
    best, worst = max(shown, key=lambda f: f.value or 0.0), min(shown, key=lambda f: f.value or 0.0)
    sentence = (
        f"The true caption is preferred in {percent(best.value)} of trials of “{_title(best)}”{_captions(best)} and in "
        f"{percent(worst.value)} of “{_title(worst)}”{_captions(worst)}; chance is 50% (the line)."
    )
    if any("trial" in f.slice for f in shown):
        sentence += " “Swapped” is the object replaced in the false caption, “first” or “last” the position of the large one."
    chart = charts.dots_with_intervals(
        category="trial",
        value="accuracy",
        low="low",
        high="high",
        color="captions" if several else None,
        category_title="",
        value_title="true caption preferred",
        reference=0.5,
    )
    return Exhibit("trials", "True against false captions", sentence, pa.Table.from_pylist(rows), chart=chart)


def kinds_explained(trials: MatchTrials, ids: Sequence[str]) -> Exhibit:
    """An example of every kind of trial: the captions of one picture, of three objects where possible."""
    t = int(np.abs(trials.counts - 3).argmin())
    rows = [
        {
            "trial": _TITLES[kind],
            "true caption": trials.right[kind][t],
            "false caption": trials.wrong[kind][t],
            "meaning": _MEANINGS[kind],
        }
        for kind in KINDS
    ]
    sentence = (
        f"The captions of {ids[int(trials.rows[t])]} as an example. Scenarios 1 and 2 are those of the paper. Scenario 2 changes "
        "both the replaced object and the order, so the drop from 1 to 2 is not an effect of order alone."
    )
    return Exhibit("trials-explained", "The kinds of trials", sentence, pa.Table.from_pylist(rows), "table")


def _title(finding: Finding) -> str:
    name = str(finding.slice.get("trial") or finding.slice.get("scenario"))
    return _TITLES.get(name, name) if "trial" in finding.slice else name


def _captions(finding: Finding) -> str:
    return f" with {finding.slice['captions']} captions" if "captions" in finding.slice else ""


def flips_exhibit(
    trials: MatchTrials, correct: dict[str, Flags], ids: Sequence[str], shown: int, *, rewritten: bool = False
) -> list[Exhibit]:
    """Pictures whose result changes where only the order of names changes, one trial each."""
    rows: list[dict[str, object]] = []
    for large_first, large_last in CONTROLLED.values():
        changed = np.flatnonzero(correct[large_first] != correct[large_last])
        seen: set[int] = set()
        for t in changed:
            if len(seen) == shown // 2:
                break
            picture = int(trials.rows[t])
            if picture not in seen:
                seen.add(picture)
                kinds = (large_first, large_last) if correct[large_first][t] else (large_last, large_first)
                rows.append(
                    {
                        "id": ids[picture],
                        "correct": f"{trials.right[kinds[0]][t]} | {trials.wrong[kinds[0]][t]}",
                        "incorrect": f"{trials.right[kinds[1]][t]} | {trials.wrong[kinds[1]][t]}",
                    }
                )
    if not rows:
        return []
    sentence = "True caption | false caption, the same words in two orders: the model prefers the true caption in one order only."
    title = "Results that change with the order of names"
    name, title = ("flips-rewritten", f"{title}, rewritten captions") if rewritten else ("flips", title)
    return [Exhibit(name, title, sentence, pa.Table.from_pylist(rows), "pictures")]
