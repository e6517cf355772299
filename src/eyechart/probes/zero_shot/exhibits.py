"""What zero-shot classification has to show: the weakest classes, the spread of all, and who is taken for whom."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Counts
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import wilson

READABLE = 40  # classes in one chart
PAIRS = 12  # confused pairs shown with pictures; findings have more
PICTURES = 3  # shown of each


def most_confused(matrix: Counts, pairs: int) -> list[tuple[int, int]]:
    """Off-diagonal cells with the most pictures, largest first; equal ones in the order of the class list."""
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
    low, high = f"{last.value or 0:.1%}", f"{best.value or 0:.1%}"
    span = (
        f"runs from {low} with {last.slice['prompts']} to {high} with {best.slice['prompts']}"
        if low != high
        else f"stays at {low}"
    )
    return Exhibit(
        "prompt-sets",
        "Accuracy under each prompt set",
        f"The same pictures, other words: accuracy {span}.",
        table,
        chart=charts.dots_with_intervals(
            category="prompts", value="accuracy", low="low", high="high", value_title="top-1 accuracy"
        ),
    )


def class_exhibits(titles: Sequence[str], matrix: Counts, under: dict[str, str]) -> list[Exhibit]:
    """The weakest classes with their intervals and, where there are too many to show, the spread of all."""
    n = matrix.sum(axis=1)
    seen = np.flatnonzero(n)
    share = matrix.diagonal()[seen] / n[seen]
    order = seen[np.lexsort((-n[seen], share))][:READABLE]
    hits = matrix.diagonal()[order]
    low, high = wilson(hits, n[order])
    table = pa.table(
        {"class": [titles[c] for c in order], "accuracy": hits / n[order], "low": low, "high": high, "pictures": n[order]}
    )
    whole = len(seen) <= READABLE
    failed = int((share == 0).sum())
    weakest = f"The weakest is {titles[order[0]]}, at {share.min():.1%}; the mean over classes is {share.mean():.1%}."
    none = f" {failed} of {len(seen)} classes {'is' if failed == 1 else 'are'} never recognised." if failed else ""
    exhibits = [
        Exhibit(
            f"weakest-classes-{under['prompts']}",
            "Accuracy of every class" if whole else f"The {READABLE} weakest of {len(seen)} classes",
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
                f"spread-of-classes-{under['prompts']}",
                "How accuracy is spread over the classes",
                f"Half of the classes lie below {np.median(share):.1%}, a tenth below {np.quantile(share, 0.1):.1%}.{none}",
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
    """The most confused pairs with pictures, and the whole matrix where it can be read."""
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
                "taken for": titles[taken],
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
    sentence = f"{first['class']} is taken for {first['taken for']} in {first['pictures']} of {first['of']} pictures."
    exhibits = [
        Exhibit(
            f"confused-pairs-{under['prompts']}",
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
                "answer": [titles[c] for c in column[kept]],
                "share": (matrix[row, column] / np.maximum(n[row], 1))[kept],
            }
        )
        exhibits.append(
            Exhibit(
                f"confusion-matrix-{under['prompts']}",
                "Who is taken for whom",
                "A perfect model shows the diagonal and nothing else; a strong column is a class that swallows others.",
                cells,
                chart=charts.heatmap(x="answer", y="class", value="share", x_title="the model's answer", y_title="true class"),
                slice=under,
            )
        )
    return exhibits
