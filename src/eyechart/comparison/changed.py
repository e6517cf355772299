"""Every picture that two models predict differently, as a table."""

import numpy as np
import pyarrow as pa

from eyechart.arrays import Floats, Indices
from eyechart.comparison.pairing import PairedPictures

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("dataset", "first", "second", "id", "class", "change")),
        *((name, pa.string()) for name in ("first_predicted", "second_predicted")),
        *((name, pa.float32()) for name in ("first_confidence", "second_confidence")),
    ]
)


def changed_table(paired: PairedPictures, names: tuple[str, str], first: int, second: int) -> pa.Table:
    """One row per changed prediction; `change` is "gained", "lost", "both wrong" or, without a label, "no label"."""
    rows = np.flatnonzero(paired.predicted[first] != paired.predicted[second])
    correct, other = paired.correct[first, rows], paired.correct[second, rows]
    kinds = [correct, other, paired.truth[rows] >= 0]
    change = np.select(kinds, ["lost", "gained", "both wrong"], "no label")
    classes = pa.array(paired.classes, pa.string())
    columns = {
        "dataset": [paired.dataset] * len(rows),
        "first": [names[0]] * len(rows),
        "second": [names[1]] * len(rows),
        "id": [paired.ids[int(row)] for row in rows],
        "class": _named(paired.truth[rows], classes),
        "change": change.tolist(),
        "first_predicted": _named(paired.predicted[first, rows], classes),
        "second_predicted": _named(paired.predicted[second, rows], classes),
        "first_confidence": _known(paired.confidence[first, rows]),
        "second_confidence": _known(paired.confidence[second, rows]),
    }
    return pa.table(columns, schema=SCHEMA)


def _named(numbers: Indices, classes: pa.Array) -> pa.Array:
    return classes.take(pa.array(numbers, mask=numbers < 0))


def _known(values: Floats) -> pa.Array:
    return pa.array(values, pa.float32(), from_pandas=True)  # NaN becomes null
