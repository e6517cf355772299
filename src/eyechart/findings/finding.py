"""A finding: one number about one model, with its interval, its n and the protocol that gave it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import pyarrow as pa

SCHEMA = pa.schema(
    [
        pa.field("model", pa.string(), nullable=False),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("probe", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("slice", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("unit", pa.string(), nullable=False),
        pa.field("higher_is_better", pa.bool_()),
        pa.field("interval", pa.string()),
        pa.field("baseline", pa.string()),
        pa.field("protocol", pa.string(), nullable=False),
        pa.field("version", pa.int64(), nullable=False),
    ],
    metadata={"eyechart.schema": "finding/1"},
)


def slice_key(slice: Mapping[str, object]) -> str:
    """The canonical text of a slice: JSON with sorted keys, '{}' for all rows."""
    return json.dumps(dict(slice), sort_keys=True, ensure_ascii=False, separators=(", ", ": "))


@dataclass(frozen=True)
class Finding:
    """What a probe returns for a number. The exam fills in model, dataset, probe, protocol and version."""

    metric: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    slice: Mapping[str, object] = field(default_factory=dict)
    unit: str = "fraction"
    higher_is_better: bool | None = True
    interval: str | None = None
    baseline: str | None = None


def to_table(findings: Iterable[Finding], *, model: str, dataset: str, probe: str, protocol: str, version: int) -> pa.Table:
    """Findings of one unit of work as rows of the one schema."""
    rows = [
        asdict(f)
        | {"slice": slice_key(f.slice), "model": model, "dataset": dataset, "probe": probe}
        | {"protocol": protocol, "version": version}
        for f in findings
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def empty_table() -> pa.Table:
    return SCHEMA.empty_table()
