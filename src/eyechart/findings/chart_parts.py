"""Parts of Vega-Lite specifications that the chart builders share: channels, titles, tooltips and units."""

import hashlib
import re
from typing import Any, Literal

Spec = dict[str, Any]
Type = Literal["quantitative", "nominal", "ordinal"]

AXIS_FORMATS = {"fraction": ".1~%", "points": ".1~f", "count": "~s"}
_TOOLTIP_FORMATS = {"fraction": ".1%", "points": ".1f", "count": ",d"}


def field(column: str) -> str:
    """The name of a column in Vega-Lite.

    Vega-Lite reads dots, brackets, quotes and backslashes in a name as a path, and no escaping fixes all of them. A column with
    such a name gets another one here, and the report renames its data in the same way.
    """
    if re.fullmatch(r"[^\W\d][\w -]*", column):
        return column
    return f"{re.sub(r'[^0-9A-Za-z]', '_', column)}_{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def axis_title(column: str, title: str | None) -> str:
    # Vega-Lite puts titles into expressions and escapes only quotes: a line end or a backslash would break them.
    shown = column.replace("_", " ") if title is None else title
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", shown).replace("\\", "∖")


def channel(column: str, title: str | None = None, *, kind: Type = "quantitative", unit: str = "", zero: bool = True) -> Spec:
    """An encoding channel with its axis."""
    made: Spec = {"field": field(column), "type": kind, "title": axis_title(column, title)}
    if kind == "quantitative":
        made["axis"] = {"format": AXIS_FORMATS.get(unit, "~g"), "tickCount": 5}
        if unit == "count":
            made["axis"]["tickMinStep"] = 1  # counts have no fractional ticks
        if not zero:
            made["scale"] = {"zero": False}
    return made


def category_channel(column: str, title: str | None) -> Spec:
    return {"field": field(column), "type": "nominal", "title": axis_title(column, title), "sort": None}


def color_channel(column: str | None) -> Spec:
    if column is None:
        return {}
    return {"color": {"field": field(column), "type": "nominal", "title": axis_title(column, None), "sort": None}}


def tooltip_line(column: str | None, title: str | None = None, *, unit: str | None = None) -> list[Spec]:
    """One line of a tooltip; `unit` is None for text."""
    if column is None:
        return []
    tip: Spec = {"field": field(column), "type": "nominal", "title": axis_title(column, title)}
    if unit is not None:
        tip |= {"type": "quantitative", "format": _TOOLTIP_FORMATS.get(unit, ".4~g")}
    return [tip]


def interval_tooltip(value: str, low: str | None, high: str | None, title: str | None, unit: str) -> list[Spec]:
    return [*tooltip_line(value, title, unit=unit), *tooltip_line(low, unit=unit), *tooltip_line(high, unit=unit)]


def in_points(
    unit: str, value: str, low: str | None, high: str | None, title: str | None
) -> tuple[Spec, tuple[str | None, str, str | None, str | None]]:
    """For differences of fractions: a transform that multiplies the columns by 100, the title with the unit, and the new columns.

    A format could only do this with a percent sign, which would read as a relative change.
    """
    if unit != "points":
        return {}, (title, value, low, high)
    columns = [column for column in (value, low, high) if column is not None]
    steps = [{"calculate": f"100 * datum['{field(column)}']", "as": f"{field(column)} in points"} for column in columns]
    shown = axis_title(value, title)
    renamed = [None if column is None else f"{field(column)} in points" for column in (low, high)]
    return {"transform": steps}, (f"{shown} (points)", f"{field(value)} in points", renamed[0], renamed[1])


def vertical_line(at: float) -> Spec:
    """A line over all categories."""
    x = {"x": {"field": "at", "type": "quantitative"}}
    return {"data": {"values": [{"at": at}]}, "mark": {"type": "rule", "style": "reference"}, "encoding": x}
