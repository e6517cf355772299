"""Charts of the probe `zero_shot`: the weakest classes, the distribution of class accuracies, and the confusion matrix."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Counts
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent

READABLE = 40  # classes in one chart
PAIRS = 12  # confused pairs with pictures; findings have more
PICTURES = 3  # of each pair


def most_confused(matrix: Counts, pairs: int) -> list[tuple[int, int]]:
    """The off-diagonal cells with the most pictures, largest first; ties in the order of the class list."""
    wrong = matrix.copy()
    np.fill_diagonal(wrong, 0)
    filled = np.flatnonzero(wrong)
    order = filled[np.argsort(-wrong.ravel()[filled], kind="stable")][:pairs]
    return [divmod(int(cell), len(matrix)) for cell in order]


def prompt_exhibit(top1: Sequence[Finding]) -> Exhibit:
    """Accuracy under each prompt set."""
    rows = sorted(top1, key=lambda f: -(f.value or 0))
    table = pa.table(
        {
            "prompts": [str(f.slice["prompts"]) for f in rows],
            "accuracy": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    best, last = rows[0], rows[-1]
    low, high = f"{percent(last.value or 0)}", f"{percent(best.value or 0)}"
    span = (
        f"ranges from {low} with {last.slice['prompts']} to {high} with {best.slice['prompts']}"
        if low != high
        else f"is {low} with all of them"
    )
    return Exhibit(
        "prompt-sets",
        "Accuracy under each prompt set",
        f"On the same pictures, top-1 accuracy {span}.",
        table,
        chart=charts.dots_with_intervals(
            category="prompts", value="accuracy", low="low", high="high", value_title="top-1 accuracy"
        ),
    )


def class_exhibits(accuracies: Sequence[Finding], under: dict[str, str]) -> list[Exhibit]:
    """The weakest classes with intervals and, where there are too many to show, a histogram of all."""
    share = np.array([f.value for f in accuracies], np.float64)
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
    whole = len(accuracies) <= READABLE
    failed = int((share == 0).sum())
    first = order[0].slice["class"]
    weakest = f"The weakest class is {first}, at {percent(share.min())}; the mean over classes is {percent(share.mean())}."
    none = f" {failed} of {len(accuracies)} classes {'has' if failed == 1 else 'have'} an accuracy of 0%." if failed else ""
    exhibits = [
        Exhibit(
            f"weakest-classes-{'-'.join(under.values())}",
            "Accuracy of every class" if whole else f"The {READABLE} weakest of {len(accuracies)} classes",
            f"{weakest}{none}",
            table,
            chart=charts.dots_with_intervals(category="class", value="accuracy", low="low", high="high", zero=True),
            slice=under,
        )
    ]
    if not whole:
        counts, edges = np.histogram(share, bins=20, range=(0, 1))
        exhibits.append(
            Exhibit(
                f"spread-of-classes-{'-'.join(under.values())}",
                "Distribution of class accuracies",
                f"The median class accuracy is {percent(np.median(share))}; a tenth of the classes are below "
                f"{percent(np.quantile(share, 0.1))}.{none}",
                pa.table({"from": edges[:-1], "to": edges[1:], "classes": counts}),
                chart=charts.histogram(
                    start="from", end="to", count="classes", value_title="accuracy of a class", unit="fraction"
                ),
                slice=under,
            )
        )
    return exhibits


def confusion_exhibits(
    titles: Sequence[str],
    matrix: Counts,
    truth: Counts,
    predicted: Counts,
    ids: Sequence[str],
    under: dict[str, str],
) -> list[Exhibit]:
    """The most confused pairs with pictures, and the whole matrix where it is small enough."""
    worst = most_confused(matrix, PAIRS)
    if not worst:
        return []
    n = matrix.sum(axis=1)
    rows = []
    for true, taken in worst:
        examples = np.flatnonzero((truth == true) & (predicted == taken))[:PICTURES]
        rows.append(
            {
                "class": titles[true],
                "predicted as": titles[taken],
                "pictures": int(matrix[true, taken]),
                "of": int(n[true]),
                "share": float(matrix[true, taken] / n[true]),
                "ids": [ids[i] for i in examples],
            }
        )
    first = rows[0]
    table = pa.Table.from_pylist(rows)
    share = table.schema.get_field_index("share")
    table = table.cast(table.schema.set(share, table.schema.field(share).with_metadata({"unit": "fraction"})))
    counted = (
        f"in {first['pictures']} of {first['of']} pictures" if n[worst[0][0]] > 1 else "in its only picture, which says little"
    )
    sentence = f"{first['class']} is predicted as {first['predicted as']} {counted}."
    exhibits = [
        Exhibit(
            f"confused-pairs-{'-'.join(under.values())}",
            "The most confused pairs",
            sentence,
            table,
            "pictures",
            slice=under,
        )
    ]
    if 2 < len(titles) <= READABLE:
        row, column = np.indices(matrix.shape).reshape(2, -1)
        kept = n[row] > 0
        cells = pa.table(
            {
                "class": [titles[c] for c in row[kept]],
                "predicted": [titles[c] for c in column[kept]],
                "share": (matrix[row, column] / np.maximum(n[row], 1))[kept],
            }
        )
        exhibits.append(
            Exhibit(
                f"confusion-matrix-{'-'.join(under.values())}",
                "Confusion matrix",
                "Correct predictions are on the diagonal; a dark column is a class that other classes are predicted as.",
                cells,
                chart=charts.heatmap(x="predicted", y="class", value="share", x_title="predicted class", y_title="true class"),
                slice=under,
            )
        )
    return exhibits
