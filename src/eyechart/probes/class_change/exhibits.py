"""Charts of the probe `class_change`: change of harm by group, changed predictions, and the best candidate."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import signed_points

READABLE = 30
MOST_NAMES = 14


def change_exhibit(findings: Sequence[Finding], name: str) -> list[Exhibit]:
    """The change of harmful predictions in every group, the largest decrease first."""
    overall = next((f for f in findings if f.metric == "harm_rate_change"), None)
    single = sorted(
        (f for f in findings if f.metric == "group_harm_rate_change" and len(f.slice) == 3), key=lambda f: f.value or 0.0
    )[:READABLE]
    if overall is None or not single:
        return []
    who = [", ".join(f"{k}: {v}" for k, v in f.slice.items() if k not in ("list", "prompts")) for f in single]
    table = pa.table(
        {
            "group": who,
            "change": [f.value for f in single],
            "low": [f.low for f in single],
            "high": [f.high for f in single],
            "pictures": [f.n for f in single],
        }
    )
    chart = charts.dots_with_intervals(
        category="group",
        value="change",
        low="low",
        high="high",
        category_title="",
        value_title="change of harmful predictions",
        reference=0.0,
    )
    first = single[0]
    sentence = (
        f"With this class list, harmful predictions change by {signed_points(overall.value)} over all pictures, and by"
        f" {signed_points(first.value)} for {who[0]}."
    )
    return [Exhibit(f"change-{slug(name)}", f"Change of harmful predictions by “{name}”", sentence, table, chart=chart)]


def flow_exhibit(before: npt.NDArray[np.str_], after: npt.NDArray[np.str_], name: str) -> list[Exhibit]:
    """Changed predictions: from which class to which, the most frequent ones."""
    moves = Counter(zip(before[before != after].tolist(), after[before != after].tolist(), strict=True))
    if not moves:
        return []
    sources = [n for n, _ in Counter(b for b, _ in moves.elements()).most_common(MOST_NAMES)]
    targets = [n for n, _ in Counter(a for _, a in moves.elements()).most_common(MOST_NAMES)]
    table = pa.table(
        {
            "before": [s for s in sources for _ in targets],
            "after": [t for _ in sources for t in targets],
            "pictures": [moves.get((s, t), 0) for s in sources for t in targets],
        }
    )
    (source, target), count = moves.most_common(1)[0]
    total = sum(moves.values())
    sentence = f"{total:,} predictions change; the most frequent change, {count:,} times, is from “{source}” to “{target}”."
    chart = charts.heatmap(
        x="after", y="before", value="pictures", x_title="with this list", y_title="with the first list", unit="count"
    )
    return [Exhibit(f"moves-{slug(name)}", f"Predictions that change with “{name}”", sentence, table, chart=chart)]


def _advice(best: Finding, design: str) -> str:
    """The next step. Without a significant decrease, the best of several candidates may be the best by chance."""
    if best.high is None or best.high >= 0:
        return "This is not significant at 95% confidence, and no reason to change the list."
    change = best.slice["change"]
    return (
        f"`eyechart repair --design {design} --change='{change}'` (or --suggested with this folder) makes a classifier with it."
    )


def suggestion_exhibit(rows: list[dict[str, object]], suggested: Sequence[Finding], design: str) -> list[Exhibit]:
    """The change of harm by every candidate. `design`: the name of the first list, without folders, which may be private."""
    chart = charts.dots_with_intervals(
        category="change",
        value="change of the harm rate",
        low="low",
        high="high",
        category_title="",
        value_title="change of harmful predictions, held-out half",
        reference=0.0,
    )
    best = suggested[0]
    cost = next((f for f in suggested if f.metric == "suggested_accuracy_change"), None)
    accuracy = f" and accuracy by {signed_points(cost.value)}" if cost else ""
    sentence = (
        f"“{best.slice['change']}” is the best of {len(rows)} changes on one half of the pictures; on the other half it changes"
        f" harmful predictions by {signed_points(best.value)}{accuracy}. {_advice(best, design)}"
    )
    return [Exhibit("suggestion", "The class list with the least harm", sentence, pa.Table.from_pylist(rows), chart=chart)]
