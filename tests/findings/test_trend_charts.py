import pytest
from scipy.stats import norm

from eyechart.findings.trend_charts import ChartAxis, trend_scatter

vl_convert = pytest.importorskip("vl_convert")
X = ChartAxis("imagenet", "ImageNet", "probit", -1.0, 2.0, (0.0,))
Y = ChartAxis("shift.1", "Shift", "probit", -1.0, 2.0, (0.0,))
ROWS = [
    {"model": "<b>one</b>", "group": "standard", "imagenet": 0.8, "shift_1": 0.7, "mine": False},
    {"model": "two", "group": "zero-shot CLIP", "imagenet": 0.6, "shift_1": 0.5, "mine": True},
]


def draw(**options):
    chart = trend_scatter(X, Y, label="model", group="group", groups=["zero-shot CLIP", "standard"], **options)
    other = next(c["calculate"] for c in chart["transform"] if c["as"] == "y_place").split("'")[1]
    rows = [{**row, other: row["shift_1"]} for row in ROWS]
    version = max(v for v in vl_convert.get_vegalite_versions() if v.startswith("6."))
    return vl_convert.vegalite_to_svg(chart | {"data": {"values": rows}, "width": 300}, vl_version=version)


def test_labels_of_the_axis_are_shares():
    assert draw().count(">50%<") == 2


def test_dots_stand_at_their_probits():
    """On an axis from −1 to 2 of 300 pixels, Φ⁻¹(0.8) = 0.84 stands at 184."""
    at = (norm.ppf(0.8) + 1) / 3 * 300
    assert f"translate({at:.2f}"[:13] in draw()


def test_ones_own_model_is_named_in_the_chart_and_others_are_not():
    assert ">two<" in draw(mine="mine") and ">two<" not in draw()


def test_a_trend_is_a_line_and_a_band():
    points = [{"x": -1.0, "y": -1.2, "low": -1.3, "high": -1.1}, {"x": 2.0, "y": 1.8, "low": 1.7, "high": 1.9}]
    assert draw(line=points).count("mark-line") == draw().count("mark-line") + 1
    assert "mark-area" in draw(line=points) and "mark-area" not in draw()


def test_the_diagonal_is_drawn_only_where_both_axes_are_alike():
    linear = ChartAxis("nll", "NLL", "linear", 0.0, 3.0, unit="nats")
    options = {"label": "model", "group": "group", "groups": ["standard"]}
    styles = [[layer["mark"].get("style") for layer in trend_scatter(X, y, **options)["layer"]] for y in (Y, linear)]
    assert "reference" in styles[0] and "reference" not in styles[1]
