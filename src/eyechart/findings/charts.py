"""Charts for exhibits: Vega-Lite 6 specifications without data, as plain dicts.

Every builder takes the names of the exhibit's columns and returns a specification for `Exhibit.chart`. The report binds the table
to it, sets the width, and colors it for light, dark and print. A column may have any name (see `field`). `unit` is the shown unit
of the metric: "fraction" is drawn as percent, "points" (a difference of fractions) as percentage points.

    Exhibit(
        "per-class", "Accuracy by class", "The classes at the bottom have the lowest accuracy.", table,
        chart=dots_with_intervals(category="class", value="accuracy", low="low", high="high", value_title="accuracy"),
    )

Rows are drawn in the order of the table, so sort it first, and limit it to about 40 rows.
"""

import hashlib
import re
from typing import Any, Literal

Spec = dict[str, Any]
Type = Literal["quantitative", "nominal", "ordinal"]

_AXIS_FORMATS = {"fraction": ".1~%", "points": ".1~f", "count": "~s"}
_TOOLTIP_FORMATS = {"fraction": ".1%", "points": ".1f", "count": ",d"}


def field(column: str) -> str:
    """The name of a column in Vega-Lite.

    Vega-Lite reads dots, brackets, quotes and backslashes in a name as a path, and no escaping fixes all of them. A column with
    such a name gets another one here, and the report renames its data in the same way.
    """
    if re.fullmatch(r"[^\W\d][\w -]*", column):
        return column
    return f"{re.sub(r'[^0-9A-Za-z]', '_', column)}_{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def _title(column: str, title: str | None) -> str:
    # Vega-Lite puts titles into expressions and escapes only quotes: a line end or a backslash would break them.
    shown = column.replace("_", " ") if title is None else title
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", shown).replace("\\", "∖")


def _channel(column: str, title: str | None = None, *, kind: Type = "quantitative", unit: str = "", zero: bool = True) -> Spec:
    channel: Spec = {"field": field(column), "type": kind, "title": _title(column, title)}
    if kind == "quantitative":
        channel["axis"] = {"format": _AXIS_FORMATS.get(unit, "~g"), "tickCount": 5}
        if unit == "count":
            channel["axis"]["tickMinStep"] = 1  # counts have no fractional ticks
        if not zero:
            channel["scale"] = {"zero": False}
    return channel


def _category(column: str, title: str | None) -> Spec:
    return {"field": field(column), "type": "nominal", "title": _title(column, title), "sort": None}


def _color(column: str | None) -> Spec:
    if column is None:
        return {}
    return {"color": {"field": field(column), "type": "nominal", "title": _title(column, None), "sort": None}}


def _tip(column: str | None, title: str | None = None, *, unit: str | None = None) -> list[Spec]:
    """One line of a tooltip; `unit` is None for text."""
    if column is None:
        return []
    tip: Spec = {"field": field(column), "type": "nominal", "title": _title(column, title)}
    if unit is not None:
        tip |= {"type": "quantitative", "format": _TOOLTIP_FORMATS.get(unit, ".4~g")}
    return [tip]


def _interval_tips(value: str, low: str | None, high: str | None, title: str | None, unit: str) -> list[Spec]:
    return [*_tip(value, title, unit=unit), *_tip(low, unit=unit), *_tip(high, unit=unit)]


