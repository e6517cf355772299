"""The tidy table of a study: one row per model and measure, with facts about the model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from eyechart.study.facts import Facts

_TEXT = pa.dictionary(pa.int32(), pa.string())
FACTS = (
    "group", "family", "architecture", "source", "dataset_size", "resolution", "fine_tuning", "loss", "parameters",
    "published_group",
)  # fmt: skip
SCHEMA = pa.schema(
    [
        pa.field("model", _TEXT, nullable=False),
        pa.field("group", _TEXT),
        pa.field("family", _TEXT, nullable=False),
        pa.field("architecture", _TEXT),
        pa.field("source", _TEXT),
        pa.field("dataset_size", pa.int64()),
        pa.field("resolution", pa.int64()),
        pa.field("fine_tuning", _TEXT),
        pa.field("loss", _TEXT),
        pa.field("parameters", pa.int64()),
        pa.field("published_group", _TEXT),
        pa.field("prompts", _TEXT),
        pa.field("metric", _TEXT, nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("n", pa.int64()),
        pa.field("unit", _TEXT, nullable=False),
        pa.field("origin", _TEXT, nullable=False),
        pa.field("title", _TEXT),  # of your own metrics; empty in studies of older versions
    ],
    metadata={"eyechart.schema": "study/1"},
)


@dataclass(frozen=True)
class Value:
    """One value of a model.

    metric: The measure.
    value: Its value.
    n: Number of pictures; None where unknown.
    unit: Its unit.
    prompts: The prompt set.
    title: The title of one of your own metrics; None for a published measure.
    """

    metric: str
    value: float
    n: int | None = None
    unit: str = "fraction"
    prompts: str | None = None
    title: str | None = None


def to_table(values: Iterable[tuple[Facts, Value]], origin: str) -> pa.Table:
    """Values as rows of the schema."""
    rows = list(values)
    columns: dict[str, list[Any]] = {name: [getattr(facts, name) for facts, _ in rows] for name in ("model", *FACTS)}
    columns |= {
        name: [getattr(value, name) for _, value in rows] for name in ("prompts", "metric", "value", "n", "unit", "title")
    }
    columns["origin"] = [origin] * len(rows)
    return pa.table([_column(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


def titles_of(study: pa.Table) -> dict[str, str]:
    """Measure → title, for your own metrics."""
    pairs = zip(study["metric"].to_pylist(), study["title"].to_pylist(), strict=True)
    return {name: title for name, title in pairs if title is not None}


def empty() -> pa.Table:
    return SCHEMA.empty_table()


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_dictionary(kind):
        return pa.array(values, kind)
    coded = pa.array(values, pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices.cast(pa.int32()), coded.dictionary)
