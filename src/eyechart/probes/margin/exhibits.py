"""Charts of the probe `margin`: which signal ranks the classes best, and margin against accuracy."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import number, percent
from eyechart.notice import counted
from eyechart.prompts.prompt_set import PromptSet


def signals_exhibit(ranks: Sequence[Finding], reference: PromptSet, under: dict[str, str]) -> Exhibit:
    """The rank correlation of each signal with accuracy, for true labels and for pseudo-labels of the reference prompt set."""
    shown = [f for f in ranks if f.value is not None]
    unlabeled = [f for f in shown if f.slice["labels"] == "pseudo"]
    best = max(unlabeled or shown, key=lambda f: f.value or 0.0)
    table = pa.table(
        {
            "signal": [str(f.slice["signal"]) for f in shown],
            "labels": [str(f.slice["labels"]) for f in shown],
            "correlation": [f.value for f in shown],
            "low": [f.low for f in shown],
            "high": [f.high for f in shown],
        }
    )
    return Exhibit(
        f"signals-{under['prompts']}",
        "Rank correlation of each signal with class accuracy",
        f"Without labels, {best.slice['signal']} ranks the classes best: rank correlation {number(best.value)}. "
        "Pseudo-labels come "
        f"from {reference.name}, {counted(len(reference), 'prompt')} for each class.",
        table,
        chart=charts.dots_with_intervals(
            category="signal",
            value="correlation",
            low="low",
            high="high",
            color="labels",
            value_title="rank correlation with accuracy",
            unit="",
            zero=True,
        ),
        slice=under,
    )


def classes_exhibit(
    titles: Sequence[str], accuracies: Doubles, margins: Mapping[str, Doubles], lowest: Sequence[int], under: dict[str, str]
) -> Exhibit:
    """A dot for every class. `lowest`: the classes with the lowest margin by pseudo-labels."""
    table = pa.table(
        {
            "class": [t for _ in margins for t in titles],
            "labels": [kind for kind in margins for _ in titles],
            "margin": np.concatenate(list(margins.values())),
            "accuracy": np.concatenate([accuracies] * len(margins)),
        }
    )
    named = ", ".join(f"{titles[c]} ({percent(accuracies[c])})" for c in lowest[:5])
    return Exhibit(
        f"margin-and-accuracy-{under['prompts']}",
        "Margin and accuracy of every class",
        f"The classes with the lowest margins without labels, and their accuracy: {named}.",
        table,
        chart=charts.scatter(x="margin", y="accuracy", color="labels", label="class", x_title="mean margin (cosine)", x_unit=""),
        slice=under,
    )