def bars(
    *,
    category: str,
    value: str,
    color: str | None = None,
    low: str | None = None,
    high: str | None = None,
    category_title: str | None = None,
    value_title: str | None = None,
    unit: str = "fraction",
    reference: float | None = None,
) -> Spec:
    """Horizontal bars, one per `category`, with a whisker from `low` to `high` where both are given.

    With `color`, the bars of a category are grouped. `reference` is a value to compare with, such as the chance level, drawn as a
    vertical line.
    """
    transform, (value_title, value, low, high) = _in_points(unit, value, low, high, value_title)
    tooltip = [*_tip(category, category_title), *_tip(color), *_interval_tips(value, low, high, value_title, unit)]
    place: Spec = {"y": _category(category, category_title), "tooltip": tooltip}
    if color is not None:
        place["yOffset"] = {"field": field(color), "type": "nominal", "sort": None}
    length = {**place, "x": _channel(value, value_title, unit=unit), **_color(color)}
    layers: list[Spec] = [{"mark": {"type": "bar", "cornerRadiusEnd": 2}, "encoding": length}]
    if low is not None and high is not None:
        whisker = {**place, "x": _channel(low, _title(value, value_title), unit=unit), "x2": {"field": field(high)}}
        layers.append({"mark": {"type": "rule", "style": "whisker"}, "encoding": whisker})
    if reference is not None:
        layers.append(_vertical_line(100 * reference if unit == "points" else reference))
    return {**transform, "layer": layers, "height": {"step": 22 if color is None else 12}}


def _in_points(
    unit: str, value: str, low: str | None, high: str | None, title: str | None
) -> tuple[Spec, tuple[str | None, str, str | None, str | None]]:
    """For differences of fractions: a transform that multiplies the columns by 100, the title with the unit, and the new columns.

    A format could only do this with a percent sign, which would read as a relative change.
    """
    if unit != "points":
        return {}, (title, value, low, high)
    columns = [column for column in (value, low, high) if column is not None]
    steps = [{"calculate": f"100 * datum['{field(column)}']", "as": f"{field(column)} in points"} for column in columns]
    shown = _title(value, title)
    renamed = [None if column is None else f"{field(column)} in points" for column in (low, high)]
    return {"transform": steps}, (f"{shown} (points)", f"{field(value)} in points", renamed[0], renamed[1])


def _vertical_line(at: float) -> Spec:
    """A line over all categories."""
    x = {"x": {"field": "at", "type": "quantitative"}}
    return {"data": {"values": [{"at": at}]}, "mark": {"type": "rule", "style": "reference"}, "encoding": x}


def dots_with_intervals(
    *,
    category: str,
    value: str,
    low: str,
    high: str,
    color: str | None = None,
    category_title: str | None = None,
    value_title: str | None = None,
    unit: str = "fraction",
    zero: bool = False,
    reference: float | None = None,
) -> Spec:
    """A dot at `value` on a line from `low` to `high` for each `category`; with `color`, several per category.

    The axis starts at zero only with `zero=True`. `reference` is a value to compare with, drawn as a vertical line.
    """
    transform, (value_title, value, low_end, high_end) = _in_points(unit, value, low, high, value_title)
    low, high = low_end or low, high_end or high
    tooltip = [*_tip(category, category_title), *_tip(color), *_interval_tips(value, low, high, value_title, unit)]
    place: Spec = {"y": _category(category, category_title), **_color(color), "tooltip": tooltip}
    if color is not None:
        place["yOffset"] = {"field": field(color), "type": "nominal", "sort": None}
    shown = _title(value, value_title)
    ends = {"x": _channel(low, shown, unit=unit, zero=zero), "x2": {"field": field(high)}}
    dot = {"x": _channel(value, shown, unit=unit, zero=zero)}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "style": "interval"}, "encoding": {**place, **ends}},
        {"mark": {"type": "point", "style": "dot"}, "encoding": {**place, **dot}},
    ]
    if reference is not None:
        layers.insert(0, _vertical_line(100 * reference if unit == "points" else reference))
    return {**transform, "layer": layers, "height": {"step": 22 if color is None else 14}}


def heatmap(
    *,
    x: str,
    y: str,
    value: str,
    x_title: str | None = None,
    y_title: str | None = None,
    value_title: str | None = None,
    unit: str = "fraction",
) -> Spec:
    """A colored cell for each row of the table, in column `x` and row `y`, both in the table's order.

    Larger values are darker, or lighter on a dark page.
    """
    tooltip = [*_tip(y, y_title), *_tip(x, x_title), *_tip(value, value_title, unit=unit)]
    across = _category(x, x_title) | {"axis": {"labelAngle": -45}}
    legend = {"format": _AXIS_FORMATS.get(unit, "~g")}
    shade = {"field": field(value), "type": "quantitative", "title": _title(value, value_title), "legend": legend}
    encoding = {"x": across, "y": _category(y, y_title), "color": shade, "tooltip": tooltip}
    return {"mark": {"type": "rect"}, "encoding": encoding, "height": {"step": 18}}


