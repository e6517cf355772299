"""Charts of the probe `worst`: several averages over classes, and the confusions of the worst classes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Counts
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent

PICTURES = 3  # of each class
CONFUSIONS = 3  # wrong classes listed for each class

_TITLES = {
    "mean_per_class": "mean of all classes",
    "geometric_mean_smoothed": "geometric mean",
    "harmonic_mean_smoothed": "harmonic mean",
    "worst_at_k_chance": "worst {k}, if all were equal",
    "worst_at_k": "worst {k}",
}


@dataclass(frozen=True)
class WorstPredictions:
    """The predictions for pictures of the worst classes.

    truth: The true class.
    predicted: The predicted class.
    ids: The pictures.
    """

    truth: Counts
    predicted: Counts
    ids: Sequence[str]

    def confusions(self, c: int) -> list[tuple[int, int]]:
        """Wrong classes that pictures of c are predicted as, with counts, most frequent first; ties in class order."""
        wrong = self.predicted[(self.truth == c) & (self.predicted != c)]
        classes, count = np.unique(wrong, return_counts=True)
        return [(int(classes[i]), int(count[i])) for i in np.argsort(-count, kind="stable")]

    def examples(self, c: int, predicted: int) -> list[str]:
        return [self.ids[i] for i in np.flatnonzero((self.truth == c) & (self.predicted == predicted))[:PICTURES]]


def means_exhibit(findings: Sequence[Finding], k: int, under: dict[str, str]) -> Exhibit:
    """Several averages over classes, from the one that hides weak classes most to the one that hides them least."""
    by_name = {f.metric: f for f in findings}
    rows = [by_name[metric] for metric in _TITLES]
    mean, chance, worst = (by_name[m].value or 0.0 for m in ("mean_per_class", "worst_at_k_chance", "worst_at_k"))
    table = pa.table(
        {
            "average": [_TITLES[f.metric].format(k=k) for f in rows],
            "accuracy": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    worst_are = "the worst class is" if k == 1 else f"the worst {k} classes are"
    return Exhibit(
        f"averages-{'-'.join(under.values())}",
        "The worst classes and the average",
        f"The mean over classes is {percent(mean)}; {worst_are} at {percent(worst)}; equally accurate classes would "
        f"give {percent(chance)}.",
        table,
        chart=charts.dots_with_intervals(
            category="average", value="accuracy", low="low", high="high", value_title="accuracy", zero=True
        ),
        slice=under,
    )


def curve_exhibit(findings: Sequence[Finding], under: dict[str, str]) -> list[Exhibit]:
    """worst@k against k: how many classes are as weak as the worst."""
    found = [f for f in findings if f.metric == "worst_curve"]
    if len(found) < 3:
        return []
    table = pa.table(
        {
            "k": [int(str(f.slice["k"])) for f in found],
            "accuracy": [f.value for f in found],
            "low": [f.low for f in found],
            "high": [f.high for f in found],
        }
    )
    first, last = found[0], found[-1]
    return [
        Exhibit(
            f"worst-curve-{'-'.join(under.values())}",
            "Accuracy of the k worst classes",
            f"The worst class is at {percent(first.value)}, the mean of all {last.slice['k']} classes at {percent(last.value)}.",
            table,
            chart=charts.line_with_band(
                x="k",
                y="accuracy",
                low="low",
                high="high",
                x_title="k worst classes",
                y_title="accuracy",
                x_unit="count",
                log=True,
            ),
            slice=under,
        )
    ]


def confusions_exhibit(
    titles: Sequence[str],
    worst: Sequence[int],
    accuracies: npt.NDArray[np.float64],
    predictions: WorstPredictions,
    under: dict[str, str],
) -> list[Exhibit]:
    """The worst classes and what they are predicted as, with pictures; none where there are no errors."""
    rows = []
    for c in worst:
        confusions = predictions.confusions(c)
        if confusions:
            n = int((predictions.truth == c).sum())
            first = confusions[0][0]
            others = [f"{titles[p]} ({percent(count / n)})" for p, count in confusions[:CONFUSIONS]]
            rows.append((titles[c], float(accuracies[c]), n, ", ".join(others), titles[first], predictions.examples(c, first)))
    if not rows:
        return []
    names = ("class", "accuracy", "pictures", "predicted as", "shown: predicted as", "ids")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    share = table.schema.get_field_index("accuracy")
    table = table.cast(table.schema.set(share, table.schema.field(share).with_metadata({"unit": "fraction"})))
    name, accuracy, _, predicted, *_ = rows[0]
    return [
        Exhibit(
            f"confusions-{'-'.join(under.values())}",
            "Confusions of the worst classes",
            f"{name} has an accuracy of {percent(accuracy)}; its pictures are predicted as {predicted}.",
            table,
            "pictures",
            slice=under,
        )
    ]
