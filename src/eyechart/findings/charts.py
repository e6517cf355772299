"""Charts for exhibits: Vega-Lite 6 specifications without data, as plain dicts.

Every builder takes the names of the exhibit's columns and gives a specification that a probe puts into `Exhibit.chart`; the
report binds the table to it, sets the width and colours it for light, dark and print. A column may have any name (see `field`);
`unit` is that of the findings: "fraction" is drawn as percent.

    Exhibit(
        "per-class", "Accuracy of every class", "The classes at the bottom are hardly recognised.", table,
        chart=dots_with_intervals(category="class", value="accuracy", low="low", high="high", value_title="accuracy"),
    )

Rows are drawn in the order of the table, so a probe sorts (and cuts: some 40 rows are readable) before it exhibits.
"""

import hashlib
import re
from typing import Any, Literal

Spec = dict[str, Any]
Type = Literal["quantitative", "nominal", "ordinal"]

_AXIS_FORMATS = {"fraction": ".1~%", "count": "~s"}
_TOOLTIP_FORMATS = {"fraction": ".1%", "count": ",d"}


def field(column: str) -> str:
    """The name under which Vega-Lite finds a column.

    It reads dots, brackets, quotes and backslashes in a name as a path, and no escaping mends all of them; so a column with
    such a name gets another one here, and the report gives its rows that name too."""
    if re.fullmatch(r"[^\W\d][\w -]*", column):
        return column
    return f"{re.sub(r'[^0-9A-Za-z]', '_', column)}_{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def _title(column: str, title: str | None) -> str:
    # Vega-Lite writes titles into expressions and quotes only the quotes in them: a line end or a backslash would break those.
    shown = column.replace("_", " ") if title is None else title
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", shown).replace("\\", "∖")


def _channel(column: str, title: str | None = None, *, kind: Type = "quantitative", unit: str = "", zero: bool = True) -> Spec:
    channel: Spec = {"field": field(column), "type": kind, "title": _title(column, title)}
    if kind == "quantitative":
        channel["axis"] = {"format": _AXIS_FORMATS.get(unit, "~g"), "tickCount": 5}
        if unit == "count":
            channel["axis"]["tickMinStep"] = 1  # there is no half block, nor half a name
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
    """One line of a tooltip; `unit` is None for names, which are shown as they are."""
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
    """Lying bars, one per `category`, as long as `value`; a whisker from `low` to `high` where both are given.

    With `color`, the bars of a category stand beside each other. `reference` is a value that all are compared with, such as
    chance, drawn as an upright line."""
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
        layers.append(_upright(reference))
    return {"layer": layers, "height": {"step": 22 if color is None else 12}}


def _upright(at: float) -> Spec:
    """A line over all categories; over a point of its own, which says only where it stands."""
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
    """A dot at `value` on a line from `low` to `high` for each `category`; with `color`, several beside each other.

    The axis need not start at zero, for nothing is read from a length; `zero=True` makes it. `reference` is a value that all are
    compared with, drawn as an upright line."""
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
        layers.insert(0, _upright(reference))
    return {"layer": layers, "height": {"step": 22 if color is None else 14}}


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
    """A coloured cell for each row of the table, in column `x` and line `y`, both in the table's order.

    More is darker, and lighter where the page is dark."""
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
    """A line through (`x`, `y`) with a band from `low` to `high`; its points are marked but where there are too many of them.

    `diagonal` adds the line y = x from 0 to 1, for reliability and ROC curves; `log` spaces positive x by their ratios."""
    tooltip = [*_tip(color), *_tip(x, x_title, unit=x_unit), *_interval_tips(y, low, high, y_title, unit)]
    shown = _title(y, y_title)
    across = _channel(x, x_title, unit=x_unit, zero=zero)
    if log:
        across["scale"] = {"type": "log", "nice": False}
    layers: list[Spec] = []
    if diagonal:
        # Not over the table but over two points of its own, which say only where the line runs.
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
    """Bars over intervals that the probe has counted already: from `start` to `end`, as high as `count`; `color` overlays groups,
    whose shares (`count_unit="fraction"`) can be compared where their numbers cannot.

    Counting is the probe's, so that an exhibit of a million pictures is a table of thirty rows."""
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
