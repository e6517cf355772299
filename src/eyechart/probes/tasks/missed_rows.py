"""Rows that a share counts as missed, as an exhibit that the page opens where the share is chosen."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings.attributes import attribute_lists
from eyechart.findings.exhibit import Exhibit
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.attribute_texts import attribute_texts

MOST = 100_000  # rows of one exhibit
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("caption", pa.string()),
        ("rank", pa.int64()),
        ("ids", pa.list_(pa.string())),
        ("first_caption", pa.string()),
        ("attributes", pa.list_(pa.string())),
    ]
)


def missed_trials(
    inputs: ProbeInput[Any],
    metric: str,
    rows: Indices,
    true: Sequence[str],
    preferred: Sequence[str],
    attributes: Mapping[str, Sequence[object]] | None = None,
) -> list[Exhibit]:
    """Trials in which a picture does not prefer its true caption; none where there is no such trial.

    Args:
        inputs: The probe's input.
        metric: The metric that counts them.
        rows: The row of the picture of each such trial.
        true: Its true caption.
        preferred: The false caption that is as near or nearer.
        attributes: Further attributes of trials, besides those of the pictures.
    """
    if not len(rows):
        return []
    kept = rows[:MOST]
    own = {name: values.take(kept) for name, values in attribute_texts(inputs.dataset).items()}
    more = {name: pa.array([str(value) for value in values[:MOST]]) for name, values in (attributes or {}).items()}
    ids = inputs.dataset.ids()
    columns = [
        pa.array([ids[row] for row in kept], pa.string()),
        pa.array(true[:MOST], pa.string()),
        pa.array([2] * len(kept), pa.int64()),
        pa.array([[]] * len(kept), pa.list_(pa.string())),
        pa.array(preferred[:MOST], pa.string()),
        attribute_lists(own | more, len(kept)),
    ]
    sentence = f"In {len(rows):,} trials a false caption is as near to the picture as the true one, or nearer."
    return [Exhibit(f"missed-{metric}", "Trials with a false caption preferred", sentence, pa.table(columns, SCHEMA), "pictures")]
