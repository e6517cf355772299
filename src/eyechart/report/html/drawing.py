"""From an exhibit's chart and table to a Vega-Lite specification, for the page or a file."""

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa

from eyechart.errors import StoreError
from eyechart.findings.charts import field
from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.numbers import format_value
from eyechart.report.html.builder import printable

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name; nothing fetches it
TABLE = "table"

# A run folder may come from anyone, so everything that lets a chart load data or affect the page is removed.
_UNWANTED = {"$schema", "datasets", "href", "url", "usermeta"}


@cache
def theme() -> dict[str, dict[str, Any]]:
    """Colors and fonts of all charts, for "light" and "dark"."""
    themes: dict[str, dict[str, Any]] = json.loads((files("eyechart.report") / "assets" / "theme.json").read_text("utf-8"))
    return themes


def specification(placed: PlacedExhibit) -> dict[str, Any]:
    """The chart with a named data source 'table', as wide as its container."""
    chart = placed.exhibit.chart
    if not chart:
        name = f"{placed.probe}/{placed.exhibit.name}"
        raise StoreError(f"exhibit {name} is of kind 'chart' but has no chart; examine again to write it")
    spec: dict[str, Any] = {"$schema": SCHEMA, **_tame(chart), "data": {"name": TABLE}}
    spec["description"] = printable(f"{placed.exhibit.title}. {placed.exhibit.sentence}")
    # Only a single or layered view can take the width of its container.
    if "mark" in spec or "layer" in spec:
        spec.setdefault("width", "container")
    return spec


def chart_height(placed: PlacedExhibit) -> int:
    """About how many pixels a chart takes, so that the page can reserve them before it is drawn."""
    chart, table = placed.exhibit.chart or {}, placed.exhibit.table
    views = [chart, *(layer for layer in _list(chart.get("layer")) if isinstance(layer, Mapping))]
    encodings = [e for view in views if isinstance(e := view.get("encoding"), Mapping)]

    def values(channel: str) -> int:
        """How many different values a channel has; 0 where it is not used, or a number."""
        used = [e[channel] for e in encodings if isinstance(e.get(channel), Mapping) and e[channel].get("type") == "nominal"]
        named = {field(name): name for name in table.column_names}
        return max((_distinct(table[named[c["field"]]]) for c in used if c.get("field") in named), default=0)

    height = chart.get("height", 240)
    if isinstance(height, Mapping):
        step = height.get("step", 20)
        # Groups of a category are apart by about half a group.
        rows = values("y") * (values("yOffset") + 0.6) if values("yOffset") else values("y")
        height = rows * (step if isinstance(step, int | float) else 20)
    legend = 26 + 20 * math.ceil(values("color") / 3) if values("color") else 0
    if values("x"):  # a heat map has slanted labels and a scale of colors
        legend += 100
    return 58 + legend + int(height if isinstance(height, int | float) else 240)


def _distinct(column: pa.ChunkedArray) -> int:
    return len(column) if pa.types.is_nested(column.type) else len(column.unique())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tame(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {printable(key): _tame(value) for key, value in part.items() if key not in _UNWANTED}
    if isinstance(part, list | tuple):
        return [_tame(value) for value in part]
    return printable(part) if isinstance(part, str) else part


def columns(table: pa.Table) -> dict[str, list[Any]]:
    """The table as JSON: NaN becomes null, bytes are left out, other types become text.

    Control characters are replaced, because the SVG converter aborts at one.
    """
    shown = [f.name for f in table.schema if not (pa.types.is_binary(f.type) or pa.types.is_large_binary(f.type))]
    return {printable(name): [_plain(value) for value in table.column(name).to_pylist()] for name in shown}


def fields(table: pa.Table) -> dict[str, str]:
    """Columns that a chart knows under another name → that name."""
    return {printable(name): field(name) for name in table.column_names if field(name) != name}


def rows(table: pa.Table) -> list[dict[str, Any]]:
    held = columns(table)
    held |= {other: held[name] for name, other in fields(table).items() if name in held}
    return [dict(zip(held, values, strict=True)) for values in zip(*held.values(), strict=True)]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {printable(str(k)): _plain(v) for k, v in value.items()}
    return printable(str(value))


NO_FACTS = frozenset({"id", "ids", "dataset", "drawn"})  # columns of an exhibit that name or hold pictures


def units_of(table: pa.Table) -> dict[str, str]:
    """The unit of each column: what the probe wrote as 'unit' into the field's metadata, else a plain number."""
    return {f.name: (f.metadata or {}).get(b"unit", b"number").decode() for f in table.schema}


def row_facts(row: Mapping[str, Any], units: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Name and text of what a row of an exhibit tells of its pictures; empty values are left out."""
    told = {name: value for name, value in row.items() if name not in NO_FACTS and value not in (None, "")}
    return tuple((name.replace("_", " "), cell(value, units[name])) for name, value in told.items())


def cell(value: Any, unit: str = "number") -> str:
    """A table's value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format_value(value, unit)
    if isinstance(value, int):
        return format_value(value, "count")
    if isinstance(value, list):
        return ", ".join(cell(v, unit) for v in value)
    return "" if value is None else str(value)
