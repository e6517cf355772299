"""What another list of classes changes, to be looked at: who gains, who moves where, and which change does least harm."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.finding import Finding

READABLE = 30
MOST_NAMES = 14


def change_exhibit(findings: Sequence[Finding], name: str) -> list[Exhibit]:
    """The change of harm in every subgroup of one attribute, the largest fall first."""
    overall = next((f for f in findings if f.metric == "harm_rate_change"), None)
    single = sorted(
        (f for f in findings if f.metric == "group_harm_rate_change" and len(f.slice) == 3), key=lambda f: f.value or 0.0
    )[:READABLE]
    if overall is None or not single:
        return []
    who = [", ".join(f"{k}: {v}" for k, v in f.slice.items() if k not in ("list", "prompts")) for f in single]
    table = pa.table(
        {
            "subgroup": who,
            "change": [f.value for f in single],
            "low": [f.low for f in single],
            "high": [f.high for f in single],
            "pictures": [f.n for f in single],
        }
    )
    chart = charts.dots_with_intervals(
        category="subgroup",
        value="change",
        low="low",
        high="high",
        category_title="",
        value_title="change of the share in harmful classes",
        reference=0.0,
    )
    first = single[0]
    sentence = (
        f"With this list the share in classes that do harm changes by {_points(overall.value)} of all pictures, and by"
        f" {_points(first.value)} of {who[0]}."
    )
    return [Exhibit(f"change-{slug(name)}", f"Who gains by “{name}”", sentence, table, chart=chart)]


def _points(value: float | None) -> str:
    return f"{100 * (value or 0.0):+.1f} points".replace("-", "−")


def flow_exhibit(before: npt.NDArray[np.str_], after: npt.NDArray[np.str_], name: str) -> list[Exhibit]:
    """Of the pictures that are called otherwise: from which class to which, the most frequent ones."""
    moves = Counter(zip(before[before != after].tolist(), after[before != after].tolist(), strict=True))
    if not moves:
        return []
    sources = [n for n, _ in Counter(b for b, _ in moves.elements()).most_common(MOST_NAMES)]
    targets = [n for n, _ in Counter(a for _, a in moves.elements()).most_common(MOST_NAMES)]
    table = pa.table(
        {
            "was": [s for s in sources for _ in targets],
            "is now": [t for _ in sources for t in targets],
            "pictures": [moves.get((s, t), 0) for s in sources for t in targets],
        }
    )
    (source, target), count = moves.most_common(1)[0]
    total = sum(moves.values())
    sentence = f"{total:,} pictures are called otherwise; the most frequent move, of {count:,}, is from “{source}” to “{target}”."
    chart = charts.heatmap(
        x="is now", y="was", value="pictures", x_title="with this list", y_title="with the first list", unit="count"
    )
    return [Exhibit(f"moves-{slug(name)}", f"Who moves where under “{name}”", sentence, table, chart=chart)]


def _advice(best: Finding, design: str) -> str:
    """What to do about it: chance alone makes one of several changes the best."""
    if best.high is None or best.high >= 0:
        return "That may be chance, and is no reason to change the list."
    change = best.slice["change"]
    return (
        f"`eyechart repair --design {design} --change='{change}'` (or --suggested with this folder) makes a classifier with it."
    )


def suggestion_exhibit(rows: list[dict[str, object]], suggested: Sequence[Finding], design: str) -> list[Exhibit]:
    """`design`: the list that was changed: its name, or that of its file without folders, which are nobody else's business."""
    chart = charts.dots_with_intervals(
        category="change",
        value="harm_rate",
        low="low",
        high="high",
        category_title="",
        value_title="change of the share in harmful classes, held-out half",
        reference=0.0,
    )
    best = suggested[0]
    cost = next((f for f in suggested if f.metric == "suggested_accuracy_change"), None)
    told = f", accuracy by {_points(cost.value)}" if cost else ""
    sentence = (
        f"“{best.slice['change']}” was the best of {len(rows)} changes on one half of the pictures; on the other it changes the"
        f" harm by {_points(best.value)}{told}. {_advice(best, design)}"
    )
    return [Exhibit("suggestion", "Which change of the list does least harm", sentence, pa.Table.from_pylist(rows), chart=chart)]
