import json
from xml.etree import ElementTree

import pytest

from eyechart.findings import charts

ROWS = [
    {"name": "tabby", "group": "a", "v": 0.2, "lo": 0.1, "hi": 0.4, "x": 0.0, "end": 0.5, "n": 3},
    {"name": "lynx", "group": "b", "v": 0.8, "lo": 0.7, "hi": 0.9, "x": 0.5, "end": 1.0, "n": 7},
]
MADE = {
    "bars": charts.bars(category="name", value="v", low="lo", high="hi", color="group"),
    "dots": charts.dots_with_intervals(category="name", value="v", low="lo", high="hi"),
    "grouped dots": charts.dots_with_intervals(category="name", value="v", low="lo", high="hi", color="group"),
    "heatmap": charts.heatmap(x="name", y="group", value="v"),
    "line": charts.line_with_band(x="x", y="v", low="lo", high="hi", diagonal=True),
    "scatter": charts.scatter(x="x", y="v", color="group", label="name"),
    "histogram": charts.histogram(start="x", end="end", count="n"),
}


def drawn(spec: dict, rows: list[dict]) -> ElementTree.Element:
    """As an independent implementation of Vega-Lite draws it."""
    converter = pytest.importorskip("vl_convert")
    svg = converter.vegalite_to_svg(spec | {"data": {"values": rows}, "width": 300}, vl_version="6.1", allowed_base_urls=[])
    return ElementTree.fromstring(svg)


def marks(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    groups = [g for g in root.iter() if f"{name} role-mark" in g.get("class", "")]
    return [child for g in groups for child in g]


@pytest.mark.parametrize("name", MADE)
def test_a_chart_is_plain_json_without_data(name):
    spec = json.loads(json.dumps(MADE[name]))
    assert spec == MADE[name] and "data" not in spec and ("mark" in spec or "layer" in spec)


@pytest.mark.parametrize(
    ("name", "mark", "count"),
    [
        ("bars", "mark-rect", 2), ("bars", "mark-rule", 2), ("dots", "mark-symbol", 2), ("dots", "mark-rule", 2),
        ("grouped dots", "mark-symbol", 2), ("heatmap", "mark-rect", 2), ("line", "mark-area", 1), ("line", "mark-symbol", 2),
        ("scatter", "mark-symbol", 2), ("histogram", "mark-rect", 2),
    ],
)  # fmt: skip
def test_each_row_is_drawn(name, mark, count):
    assert len(marks(drawn(MADE[name], ROWS), mark)) == count


def test_a_reference_is_one_line_among_the_intervals():
    spec = charts.dots_with_intervals(category="name", value="v", low="lo", high="hi", reference=0.5)
    assert len(marks(drawn(spec, ROWS), "mark-rule")) == 2 + 1
    assert len(marks(drawn(spec, ROWS), "mark-symbol")) == 2


def test_a_reference_is_one_line_over_the_bars():
    spec = charts.bars(category="name", value="v", low="lo", high="hi", color="group", reference=0.5)
    assert len(marks(drawn(spec, ROWS), "mark-rule")) == 2 + 1
    assert len(marks(drawn(spec, ROWS), "mark-rect")) == 2


def test_fractions_are_drawn_as_percent():
    assert "80%" in list(drawn(MADE["dots"], ROWS).itertext())


def test_categories_keep_the_order_of_the_table():
    words = list(drawn(MADE["dots"], ROWS).itertext())
    assert words.index("tabby") < words.index("lynx")
    words = list(drawn(MADE["dots"], ROWS[::-1]).itertext())
    assert words.index("lynx") < words.index("tabby")


def test_a_longer_bar_is_a_larger_value():
    def width(path: str) -> float:
        return float(path.split("h")[1].split("v")[0].split("a")[0].split("C")[0])

    spec = charts.bars(category="name", value="v")
    spec["layer"][0]["mark"] = "bar"  # without rounded corners the path's first stroke is the length
    small, large = (width(bar.get("d")) for bar in marks(drawn(spec, ROWS), "mark-rect"))
    assert large == pytest.approx(4 * small)


ODD = ["a.b", "a[0]", "a'b\"c", "attr.sky color", "\\back", "<b>", "猫", "a\nb", "0", "", "plain name"]


@pytest.mark.parametrize("column", ODD)
def test_a_column_of_any_name_is_found_under_its_field(column):
    rows = [{charts.field(column): 0.25, "y": 0.5}, {charts.field(column): 0.75, "y": 0.9}]
    root = drawn(charts.scatter(x=column, y="y"), rows)
    assert len({m.get("transform") for m in marks(root, "mark-symbol")}) == 2


def test_fields_of_different_columns_differ():
    assert len({charts.field(column) for column in [*ODD, "a_b", "a[b", "a]b"]}) == len(ODD) + 3


def test_a_plain_column_keeps_its_name():
    assert charts.field("taken for") == "taken for"


def test_a_logarithmic_axis_spaces_ratios_evenly():
    rows = [{"x": x, "v": 0.5} for x in (1, 10, 100)]
    dots = marks(drawn(charts.line_with_band(x="x", y="v", log=True), rows), "mark-symbol")
    a, b, c = (float(dot.get("transform").removeprefix("translate(").split(",")[0]) for dot in dots)
    assert b - a == pytest.approx(c - b) and b > a


def test_the_interval_of_a_line_with_one_point_is_visible():
    """A band through one point has no area: of two groups with a point each, both intervals are drawn as lines."""
    spec = charts.line_with_band(x="x", y="v", low="lo", high="hi", color="group")
    lines = marks(drawn(spec, ROWS), "mark-rule")
    lengths = [abs(float(line.get("y2"))) for line in lines]
    assert len(lengths) == 2 and lengths[0] == pytest.approx(1.5 * lengths[1]) and lengths[1] > 0
    assert len(marks(drawn(spec, ROWS), "mark-symbol")) >= 2
    assert not marks(drawn(charts.line_with_band(x="x", y="v", low="lo", high="hi"), ROWS), "mark-rule")  # one line of two points


def test_a_line_of_many_points_can_go_unmarked():
    assert not marks(drawn(charts.line_with_band(x="x", y="v", points=False), ROWS), "mark-symbol")


def test_groups_of_a_histogram_are_compared_by_their_shares():
    spec = charts.histogram(start="x", end="end", count="v", color="group", count_unit="fraction")
    assert "80%" in list(drawn(spec, ROWS).itertext())


def test_differences_of_fractions_are_drawn_in_points():
    spec = charts.dots_with_intervals(
        category="who", value="change", low="low", high="high", value_title="after − before", unit="points", reference=0.05
    )
    assert spec["transform"][0] == {"calculate": "100 * datum['change']", "as": "change in points"}
    reference, interval, dot = spec["layer"]
    assert reference["data"]["values"] == [{"at": 5.0}]
    assert dot["encoding"]["x"]["field"] == "change in points" and dot["encoding"]["x"]["title"] == "after − before (points)"
    assert interval["encoding"]["x2"]["field"] == "high in points" and "%" not in str(spec)
