"""An exhibit: what a number cannot hold (a curve, a matrix, a list of pictures), as a table, a chart and one sentence."""

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
    """What a probe returns beside its findings.

    kind "chart": `chart` is a Vega-Lite specification without data; the report binds `table` to it.
    kind "pictures": `table` has a column `id` (or `ids`, a list of them) of pictures of the dataset; other columns caption them.
    A column `dataset` names the dataset that a row's pictures come from, where it may be another one of the plan; a column
    `drawn` (JPEG bytes) holds a picture of the probe's own, shown behind those.
    kind "table": `table` is shown as it is.
    `name` is unique within a probe, model and dataset; `title` and `sentence` are plain text, and the sentence says what to see.
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
    """An exhibit as read back from a run folder: it knows whose it is."""

    model: str
    dataset: str
    probe: str
    exhibit: Exhibit


def to_table(exhibit: Exhibit, *, model: str, dataset: str, probe: str) -> pa.Table:
    """The exhibit's table with everything else about it in the schema's metadata."""
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
    """Any text as a part of a file name: safe on every system, never empty, never a path."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:80] or "unnamed"
