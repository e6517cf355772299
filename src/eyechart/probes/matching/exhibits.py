"""What matching has to show: every kind of trial beside guessing, and pictures whose answer turns with the order of names."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.matching.trials import CONTROLLED, FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST, MatchTrials

# Short enough for a chart, and what they mean for a reader who knows no paper.
_TITLES = {
    FIRST: "large swapped, first",
    SECOND: "scenario 2 (mixed)",
    LARGE_LAST: "large swapped, last",
    SMALL_FIRST: "small swapped, first",
    SMALL_LAST: "small swapped, last",
}
_MEANS = {
    FIRST: "scenario 1 of the paper: the large thing is named first, and the wrong caption has an absent one in its place",
    SECOND: "scenario 2 of the paper: the large thing is named last; the wrong caption names it first, with an absent one for a "
    "small one",
    LARGE_LAST: "as scenario 1, but the large thing is named last",
    SMALL_FIRST: "an absent thing for a small one, the large one named first",
    SMALL_LAST: "the same absent thing for the same small one, the large one named last",
}


def kinds_exhibit(findings: Sequence[Finding]) -> Exhibit:
    shown = [f for f in findings if f.metric == "trial_accuracy" and set(f.slice) <= {"trial", "scenario", "captions"}]
    rows = [
        {
            "trial": _title(f),
            "captions": str(f.slice.get("captions", "made")),
            "share": f.value,
            "low": f.low,
            "high": f.high,
            "n": f.n,
        }
        for f in shown
    ]
    several = len({row["captions"] for row in rows}) > 1
    best, worst = max(shown, key=lambda f: f.value or 0.0), min(shown, key=lambda f: f.value or 0.0)
    sentence = (
        f"The right caption wins in {best.value:.1%} of trials of “{_title(best)}”{_whose(best)} and in {worst.value:.1%} of "
        f"“{_title(worst)}”{_whose(worst)}; guessing would win half."
    )
    if any("trial" in f.slice for f in shown):
        sentence += (
            " Swapped is the thing that has an absent one in its place in the wrong caption; first and last say where the large "
            "thing is named."
        )
    chart = charts.dots_with_intervals(
        category="trial",
        value="share",
        low="low",
        high="high",
        color="captions" if several else None,
        category_title="",
        value_title="right caption wins",
        reference=0.5,
    )
    return Exhibit("trials", "Right against wrong captions", sentence, pa.Table.from_pylist(rows), chart=chart)


def kinds_explained(trials: MatchTrials, ids: Sequence[str]) -> Exhibit:
    """What every kind of trial is, by the captions of one picture: of three things where there is one, since captions of two look
    alike and those of more are long."""
    t = int(np.abs(trials.counts - 3).argmin())
    rows = [
        {
            "trial": _TITLES[kind],
            "trial_accuracy": trials.right[kind][t],
            "wrong": trials.wrong[kind][t],
            "what it is": _MEANS[kind],
        }
        for kind in KINDS
    ]
    sentence = (
        f"By the captions of {ids[int(trials.rows[t])]}; others are made likewise. Scenarios 1 and 2 are the paper's: the second "
        "changes what is replaced and the order at once, so a fall from one to the other is no effect of order alone."
    )
    return Exhibit("trials-explained", "What the trials are", sentence, pa.Table.from_pylist(rows), "table")


def _title(finding: Finding) -> str:
    said = str(finding.slice.get("trial") or finding.slice.get("scenario"))
    return _TITLES.get(said, said) if "trial" in finding.slice else said


def _whose(finding: Finding) -> str:
    return f" in {finding.slice['captions']} captions" if "captions" in finding.slice else ""


def flips_exhibit(
    trials: MatchTrials, right: dict[str, Flags], ids: Sequence[str], shown: int, *, rewritten: bool = False
) -> list[Exhibit]:
    """Pictures, one trial each, that are right where the large thing is named first and wrong where it is named last, or the
    other way round: the same thing is replaced by the same other one."""
    rows: list[dict[str, object]] = []
    for large_first, large_last in CONTROLLED.values():
        turned = np.flatnonzero(right[large_first] != right[large_last])
        seen: set[int] = set()
        for t in turned:
            if len(seen) == shown // 2:
                break
            picture = int(trials.rows[t])
            if picture not in seen:
                seen.add(picture)
                kinds = (large_first, large_last) if right[large_first][t] else (large_last, large_first)
                rows.append(
                    {
                        "id": ids[picture],
                        "told apart": f"{trials.right[kinds[0]][t]} | {trials.wrong[kinds[0]][t]}",
                        "not told apart": f"{trials.right[kinds[1]][t]} | {trials.wrong[kinds[1]][t]}",
                    }
                )
    if not rows:
        return []
    sentence = "Right caption | wrong caption: the same words in another order, and the model's answer turns."
    title = "Answers that turn with the order of names"
    name, title = ("flips-rewritten", f"{title}, in rewritten captions") if rewritten else ("flips", title)
    return [Exhibit(name, title, sentence, pa.Table.from_pylist(rows), "pictures")]