def line_with_band(
    *,
    x: str,
    y: str,
    low: str | None = None,
    high: str | None = None,
    color: str | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    x_unit: str = "",
    unit: str = "fraction",
    diagonal: bool = False,
    zero: bool = True,
    log: bool = False,
    points: bool = True,
) -> Spec:
    """A line through (`x`, `y`) with a band from `low` to `high`, and with marked points unless `points` is False.

    `diagonal` adds the line y = x from 0 to 1, for reliability and ROC curves; `log` makes the x axis logarithmic.
    """
    tooltip = [*_tip(color), *_tip(x, x_title, unit=x_unit), *_interval_tips(y, low, high, y_title, unit)]
    shown = _title(y, y_title)
    across = _channel(x, x_title, unit=x_unit, zero=zero)
    if log:
        across["scale"] = {"type": "log", "nice": False}
    layers: list[Spec] = []
    if diagonal:
        # The line has its own two data points.
        ends = {"x": {"field": "at", "type": "quantitative"}, "y": {"field": "at", "type": "quantitative"}}
        layers.append(
            {"data": {"values": [{"at": 0}, {"at": 1}]}, "mark": {"type": "line", "style": "reference"}, "encoding": ends}
        )
    if low is not None and high is not None:
        band = {"x": across, "y": _channel(low, shown, unit=unit, zero=zero), "y2": {"field": field(high)}, **_color(color)}
        layers.append({"mark": {"type": "area", "style": "band"}, "encoding": band})
    line = {"x": across, "y": _channel(y, shown, unit=unit, zero=zero), **_color(color)}
    layers.append({"mark": {"type": "line", "point": points}, "encoding": line | {"tooltip": tooltip}})
    return {"layer": layers, "height": 280}


def scatter(
    *,
    x: str,
    y: str,
    color: str | None = None,
    label: str | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    x_unit: str = "fraction",
    unit: str = "fraction",
    zero: bool = False,
) -> Spec:
    """A dot at (`x`, `y`) for each row; `label` names it in the tooltip, `color` groups."""
    encoding = {
        "x": _channel(x, x_title, unit=x_unit, zero=zero),
        "y": _channel(y, y_title, unit=unit, zero=zero),
        **_color(color),
        "tooltip": [*_tip(label), *_tip(color), *_tip(x, x_title, unit=x_unit), *_tip(y, y_title, unit=unit)],
    }
    return {"mark": {"type": "point", "style": "dot"}, "encoding": encoding, "height": 320}


def histogram(
    *,
    start: str,
    end: str,
    count: str,
    color: str | None = None,
    value_title: str | None = None,
    count_title: str | None = None,
    unit: str = "",
    count_unit: str = "count",
) -> Spec:
    """Bars over bins that the probe has counted: from `start` to `end`, as high as `count`; `color` overlays groups.

    Groups of different sizes are compared by their shares (`count_unit="fraction"`). The probe counts, so that an exhibit of a
    million pictures is a table of thirty rows.
    """
    tooltip = [
        *_tip(color),
        *_tip(start, "from", unit=unit),
        *_tip(end, "to", unit=unit),
        *_tip(count, count_title, unit=count_unit),
    ]
    across = _channel(start, value_title or "value", unit=unit, zero=False) | {"bin": {"binned": True}}
    height = _channel(count, count_title, unit=count_unit) | {"stack": None}
    encoding = {"x": across, "x2": {"field": field(end)}, "y": height, **_color(color), "tooltip": tooltip}
    return {"mark": {"type": "bar", "style": "bin"}, "encoding": encoding, "height": 240}
