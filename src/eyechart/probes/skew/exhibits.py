"""Charts of the probe `skew`: the most skewed queries, and accuracy by group."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import number, percent, points

READABLE = 30


def skew_exhibits(findings: Sequence[Finding]) -> list[Exhibit]:
    """For every attribute, the queries with the largest MaxSkew."""
    exhibits = []
    for name in dict.fromkeys(str(f.slice["attribute"]) for f in findings if f.metric == "max_skew"):
        of_attribute = [f for f in findings if f.metric == "max_skew" and f.slice["attribute"] == name]
        mine = sorted(of_attribute, key=lambda f: -(f.value or 0.0))[:READABLE]
        first = mine[0]
        sentence = (
            f"Among the first results for “{first.slice['query']}”, one {name} is "
            f"{number(float(np.exp(first.value or 0.0)))} times as"
            " frequent as expected; 0 means even."
        )
        chart = charts.dots_with_intervals(
            category="query",
            value="max skew",
            low="low",
            high="high",
            category_title="",
            value_title="MaxSkew@k",
            unit="number",
            zero=True,
        )
        table = _table("query", "max skew", [str(f.slice["query"]) for f in mine], mine)
        exhibits.append(Exhibit(f"skew-{name}", f"MaxSkew@k by query: {name}", sentence, table, chart=chart))
    return exhibits


def accuracy_exhibit(findings: Sequence[Finding]) -> list[Exhibit]:
    """Accuracy of every group, the lowest first; none where pictures have no labels."""
    groups = sorted((f for f in findings if f.metric == "group_accuracy"), key=lambda f: f.value or 0.0)[:READABLE]
    if not groups:
        return []
    worst, gap = (next(f for f in findings if f.metric == m) for m in ("worst_group_accuracy", "worst_group_gap"))
    who = f"{worst.slice['attribute']}: {worst.slice['group']}"
    sentence = (
        f"Accuracy is {percent(worst.value)} for {who}, {points(abs(gap.value or 0.0))} "
        f"{'below' if (gap.value or 0.0) < 0 else 'above'} all others."
    )
    chart = charts.dots_with_intervals(
        category="group", value="accuracy", low="low", high="high", category_title="", value_title="top-1 accuracy"
    )
    table = _table("group", "accuracy", [f"{f.slice['attribute']}: {f.slice['group']}" for f in groups], groups)
    return [Exhibit("group-accuracy", "Accuracy by group", sentence, table, chart=chart)]


def _table(category: str, value: str, names: list[str], findings: Sequence[Finding]) -> pa.Table:
    return pa.table(
        {
            category: names,
            value: [f.value for f in findings],
            "low": [f.low for f in findings],
            "high": [f.high for f in findings],
            "pictures": [f.n for f in findings],
        }
    )
