"""What composition has to show: right answers by kind of foil beside guessing, and the pictures that were mistaken most."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.composition.foil_trials import TIE, FoilTrials, Outcomes
from eyechart.probes.probe import ProbeInput


def kinds_exhibit(findings: Sequence[Finding]) -> list[Exhibit]:
    shown = sorted((f for f in findings if f.metric == "caption_accuracy" and f.slice), key=lambda f: f.value or 0.0)
    if not shown:
        return []
    chance = {str(f.slice.get("kind")): f.value for f in findings if f.metric == "chance" and f.slice}
    kinds = [str(f.slice["kind"]) for f in shown]
    table = pa.table(
        {
            "kind": [kind.replace("_", " ") for kind in kinds],
            "right": [f.value for f in shown],
            "low": [f.low for f in shown],
            "high": [f.high for f in shown],
            "pictures": [f.n for f in shown],
            "guessing": [chance.get(kind) for kind in kinds],
        }
    )
    guessed = {round(value, 6) for value in chance.values() if value is not None}
    worst, best = shown[0], shown[-1]
    sentence = f"The caption stands before the foil for {worst.value:.1%} of pictures where the foil has {_words(kinds[0])}" + (
        f", and for {best.value:.1%} where it has {_words(kinds[-1])}." if len(shown) > 1 else "."
    )
    chart = charts.dots_with_intervals(
        category="kind",
        value="right",
        low="low",
        high="high",
        category_title="what the foil gets wrong",
        value_title="caption before foil",
        zero=True,
        reference=guessed.pop() if len(guessed) == 1 else None,
    )
    return [Exhibit("kinds", "Which wrong words are noticed", sentence, table, chart=chart)]


def _words(kind: str) -> str:
    return f"“{kind.replace('_', ' ')}”"


def mistaken_exhibit(inputs: ProbeInput[Any], trials: FoilTrials, found: Outcomes, shown: int) -> list[Exhibit]:
    """The pictures whose foil stands farthest before their caption."""
    ids = inputs.dataset.ids()
    order = [int(i) for i in np.argsort(found.lead, kind="stable") if found.lead[i] < -TIE][:shown]
    if not order:
        return []
    rows = [
        {
            "true": trials.captions[i][found.caption[i]],
            "taken for": trials.foils[i][found.foil[i]],
            "kind": trials.kinds[i].replace("_", " "),
            "ids": [ids[int(trials.rows[i])]],
        }
        for i in order
    ]
    first = rows[0]
    sentence = f"“{first['taken for']}” is nearer to the first picture than “{first['true']}”, which is true of it."
    return [Exhibit("mistaken", "Pictures whose foil was nearer", sentence, pa.Table.from_pylist(rows), "pictures")]
