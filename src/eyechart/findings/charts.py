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

from eyechart.findings.chart_parts import (
    AXIS_FORMATS,
    Spec,
    axis_title,
    category_channel,
    channel,
    color_channel,
    field,
    in_points,
    interval_tooltip,
    tooltip_line,
    vertical_line,
)

__all__ = ["Spec", "bars", "dots_with_intervals", "field", "heatmap", "histogram", "line_with_band", "scatter"]


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
    transform, (value_title, value, low, high) = in_points(unit, value, low, high, value_title)
    tooltip = [
        *tooltip_line(category, category_title),
        *tooltip_line(color),
        *interval_tooltip(value, low, high, value_title, unit),
    ]
    place: Spec = {"y": category_channel(category, category_title), "tooltip": tooltip}
    if color is not None:
        place["yOffset"] = {"field": field(color), "type": "nominal", "sort": None}
    length = {**place, "x": channel(value, value_title, unit=unit), **color_channel(color)}
    layers: list[Spec] = [{"mark": {"type": "bar", "cornerRadiusEnd": 2}, "encoding": length}]
    if low is not None and high is not None:
        whisker = {**place, "x": channel(low, axis_title(value, value_title), unit=unit), "x2": {"field": field(high)}}
        layers.append({"mark": {"type": "rule", "style": "whisker"}, "encoding": whisker})
    if reference is not None:
        layers.append(vertical_line(100 * reference if unit == "points" else reference))
    return {**transform, "layer": layers, "height": {"step": 22 if color is None else 12}}


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
    transform, (value_title, value, low_end, high_end) = in_points(unit, value, low, high, value_title)
    low, high = low_end or low, high_end or high
    tooltip = [
        *tooltip_line(category, category_title),
        *tooltip_line(color),
        *interval_tooltip(value, low, high, value_title, unit),
    ]
    place: Spec = {"y": category_channel(category, category_title), **color_channel(color), "tooltip": tooltip}
    if color is not None:
        place["yOffset"] = {"field": field(color), "type": "nominal", "sort": None}
    shown = axis_title(value, value_title)
    ends = {"x": channel(low, shown, unit=unit, zero=zero), "x2": {"field": field(high)}}
    dot = {"x": channel(value, shown, unit=unit, zero=zero)}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "style": "interval"}, "encoding": {**place, **ends}},
        {"mark": {"type": "point", "style": "dot"}, "encoding": {**place, **dot}},
    ]
    if reference is not None:
        layers.insert(0, vertical_line(100 * reference if unit == "points" else reference))
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
    tooltip = [*tooltip_line(y, y_title), *tooltip_line(x, x_title), *tooltip_line(value, value_title, unit=unit)]
    across = category_channel(x, x_title) | {"axis": {"labelAngle": -45}}
    legend = {"format": AXIS_FORMATS.get(unit, "~g")}
    shade = {"field": field(value), "type": "quantitative", "title": axis_title(value, value_title), "legend": legend}
    encoding = {"x": across, "y": category_channel(y, y_title), "color": shade, "tooltip": tooltip}
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

    Where a line has one point, its interval is drawn as a vertical line.

    `diagonal` adds the line y = x from 0 to 1, for reliability and ROC curves; `log` makes the x axis logarithmic.
    """
    tooltip = [*tooltip_line(color), *tooltip_line(x, x_title, unit=x_unit), *interval_tooltip(y, low, high, y_title, unit)]
    shown = axis_title(y, y_title)
    across = channel(x, x_title, unit=x_unit, zero=zero)
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
        band = {"x": across, "y": channel(low, shown, unit=unit, zero=zero), "y2": {"field": field(high)}, **color_channel(color)}
        layers.append({"mark": {"type": "area", "style": "band"}, "encoding": band})
        # A band through one point has no width, so its interval is a line.
        count: Spec = {"joinaggregate": [{"op": "count", "as": "points of the line"}]}
        alone = [count | ({"groupby": [field(color)]} if color else {}), {"filter": "datum['points of the line'] === 1"}]
        layers.append({"transform": alone, "mark": {"type": "rule", "style": "interval", "aria": False}, "encoding": band})
    line = {"x": across, "y": channel(y, shown, unit=unit, zero=zero), **color_channel(color)}
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
        "x": channel(x, x_title, unit=x_unit, zero=zero),
        "y": channel(y, y_title, unit=unit, zero=zero),
        **color_channel(color),
        "tooltip": [
            *tooltip_line(label),
            *tooltip_line(color),
            *tooltip_line(x, x_title, unit=x_unit),
            *tooltip_line(y, y_title, unit=unit),
        ],
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
        *tooltip_line(color),
        *tooltip_line(start, "from", unit=unit),
        *tooltip_line(end, "to", unit=unit),
        *tooltip_line(count, count_title, unit=count_unit),
    ]
    across = channel(start, value_title or "value", unit=unit, zero=False) | {"bin": {"binned": True}}
    height = channel(count, count_title, unit=count_unit) | {"stack": None}
    encoding = {"x": across, "x2": {"field": field(end)}, "y": height, **color_channel(color), "tooltip": tooltip}
    return {"mark": {"type": "bar", "style": "bin"}, "encoding": encoding, "height": 240}
