"""A skip: a probe that could not be run with a model, and the reason."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pyarrow as pa

SCHEMA = pa.schema(
    [pa.field(name, pa.string(), nullable=False) for name in ("model", "dataset", "probe", "reason")],
    metadata={"eyechart.schema": "skip/1"},
)


@dataclass(frozen=True)
class Skip:
    """A probe that was not run.

    model: The model.
    dataset: The dataset.
    probe: The probe.
    reason: Why, as a sentence.
    """

    model: str
    dataset: str
    probe: str
    reason: str


def to_table(skips: Iterable[Skip]) -> pa.Table:
    return pa.Table.from_pylist([asdict(s) for s in skips], schema=SCHEMA)
