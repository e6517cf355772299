"""Charts of the probe `composition`: accuracy by kind of foil, and the clearest errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.composition.foil_trials import TIE, FoilOutcomes, FoilTrials
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.missed_rows import missed_trials


def kinds_exhibit(findings: Sequence[Finding]) -> list[Exhibit]:
    """The accuracy for every kind of foil, the lowest first."""
    shown = sorted((f for f in findings if f.metric == "caption_accuracy" and f.slice), key=lambda f: f.value or 0.0)
    if not shown:
        return []
    chance = {str(f.slice.get("kind")): f.value for f in findings if f.metric == "chance" and f.slice}
    kinds = [str(f.slice["kind"]) for f in shown]
    table = pa.table(
        {
            "kind": [kind.replace("_", " ") for kind in kinds],
            "accuracy": [f.value for f in shown],
            "low": [f.low for f in shown],
            "high": [f.high for f in shown],
            "pictures": [f.n for f in shown],
            "chance": [chance.get(kind) for kind in kinds],
        }
    )
    levels = {round(value, 6) for value in chance.values() if value is not None}
    worst, best = shown[0], shown[-1]
    sentence = (
        f"The true caption is preferred for {percent(worst.value)} of pictures with foils of the kind {_quoted(kinds[0])}"
        + (f", and for {percent(best.value)} with {_quoted(kinds[-1])}." if len(shown) > 1 else ".")
    )
    chart = charts.dots_with_intervals(
        category="kind",
        value="accuracy",
        low="low",
        high="high",
        category_title="kind of foil",
        value_title="true caption preferred",
        zero=True,
        reference=levels.pop() if len(levels) == 1 else None,
    )
    return [Exhibit("kinds", "Accuracy by kind of foil", sentence, table, chart=chart)]


def _quoted(kind: str) -> str:
    return f"“{kind.replace('_', ' ')}”"


def missed_exhibit(inputs: ProbeInput[Any], trials: FoilTrials, found: FoilOutcomes) -> list[Exhibit]:
    """Every picture that does not prefer its captions, with the caption that is farthest and the foil that is nearest."""
    missed = np.flatnonzero(~found.correct)
    true = [trials.captions[i][found.caption[i]] for i in missed]
    foils = [trials.foils[i][found.foil[i]] for i in missed]
    return missed_trials(inputs, "caption_accuracy", trials.rows[missed], true, foils)


def errors_exhibit(inputs: ProbeInput[Any], trials: FoilTrials, found: FoilOutcomes, shown: int) -> list[Exhibit]:
    """The pictures that prefer a foil by the largest margin."""
    ids = inputs.dataset.ids()
    order = [int(i) for i in np.argsort(found.margin, kind="stable") if found.margin[i] < -TIE][:shown]
    if not order:
        return []
    rows = [
        {
            "caption": trials.captions[i][found.caption[i]],
            "foil": trials.foils[i][found.foil[i]],
            "kind": trials.kinds[i].replace("_", " "),
            "cosine of caption − foil": float(found.margin[i]),
            "ids": [ids[int(trials.rows[i])]],
        }
        for i in order
    ]
    first = rows[0]
    sentence = f"The first picture is nearer to the foil “{first['foil']}” than to its caption “{first['caption']}”."
    return [Exhibit("errors", "Pictures that prefer a foil", sentence, pa.Table.from_pylist(rows), "pictures")]
