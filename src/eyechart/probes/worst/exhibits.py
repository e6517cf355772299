"""What the worst classes have to show: the averages that hide them, and what they are taken for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Counts
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding

PICTURES = 3  # shown of each class
PARTNERS = 3  # named beside each class

_SAID = {
    "mean_per_class": "mean of all classes",
    "geometric_mean_smoothed": "geometric mean",
    "harmonic_mean_smoothed": "harmonic mean",
    "worst_at_k_chance": "worst {k}, were all alike",
    "worst_at_k": "worst {k}",
}


@dataclass(frozen=True)
class Mistaken:
    """Pictures of the worst classes: the class of each, what it is taken for, and which picture it is."""

    truth: Counts
    predicted: Counts
    ids: Sequence[str]

    def partners(self, c: int) -> list[tuple[int, int]]:
        """Classes that pictures of c are taken for, with how many, most first; equal ones in the order of the class list."""
        wrong = self.predicted[(self.truth == c) & (self.predicted != c)]
        taken, count = np.unique(wrong, return_counts=True)
        return [(int(taken[i]), int(count[i])) for i in np.argsort(-count, kind="stable")]

    def examples(self, c: int, taken_for: int) -> list[str]:
        return [self.ids[i] for i in np.flatnonzero((self.truth == c) & (self.predicted == taken_for))[:PICTURES]]


def means_exhibit(findings: Sequence[Finding], k: int, under: dict[str, str]) -> Exhibit:
    """One average beside the others, from the one that hides most to the one that hides least."""
    by_name = {f.metric: f for f in findings}
    rows = [by_name[metric] for metric in _SAID]
    mean, chance, worst = (by_name[m].value or 0.0 for m in ("mean_per_class", "worst_at_k_chance", "worst_at_k"))
    table = pa.table(
        {
            "average": [_SAID[f.metric].format(k=k) for f in rows],
            "accuracy": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    worst_are = "the worst class is" if k == 1 else f"the worst {k} classes are"
    return Exhibit(
        f"averages-{under['prompts']}",
        "What the average hides",
        f"The mean over classes is {mean:.1%}; {worst_are} at {worst:.1%}, where chance alone would show {chance:.1%}.",
        table,
        chart=charts.dots_with_intervals(
            category="average", value="accuracy", low="low", high="high", value_title="accuracy", zero=True
        ),
        slice=under,
    )


def partners_exhibit(
    titles: Sequence[str], worst: Sequence[int], accuracies: npt.NDArray[np.float64], mistaken: Mistaken, under: dict[str, str]
) -> list[Exhibit]:
    """The worst classes and what they are taken for, with pictures; none where nothing is mistaken."""
    rows = []
    for c in worst:
        partners = mistaken.partners(c)
        if partners:
            n = int((mistaken.truth == c).sum())
            first = partners[0][0]
            others = [f"{titles[p]} ({count / n:.0%})" for p, count in partners[:PARTNERS]]
            rows.append((titles[c], float(accuracies[c]), n, ", ".join(others), titles[first], mistaken.examples(c, first)))
    if not rows:
        return []
    names = ("class", "accuracy", "pictures", "taken for", "shown: taken for", "ids")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    share = table.schema.get_field_index("accuracy")
    table = table.cast(table.schema.set(share, table.schema.field(share).with_metadata({"unit": "fraction"})))
    name, accuracy, _, taken_for, *_ = rows[0]
    return [
        Exhibit(
            f"partners-{under['prompts']}",
            "The worst classes, and what they are taken for",
            f"{name} is right in {accuracy:.1%} of its pictures and taken for {taken_for}.",
            table,
            "pictures",
            slice=under,
        )
    ]
