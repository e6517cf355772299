import math

import pyarrow as pa
import pytest

from eyechart.errors import StoreError
from eyechart.findings.charts import scatter
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.report.html.drawing import cell, columns, rows, specification, theme, units_of


def placed(**parts) -> PlacedExhibit:
    inputs = {"name": "n", "title": "T", "sentence": "S.", "table": pa.table({"x": [1]}), "chart": {"mark": "bar"}} | parts
    return PlacedExhibit("m", "d", "p", Exhibit(**inputs))


def test_a_chart_takes_the_width_of_its_place_and_the_exhibits_words():
    spec = specification(placed())
    assert (spec["width"], spec["description"], spec["data"]) == ("container", "T. S.", {"name": "table"})


def test_a_chart_keeps_the_width_it_asks_for():
    assert specification(placed(chart={"mark": "bar", "width": 90}))["width"] == 90


def test_rows_of_views_have_widths_of_their_own():
    assert "width" not in specification(placed(chart={"hconcat": []}))


def test_what_reaches_outside_is_taken_out_of_a_chart():
    chart = {
        "mark": "image",
        "usermeta": {"embedOptions": {"actions": True}},
        "datasets": {"table": []},
        "data": {"url": "https://example.org/data.json"},
        "layer": [{"data": {"url": "https://example.org"}, "encoding": {"href": {"field": "x"}, "x": {"field": "x"}}}],
    }
    spec = specification(placed(chart=chart))
    assert "usermeta" not in spec and "datasets" not in spec and "example.org" not in str(spec)
    assert spec["layer"] == [{"data": {}, "encoding": {"x": {"field": "x"}}}]


def test_a_chart_exhibit_without_a_chart_is_named():
    with pytest.raises(StoreError, match="p/n"):
        specification(placed(chart=None))


def test_tables_become_json_without_nan_bytes_or_control_characters():
    table = pa.table(
        {"a": [math.nan, 1.5, None], "b\x01": ["x\x02", "y", None], "raw": [b"1", b"2", b"3"], "list": [[1], [2], None]}
    )
    assert columns(table) == {"a": [None, 1.5, None], "b\ufffd": ["x\ufffd", "y", None], "list": [[1], [2], None]}
    assert rows(table)[0].items() >= {"a": None, "b\ufffd": "x\ufffd", "list": [1]}.items()


def test_rows_have_each_column_under_the_name_that_charts_use():
    chart = scatter(x="attr.size", y="y")
    assert rows(pa.table({"attr.size": [1], "y": [2]})) == [{"attr.size": 1, "y": 2, chart["encoding"]["x"]["field"]: 1}]


def test_a_column_may_carry_its_unit():
    schema = pa.schema([pa.field("share", pa.float64(), metadata={"unit": "fraction"}), pa.field("other", pa.float64())])
    units = units_of(pa.table({"share": [0.5], "other": [0.5]}, schema=schema))
    assert [cell(0.5, units[name]) for name in ("share", "other")] == ["50.0%", "0.500"]


@pytest.mark.parametrize(("value", "text"), [(True, "yes"), (1200, "1,200"), (None, ""), ("x", "x"), ([1, 0.5], "1, 0.500")])
def test_cells_read_as_text(value, text):
    assert cell(value) == text


def test_both_themes_style_the_same_things():
    light, dark = theme()["light"], theme()["dark"]
    assert light.keys() == dark.keys() and light["style"].keys() == dark["style"].keys()
