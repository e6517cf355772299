"""What factors have to show: accuracy and errors by factor, paired drops, the worst conjunctions, mistakes under the worst."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import wilson
from eyechart.notice import counted
from eyechart.probes.factors.conjunctions import Conjunction
from eyechart.probes.tasks.factor_columns import FactorColumns

READABLE = 40  # rows in one chart
MISTAKES = 12  # shown of the worst factor
SURE = 0.05

Under = dict[str, str]


def factor_exhibits(by_factor: Sequence[Finding], average: float, worst_gap: Finding, under: Under) -> list[Exhibit]:
    accuracy = sorted((f for f in by_factor if f.metric == "factor_accuracy"), key=lambda f: f.value or 0.0)
    ratios = sorted((f for f in by_factor if f.metric == "error_ratio" and f.value is not None), key=lambda f: -(f.value or 0.0))
    name, lowest = accuracy[0].slice["factor"], accuracy[0].value or 0.0
    sure = worst_gap.high is not None and worst_gap.high < 0
    seen = (
        f"Accuracy falls from {average:.1%} on all annotated pictures (the line) to {lowest:.1%} where {name} is marked."
        if sure
        else f"No factor is told apart from the average of {average:.1%} (the line); the lowest is {name}, at {lowest:.1%}."
    )
    shown = [
        Exhibit(
            f"factors-{under['prompts']}",
            "Accuracy by factor",
            seen,
            _table("factor", accuracy, "accuracy"),
            chart=charts.dots_with_intervals(category="factor", value="accuracy", low="low", high="high", reference=average),
            slice=under,
        )
    ]
    if ratios:
        first = ratios[0]
        shown.append(
            Exhibit(
                f"error-ratios-{under['prompts']}",
                "Errors by factor, against the average",
                f"Where {first.slice['factor']} is marked, there are {first.value:.2f} times as many errors as on average.",
                _table("factor", ratios, "error ratio"),
                chart=charts.dots_with_intervals(
                    category="factor", value="error ratio", low="low", high="high", unit="ratio", reference=1.0
                ),
                slice=under,
            )
        )
    return shown


def paired_exhibit(drops: Sequence[Finding], under: Under) -> list[Exhibit]:
    if not drops:
        return []
    rows = sorted(drops, key=lambda f: -(f.value or 0.0))
    sure = [f for f in rows if f.low is not None and f.low > 0]
    first = rows[0]
    many = f"{counted(len(sure), 'factor')} of {len(rows)} cost accuracy beyond chance"
    return [
        Exhibit(
            f"paired-drops-{under['prompts']}",
            "What each factor costs on the same scenes",
            f"{many}; {first.slice['factor']} costs most, {100 * (first.value or 0.0):.1f} points.",
            _table("factor", rows, "drop"),
            chart=charts.dots_with_intervals(
                category="factor", value="drop", low="low", high="high", value_title="accuracy without − with", reference=0.0
            ),
            slice=under,
        )
    ]


def conjunction_exhibit(found: Sequence[Conjunction], right: Flags, average: float, under: Under) -> list[Exhibit]:
    """The worst conjunctions, each with the accuracy of its two parts, so that a bad pair is told from a bad part."""
    if not found:
        return []
    rows = sorted(found[:READABLE], key=lambda pair: float(right[pair.members].mean()))
    n = np.array([int(pair.members.sum()) for pair in rows])
    hits = np.array([int(right[pair.members].sum()) for pair in rows])
    low, high = wilson(hits, n)
    table = pa.table(
        {
            "conjunction": [pair.title for pair in rows],
            "accuracy": hits / n,
            "low": low,
            "high": high,
            "first alone": [float(right[pair.first.members].mean()) for pair in rows],
            "second alone": [float(right[pair.second.members].mean()) for pair in rows],
            "p": [pair.p for pair in rows],
            "pictures": n,
        }
    )
    sure = sum(pair.p < SURE for pair in found)
    worst = found[0]
    share = float(right[worst.members].mean())
    seen = (
        f"{sure} of {counted(len(found), 'conjunction')} are worse than chance allows; surest is {worst.title}, at {share:.1%}."
        if sure
        else f"None of {len(found)} conjunctions is worse than chance allows; the lowest line is of little weight."
    )
    return [
        Exhibit(
            f"conjunctions-{under['prompts']}",
            "The worst conjunctions of two conditions",
            seen,
            table,
            chart=charts.dots_with_intervals(category="conjunction", value="accuracy", low="low", high="high", reference=average),
            slice=under,
        )
    ]


@dataclass(frozen=True)
class ShownMistakes:
    """What is said of each picture that a gallery may show."""

    ids: list[str]
    truth: Indices
    predicted: Indices


def mistakes_exhibit(
    name: str, factors: FactorColumns, right: Flags, pictures: ShownMistakes, titles: Sequence[str], under: Under
) -> list[Exhibit]:
    """Pictures that the worst factor marks and that the model gets wrong."""
    inside = factors.marks[:, factors.names.index(name)]
    wrong = np.flatnonzero(inside & ~right)
    if not len(wrong):
        return []
    table = pa.table(
        {
            "id": [pictures.ids[row] for row in wrong[:MISTAKES]],
            "class": [titles[pictures.truth[row]] for row in wrong[:MISTAKES]],
            "taken for": [titles[pictures.predicted[row]] for row in wrong[:MISTAKES]],
        }
    )
    seen = f"{len(wrong):,} of {int(inside.sum()):,} pictures where {name} is marked are taken for something else."
    return [Exhibit(f"mistakes-{under['prompts']}", f"Mistakes where {name} is marked", seen, table, "pictures", slice=under)]


def _table(category: str, rows: Sequence[Finding], value: str) -> pa.Table:
    return pa.table(
        {
            category: [str(f.slice[category]) for f in rows],
            value: pa.array([f.value for f in rows], pa.float64()),
            "low": pa.array([f.low for f in rows], pa.float64()),
            "high": pa.array([f.high for f in rows], pa.float64()),
            "pictures": [f.n for f in rows],
        }
    )
