"""Exhibits of the probe `answers`: conversations with their pictures, class accuracies, and who is right."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.answers.metrics import WAYS

CONVERSATIONS = 24  # shown, errors first
READABLE = 40  # classes in one chart


def conversation_exhibit(way: str, rows: Sequence[dict[str, Any]]) -> Exhibit:
    """Questions, replies and what they were read as, with the tower's answer beside; errors first."""
    wrong = [row for row in rows if row["right"] != "yes"]
    shown = [*wrong, *(row for row in rows if row["right"] == "yes")][:CONVERSATIONS]
    sentence = f"{len(wrong):,} of {len(rows):,} replies are wrong or undecided; they come first."
    return Exhibit(f"conversations-{way}", f"Conversations: {WAYS[way]}", sentence, pa.Table.from_pylist(list(shown)), "pictures")


def class_exhibit(way: str, accuracies: Sequence[Finding]) -> Exhibit:
    """Accuracy of every class, weakest first."""
    order = sorted(accuracies, key=lambda f: (f.value or 0.0, -f.n))[:READABLE]
    table = pa.table(
        {
            "class": [str(f.slice["class"]) for f in order],
            "accuracy": [f.value for f in order],
            "low": [f.low for f in order],
            "high": [f.high for f in order],
            "pictures": [f.n for f in order],
        }
    )
    first = order[0]
    sentence = f"The weakest class is {first.slice['class']}, at {percent(first.value or 0.0)}."
    title = f"Accuracy of {WAYS[way]} by class" if len(accuracies) <= READABLE else f"The {READABLE} weakest classes: {WAYS[way]}"
    chart = charts.dots_with_intervals(category="class", value="accuracy", low="low", high="high", zero=True)
    return Exhibit(f"classes-{way}", title, sentence, table, chart=chart)


def gain_exhibit(way: str, gains: Sequence[Finding]) -> Exhibit:
    """Accuracy of the model − accuracy of the tower, overall and where either is weak."""
    table = pa.table(
        {
            "subset": [_title(f) for f in gains],
            "difference": [f.value for f in gains],
            "low": [f.low for f in gains],
            "high": [f.high for f in gains],
            "pictures": [f.n for f in gains],
        }
    )
    overall = gains[0].value or 0.0
    sentence = (
        f"Over all pictures, the accuracy of {WAYS[way]} is {100 * abs(overall):.1f} points "
        f"{'above' if overall >= 0 else 'below'} that of the {gains[0].baseline}. "
        "Hard classes were chosen on the other half of the pictures, by the tower or by the model (in brackets)."
    )
    chart = charts.dots_with_intervals(
        category="subset", value="difference", low="low", high="high", unit="points", reference=0.0,
        value_title=f"accuracy − accuracy of the {gains[0].baseline}",
    )  # fmt: skip
    return Exhibit(f"gain-{way}", f"Does language help? {WAYS[way].capitalize()} against the tower", sentence, table, chart=chart)


def _title(f: Finding) -> str:
    if not f.slice:
        return "all classes"
    kind = "classes" if "classes" in f.slice else "pictures"
    by = {"tower": "tower", "model": "model", "selector": "third model"}[str(f.slice["chosen_by"])]
    return f"{f.slice[kind]} {kind} ({by})"  # the difference first: charts cut long labels
