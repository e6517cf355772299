"""A finding: one number about one model, with its interval, n and protocol."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pyarrow as pa

from eyechart.findings.metric import Metric, find_metric

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


def _plain(value: Any) -> Any:
    """A NumPy number as Python's own."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a slice holds texts, numbers and truth values, not {type(value).__name__}")


def slice_key(slice: Mapping[str, object]) -> str:
    """The canonical text of a slice: JSON with sorted keys, '{}' for all rows."""
    return json.dumps(dict(slice), sort_keys=True, ensure_ascii=False, separators=(", ", ": "), default=_plain)


AsDeclared = Literal["as declared"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One number that a probe returns. The exam fills in model, dataset, probe, protocol and version.

    metric: The name of a metric that the probe declares.
    value: The number; None where it cannot be computed.
    n: Number of rows, pairs or models behind it.
    low: Lower end of the 95% interval.
    high: Upper end of the 95% interval.
    slice: The rows it is about; empty for all rows.
    interval: The method of the interval.
    baseline: What a paired difference is taken against.
    unit: Where it differs from the metric's.
    higher_is_better: Where the direction differs from the metric's, as for harmful classes.
    """

    metric: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    slice: Mapping[str, object] = field(default_factory=dict)
    interval: str | None = None
    baseline: str | None = None
    unit: str | None = None
    higher_is_better: bool | AsDeclared | None = "as declared"


def to_table(
    findings: Iterable[Finding],
    *,
    model: str,
    dataset: str,
    probe: str,
    protocol: str,
    version: int,
    metrics: Sequence[Metric],
) -> pa.Table:
    """Findings of one unit of work as rows of the schema; TypeError for a metric that is not in `metrics`."""
    known: dict[str, Metric] = {}
    rows = []
    for f in findings:
        metric = known.get(f.metric) or find_metric(metrics, f.metric)
        if metric is None:
            raise TypeError(f"probe {probe!r} reports the metric {f.metric!r}, but does not declare it in `metrics`")
        known[f.metric] = metric
        better = metric.higher_is_better if f.higher_is_better == "as declared" else f.higher_is_better
        own = {"unit": f.unit or metric.unit, "higher_is_better": better, "slice": slice_key(f.slice)}
        about = {"model": model, "dataset": dataset, "probe": probe, "protocol": protocol, "version": version}
        rows.append(asdict(f) | own | about)
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def empty_table() -> pa.Table:
    return SCHEMA.empty_table()
