"""What the training did, to be looked at."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.cause.training_pairs import TrainingContrast


def effects_exhibit(effects: Sequence[Finding]) -> Iterator[Exhibit]:
    """One chart for each difference in training: its effect on every share that was found."""
    for number, training in enumerate(dict.fromkeys(str(e.slice["training"]) for e in effects), start=1):
        shown = [e for e in effects if e.slice["training"] == training and e.unit == "fraction" and e.low is not None]
        if not shown:
            continue
        pairs = max(e.n for e in shown)
        table = pa.table(
            {
                "number": _titles([str(e.slice["of"]) for e in shown]),
                "training_effect": [e.value for e in shown],
                "low": [e.low for e in shown],
                "high": [e.high for e in shown],
            }
        )
        chart = dots_with_intervals(
            category="number",
            value="training_effect",
            low="low",
            high="high",
            category_title="",
            value_title="effect of the training",
            reference=0.0,
        )
        if pairs > 1:
            dot = f"A dot is the mean difference over {pairs} pairs of models that are alike but for this"
            sentence = f"{dot}; where the line does not meet 0, the training did it."
        else:
            dot = "A dot is the difference between two models that are alike but for this"
            sentence = f"{dot}. The lines leave out the chance of training: with another seed it may be another."
        yield Exhibit(f"effects-{number:02}", training[0].upper() + training[1:], sentence, table, chart=chart)


def _titles(outcomes: Sequence[str]) -> list[str]:
    """Outcomes as a chart has room for them: without the slice, where that leaves them different."""
    short = [outcome.partition(" (")[0] for outcome in outcomes]
    chosen = short if len(set(short)) == len(short) else outcomes
    return [outcome.replace(".", ": ", 1).replace("_", " ") for outcome in chosen]


def pairs_exhibit(
    contrasts: Sequence[TrainingContrast], outcomes: Sequence[str], known: Mapping[tuple[str, str], Finding]
) -> Exhibit:
    rows = [
        {
            "training": contrast.title,
            "model": treated,
            "twin": control,
            "number": outcome,
            "of the model": known[treated, outcome].value,
            "of the twin": known[control, outcome].value,
        }
        for contrast in contrasts
        for outcome in outcomes
        for treated, control in contrast.pairs
        if (treated, outcome) in known and (control, outcome) in known
    ]
    sentence = "Every pair by itself: the same number of the model and of its twin."
    return Exhibit("pairs", "Models and their twins", sentence, pa.Table.from_pylist(rows), "table")
