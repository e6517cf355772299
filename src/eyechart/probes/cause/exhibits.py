"""Charts of the probe `cause`: effects of each training difference, and all pairs of models."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.cause.training_pairs import TrainingComparison


def effects_exhibit(effects: Sequence[Finding]) -> Iterator[Exhibit]:
    """One chart for each training difference: its effect on every headline metric that is a fraction."""
    for number, training in enumerate(dict.fromkeys(str(e.slice["training"]) for e in effects), start=1):
        shown = [e for e in effects if e.slice["training"] == training and e.unit == "fraction" and e.low is not None]
        if not shown:
            continue
        pairs = max(e.n for e in shown)
        table = pa.table(
            {
                "metric": _titles([str(e.slice["of"]) for e in shown]),
                "effect": [e.value for e in shown],
                "low": [e.low for e in shown],
                "high": [e.high for e in shown],
            }
        )
        chart = dots_with_intervals(
            category="metric",
            value="effect",
            low="low",
            high="high",
            category_title="",
            value_title="effect of the training difference",
            reference=0.0,
        )
        if pairs > 1:
            dot = f"A dot is the mean difference over {pairs} pairs of models that differ in this fact only"
            sentence = f"{dot}. Intervals that exclude 0 show an effect of training at 95% confidence."
        else:
            dot = "A dot is the difference between two models that differ in this fact only"
            sentence = f"{dot}. With one pair, the intervals do not include the variation between training seeds."
        yield Exhibit(f"effects-{number:02}", training[0].upper() + training[1:], sentence, table, chart=chart)


def _titles(outcomes: Sequence[str]) -> list[str]:
    """Short titles: without the slice, where they stay distinct."""
    short = [outcome.partition(" (")[0] for outcome in outcomes]
    chosen = short if len(set(short)) == len(short) else outcomes
    return [outcome.replace(".", ": ", 1).replace("_", " ") for outcome in chosen]


def pairs_exhibit(
    comparisons: Sequence[TrainingComparison], outcomes: Sequence[str], known: Mapping[tuple[str, str], Finding]
) -> Exhibit:
    """A table of all pairs."""
    rows = [
        {
            "training": comparison.title,
            "model": treated,
            "control": control,
            "metric": outcome,
            "value of the model": known[treated, outcome].value,
            "value of the control": known[control, outcome].value,
        }
        for comparison in comparisons
        for outcome in outcomes
        for treated, control in comparison.pairs
        if (treated, outcome) in known and (control, outcome) in known
    ]
    sentence = "The metrics of every model and of its control."
    return Exhibit("pairs", "Pairs of models", sentence, pa.Table.from_pylist(rows), "table")
