"""What margins have to show: which signal finds the worst classes, and how margin and accuracy go together."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.notice import counted
from eyechart.prompts.prompt_set import PromptSet


def signals_exhibit(ranks: Sequence[Finding], judge: PromptSet, under: dict[str, str]) -> Exhibit:
    """How well each signal ranks the classes, by true and by the pseudo labels of `judge`."""
    shown = [f for f in ranks if f.value is not None]
    blind = [f for f in shown if f.slice["labels"] == "pseudo"]
    best = max(blind or shown, key=lambda f: f.value or 0.0)
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
        "Which signal ranks classes as their accuracy does",
        f"Without labels, {best.slice['signal']} comes nearest: rank correlation {best.value:.2f}. Pseudo labels are those of "
        f"{judge.name}, {counted(len(judge), 'text')} a class.",
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
    """A dot for every class. `margins` by labels, and `lowest`: the classes that the margin by pseudo labels points at."""
    table = pa.table(
        {
            "class": [t for _ in margins for t in titles],
            "labels": [kind for kind in margins for _ in titles],
            "margin": np.concatenate(list(margins.values())),
            "accuracy": np.concatenate([accuracies] * len(margins)),
        }
    )
    named = ", ".join(f"{titles[c]} ({accuracies[c]:.0%})" for c in lowest[:5])
    return Exhibit(
        f"margin-and-accuracy-{under['prompts']}",
        "Margin and accuracy of every class",
        f"The smallest margins without labels, with the true accuracy: {named}.",
        table,
        chart=charts.scatter(x="margin", y="accuracy", color="labels", label="class", x_title="mean margin (cosine)", x_unit=""),
        slice=under,
    )
