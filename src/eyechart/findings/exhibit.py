"""An exhibit: a chart, a list of pictures or a table, with one sentence that says what to see."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from eyechart.findings.finding import slice_key

Kind = Literal["chart", "pictures", "table"]


@dataclass(frozen=True)
class Exhibit:
    """What a probe returns in addition to its findings.

    name: Unique within a probe, model and dataset.
    title: Plain text.
    sentence: Plain text that says what to see.
    table: The data. For pictures, a column `id` (or `ids`, a list) names pictures of the dataset, and other columns caption them;
        a column `dataset` names another dataset of the plan; a column `drawn` (JPEG bytes) is a picture made by the probe.
    kind: "chart", "pictures" or "table".
    chart: For a chart, a Vega-Lite specification without data; the report binds `table` to it.
    slice: The rows it is about; empty for all rows.
    """

    name: str
    title: str
    sentence: str
    table: pa.Table
    kind: Kind = "chart"
    chart: Mapping[str, object] | None = None
    slice: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PlacedExhibit:
    """An exhibit of a run.

    model: Its model.
    dataset: Its dataset.
    probe: Its probe.
    exhibit: The exhibit.
    """

    model: str
    dataset: str
    probe: str
    exhibit: Exhibit


def to_table(exhibit: Exhibit, *, model: str, dataset: str, probe: str) -> pa.Table:
    """The exhibit's table, with everything else in the schema's metadata."""
    about = {
        "model": model, "dataset": dataset, "probe": probe, "name": exhibit.name, "title": exhibit.title,
        "sentence": exhibit.sentence, "kind": exhibit.kind, "chart": json.dumps(exhibit.chart), "slice": slice_key(exhibit.slice),
    }  # fmt: skip
    return exhibit.table.replace_schema_metadata({"eyechart.exhibit": json.dumps(about)})


def from_table(table: pa.Table) -> PlacedExhibit:
    about = json.loads(table.schema.metadata[b"eyechart.exhibit"])
    exhibit = Exhibit(
        name=about["name"],
        title=about["title"],
        sentence=about["sentence"],
        table=table.replace_schema_metadata(None),
        kind=about["kind"],
        chart=json.loads(about["chart"]),
        slice=json.loads(about["slice"]),
    )
    return PlacedExhibit(about["model"], about["dataset"], about["probe"], exhibit)


def slug(text: str) -> str:
    """Any text as part of a file name: safe on every system, never empty, never a path."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:80] or "unnamed"
