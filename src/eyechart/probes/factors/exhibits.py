"""Charts of the probe `factors`: accuracy and error ratio by factor, paired drops, the worst combinations, and errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import number, percent, points
from eyechart.notice import counted
from eyechart.probes.factors.conjunctions import Conjunction
from eyechart.probes.tasks.factor_columns import FactorColumns

READABLE = 40  # rows in one chart
ERRORS = 12  # shown for the worst factor
ALPHA = 0.05

Under = dict[str, str]


def factor_exhibits(by_factor: Sequence[Finding], average: float, worst_gap: Finding, under: Under) -> list[Exhibit]:
    """Accuracy and error ratio by factor."""
    accuracy = sorted((f for f in by_factor if f.metric == "factor_accuracy"), key=lambda f: f.value or 0.0)
    ratios = sorted((f for f in by_factor if f.metric == "error_ratio" and f.value is not None), key=lambda f: -(f.value or 0.0))
    name, lowest = accuracy[0].slice["factor"], accuracy[0].value or 0.0
    significant = worst_gap.high is not None and worst_gap.high < 0
    sentence = (
        f"Accuracy is {percent(average)} on all annotated pictures (the line) and {percent(lowest)} where {name} is marked."
        if significant
        else f"No factor is below the average of {percent(average)} (the line) at 95% confidence; the lowest is "
        f"{name}, {percent(lowest)}."
    )
    shown = [
        Exhibit(
            f"factors-{'-'.join(under.values())}",
            "Accuracy by factor",
            sentence,
            _table("factor", accuracy, "accuracy"),
            chart=charts.dots_with_intervals(category="factor", value="accuracy", low="low", high="high", reference=average),
            slice=under,
        )
    ]
    if ratios:
        first = ratios[0]
        shown.append(
            Exhibit(
                f"error-ratios-{'-'.join(under.values())}",
                "Error rate by factor, relative to all pictures",
                f"Where {first.slice['factor']} is marked, the error rate is {number(first.value)} times that of all pictures.",
                _table("factor", ratios, "error ratio"),
                chart=charts.dots_with_intervals(
                    category="factor", value="error ratio", low="low", high="high", unit="ratio", reference=1.0
                ),
                slice=under,
            )
        )
    return shown


def paired_exhibit(drops: Sequence[Finding], under: Under) -> list[Exhibit]:
    """The accuracy drop of each factor on the same scenes."""
    if not drops:
        return []
    rows = sorted(drops, key=lambda f: -(f.value or 0.0))
    significant = [f for f in rows if f.low is not None and f.low > 0]
    first = rows[0]
    return [
        Exhibit(
            f"paired-drops-{'-'.join(under.values())}",
            "Accuracy drop by factor on the same scenes",
            f"{counted(len(significant), 'factor')} of {len(rows)} cost accuracy at 95% confidence; "
            f"{first.slice['factor']} costs most, {points(first.value or 0.0)}.",
            _table("factor", rows, "drop"),
            chart=charts.dots_with_intervals(
                category="factor", value="drop", low="low", high="high", value_title="accuracy without − with", reference=0.0
            ),
            slice=under,
        )
    ]


def conjunction_exhibit(
    found: Sequence[Conjunction], accuracies: Sequence[Finding], correct: Flags, average: float, under: Under
) -> list[Exhibit]:
    """The worst combinations, each with the accuracy of its two conditions alone.

    Args:
        found: The combinations, the lowest p first.
        accuracies: The accuracy of each combination that is reported, in the same order.
        correct: Which predictions are correct.
        average: The accuracy on all annotated pictures.
        under: The slice.
    """
    if not found:
        return []
    shown = sorted(zip(found, accuracies, strict=False), key=lambda pair: pair[1].value or 0.0)[:READABLE]
    rows, shares = [pair for pair, _ in shown], [share for _, share in shown]
    table = pa.table(
        {
            "combination": [pair.title for pair in rows],
            "accuracy": [share.value for share in shares],
            "low": [share.low for share in shares],
            "high": [share.high for share in shares],
            "first alone": [float(correct[pair.first.members].mean()) for pair in rows],
            "second alone": [float(correct[pair.second.members].mean()) for pair in rows],
            "p": [pair.p for pair in rows],
            "pictures": [share.n for share in shares],
        }
    )
    significant = sum(pair.p < ALPHA for pair in found)
    worst = found[0]
    share = float(correct[worst.members].mean())
    sentence = (
        f"{significant} of {counted(len(found), 'combination')} are below the average at a corrected p < {ALPHA}; "
        f"the lowest p is that of {worst.title}, at {percent(share)}."
        if significant
        else f"None of {counted(len(found), 'combination')} is below the average at a corrected p < {ALPHA}."
    )
    return [
        Exhibit(
            f"conjunctions-{'-'.join(under.values())}",
            "The worst combinations of two conditions",
            sentence,
            table,
            chart=charts.dots_with_intervals(category="combination", value="accuracy", low="low", high="high", reference=average),
            slice=under,
        )
    ]


@dataclass(frozen=True)
class PredictedPictures:
    """The predictions for all annotated pictures.

    ids: The pictures.
    truth: The true class.
    predicted: The predicted class.
    """

    ids: list[str]
    truth: Indices
    predicted: Indices


def errors_exhibit(
    name: str, factors: FactorColumns, correct: Flags, predictions: PredictedPictures, titles: Sequence[str], under: Under
) -> list[Exhibit]:
    """Misclassified pictures where the worst factor is marked."""
    inside = factors.marks[:, factors.names.index(name)]
    wrong = np.flatnonzero(inside & ~correct)
    if not len(wrong):
        return []
    table = pa.table(
        {
            "id": [predictions.ids[row] for row in wrong[:ERRORS]],
            "class": [titles[predictions.truth[row]] for row in wrong[:ERRORS]],
            "predicted as": [titles[predictions.predicted[row]] for row in wrong[:ERRORS]],
        }
    )
    sentence = f"{len(wrong):,} of {int(inside.sum()):,} pictures where {name} is marked are misclassified."
    which = "-".join(under.values())
    return [Exhibit(f"errors-{which}", f"Errors where {name} is marked", sentence, table, "pictures", slice=under)]


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
