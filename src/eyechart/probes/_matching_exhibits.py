"""What matching has to show: every kind of trial beside guessing, and pictures whose answer turns with the order of names."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes._match_trials import CONTROLLED, FIRST, LARGE_FIRST, Trials

Flags = npt.NDArray[np.bool_]


def kinds_exhibit(findings: Sequence[Finding]) -> Exhibit:
    shown = [f for f in findings if f.metric == "right" and set(f.slice) <= {"trial", "scenario", "captions"}]
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


def _title(finding: Finding) -> str:
    said = str(finding.slice.get("trial") or finding.slice.get("scenario"))
    return f"{FIRST} ({LARGE_FIRST})" if said == FIRST and "trial" in finding.slice else said


def _whose(finding: Finding) -> str:
    return f" in {finding.slice['captions']} captions" if "captions" in finding.slice else ""


def flips_exhibit(
    trials: Trials, right: dict[str, Flags], ids: Sequence[str], shown: int, *, rewritten: bool = False
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
