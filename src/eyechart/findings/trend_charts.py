"""The chart of a trend: a dot for each model, the line through the baseline with its band, on probit, logit or linear axes.

Vega-Lite has no probit scale, so dots, line and ticks are positions on the axis, and tick labels are computed back.
Groups can be selected in the legend; rows marked as `mine` are drawn large, with their names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eyechart.findings.charts import Spec, field, scatter

Axis = Literal["probit", "logit", "linear"]

# Vega expressions from a fraction to a position on the axis, and back.
_PLACE = {"probit": "quantileNormal({})", "logit": "log({0} / (1 - {0}))", "linear": "{}"}
_SHARE = {"probit": "cumulativeNormal(datum.value)", "logit": "1 / (1 + exp(-datum.value))", "linear": "datum.value"}
_FORMATS = {"fraction": ".2~%", "count": "~s"}


@dataclass(frozen=True)
class ChartAxis:
    """One axis of the chart.

    column: The column that it shows.
    title: Its title.
    axis: The kind of axis.
    low: Its lower end, as a position.
    high: Its upper end, as a position.
    ticks: Positions of the ticks; None for Vega-Lite's choice.
    unit: The unit of the column.
    """

    column: str
    title: str
    axis: Axis
    low: float
    high: float
    ticks: tuple[float, ...] | None = None
    unit: str = "fraction"


def trend_scatter(
    x: ChartAxis,
    y: ChartAxis,
    *,
    label: str,
    group: str,
    groups: Sequence[str],
    mine: str | None = None,
    line: Sequence[dict[str, float | None]] = (),
    diagonal: bool = True,
) -> Spec:
    """A dot at (`x`, `y`) for each row, colored by `group`, which is one of `groups`, in the legend's order.

    `mine` is a column that is true for highlighted rows. `line` holds points {x, y, low, high} as positions on the axes, for the
    trend and its band; `diagonal` draws y = x where both axes are of one kind.
    """
    plain = scatter(
        x=x.column, y=y.column, color=group, label=label, x_title=x.title, y_title=y.title, x_unit=x.unit, unit=y.unit
    )["encoding"]  # fmt: skip
    across, up = _channel(plain["x"], "x_place", x), _channel(plain["y"], "y_place", y)
    color = plain["color"] | {"scale": {"domain": list(groups)}}
    places = [
        {"calculate": _PLACE[axis.axis].format(f"datum['{field(axis.column)}']"), "as": name}
        for axis, name in ((x, "x_place"), (y, "y_place"))
    ]
    opacity = {"condition": {"param": "chosen", "value": 0.75}, "value": 0.05}
    dots: Spec = {
        "params": [
            {"name": "chosen", "select": {"type": "point", "fields": [field(group)], "toggle": "true"}, "bind": "legend"},
            {"name": "window", "select": {"type": "interval", "zoom": "wheel![event.shiftKey]"}, "bind": "scales"},
        ],
        "mark": {"type": "point", "filled": True, "size": 34, "clip": True},
        "encoding": {"x": across, "y": up, "color": color, "opacity": opacity, "tooltip": plain["tooltip"]},
    }
    band, middle = _trend(line, across, up)
    layers = [*_reference(x, y, across, up, diagonal), *band, dots, *middle]
    if mine is not None:
        layers += _highlighted(mine, label, across, up, plain["tooltip"])
    return {"transform": places, "layer": layers, "height": 420}


def _channel(plain: Spec, place: str, axis: ChartAxis) -> Spec:
    shown: dict[str, Any] = {"labelOverlap": "greedy", "labelSeparation": 6}
    if axis.unit == "points":
        shown["labelExpr"] = "format(100 * datum.value, '.1~f') + ' points'"
    elif axis.axis != "linear":
        shown["labelExpr"] = f"format({_SHARE[axis.axis]}, '{_FORMATS.get(axis.unit, '.3~g')}')"
    else:
        shown["format"] = _FORMATS.get(axis.unit, ".3~g")
    # Vega drops given ticks if a tick count is set as well.
    shown |= {"tickCount": 6} if axis.ticks is None else {"values": list(axis.ticks)}
    return plain | {"field": place, "axis": shown, "scale": {"domain": [axis.low, axis.high], "zero": False, "nice": False}}


def _reference(x: ChartAxis, y: ChartAxis, across: Spec, up: Spec, wanted: bool) -> list[Spec]:
    """The line of equal values."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    if not wanted or (x.axis, x.unit) != (y.axis, y.unit) or low >= high:
        return []
    ends = {"values": [{"x_place": low, "y_place": low}, {"x_place": high, "y_place": high}]}
    mark = {"type": "line", "style": "reference", "clip": True, "tooltip": None}
    return [{"data": ends, "mark": mark, "encoding": {"x": across, "y": up}}]


def _trend(line: Sequence[dict[str, float | None]], across: Spec, up: Spec) -> tuple[list[Spec], list[Spec]]:
    """The band under the dots, and the line over them."""
    if not line:
        return [], []
    points = [{"x_place": p["x"], "y_place": p["y"], "low": p["low"], "high": p["high"]} for p in line]
    ends = {"x": across, "y": up | {"field": "low"}, "y2": {"field": "high"}}
    band = {"data": {"values": points}, "mark": {"type": "area", "style": "trend-band", "clip": True}, "encoding": ends}
    mark = {"type": "line", "style": "trend", "clip": True, "tooltip": None}
    return [band], [{"data": {"values": points}, "mark": mark, "encoding": {"x": across, "y": up}}]


def _highlighted(mine: str, label: str, across: Spec, up: Spec, tooltip: list[Spec]) -> list[Spec]:
    """Large marks with names, which are placed where there is room and truncated otherwise."""
    only = [{"filter": {"field": field(mine), "equal": True}}]
    place = {"x": across, "y": up, "tooltip": tooltip}
    name = {"text": {"field": field(label), "type": "nominal"}}
    along = "scale('x', datum.x_place) / width"
    left, right = f"{along} > 0.65", f"{along} < 0.35"  # where a name is placed to one side of its mark; else above it
    room = f"{left} ? {along} : {right} ? 1 - {along} : 2 * min({along}, 1 - {along})"
    towards = {
        "align": {"expr": f"{left} ? 'right' : {right} ? 'left' : 'center'"},
        "dx": {"expr": f"{left} ? -9 : {right} ? 9 : 0"},
        "limit": {"expr": f"max(60, width * ({room}) - 12)"},
    }
    return [
        {"transform": only, "mark": {"type": "point", "style": "mine"}, "encoding": place},
        {"transform": only, "mark": {"type": "text", "style": "mine-name", **towards}, "encoding": place | name},
    ]
