import json
import re

import pyarrow as pa
import pytest
from tests.report.sample_run import HOSTILE

from eyechart.errors import UsageError
from eyechart.findings.charts import scatter
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.trend_charts import ChartAxis, trend_scatter
from eyechart.notice import Notice
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page

DRAWN = "[...document.querySelectorAll('.chart')].every(c => c.dataset.drawn)"
TABLE = pa.table(
    {
        "model": [HOSTILE, "b", "c"],
        "group": ["standard", "standard", "zero-shot CLIP"],
        "x": [0.5, 0.6, 0.7],
        "y": [0.4, 0.5, 0.65],
        "mine": [True, False, False],
    }
)


def page(chart=None, title="Who leaves the trend?"):
    chart = chart or scatter(x="x", y="y", label="model", color="group")
    shown = Exhibit("trend", "A trend", "Dots are models.", TABLE, chart=chart)
    return ExhibitPage("Study", title, "3 models", (Section("One", "A sentence.", (shown,)),), (Notice("a", "left out"),))


@pytest.fixture
def trend_page(tmp_path):
    axes = [ChartAxis(name, name, "probit", -1.0, 1.5, (0.0, 0.5244)) for name in ("x", "y")]
    groups = ["zero-shot CLIP", "standard"]
    return write_exhibit_page(
        page(trend_scatter(*axes, label="model", group="group", groups=groups, mine="mine")), tmp_path / "out"
    )


def test_the_page_holds_its_sections_charts_and_notices(tmp_path):
    path = write_exhibit_page(page(), tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    assert "A sentence." in text and "left out" in text and "Dots are models." in text
    (data,) = re.findall(r'<script type="application/json" id="chart-1-data">(.*?)</script>', text)
    assert json.loads(data)["columns"]["model"] == TABLE["model"].to_pylist()
    assert HOSTILE not in text


def test_a_page_is_written_anew_in_its_own_folder(tmp_path):
    write_exhibit_page(page(title="first"), tmp_path / "out")
    path = write_exhibit_page(page(title="second"), tmp_path / "out")
    assert "second" in path.read_text() and [p.name for p in tmp_path.iterdir()] == ["out"]


def test_somebody_elses_folder_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="new or empty folder"):
        write_exhibit_page(page(), tmp_path / "out")
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_charts_lie_beside_the_page_as_files(tmp_path):
    pytest.importorskip("vl_convert")
    path = write_exhibit_page(page(), tmp_path / "out", ["svg", "png", "svg"])
    assert sorted(p.name for p in (path.parent / "charts").iterdir()) == ["001-study-trend.png", "001-study-trend.svg"]


@pytest.mark.browser
@pytest.mark.parametrize("way", [{}, {"dark": True}, {"width": 360, "height": 740}])
def test_the_trend_is_drawn_without_a_complaint(browser, trend_page, way):
    browser.look(**way)
    browser.open(trend_page)
    browser.wait(DRAWN)
    assert browser.complaints() == []
    assert {url.split(":")[0] for url in browser.requests()} == {"file"}
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert "70%" in browser.run("document.querySelector('.chart svg').textContent")


@pytest.mark.browser
def test_a_click_in_the_legend_leaves_only_that_group(browser, trend_page):
    browser.open(trend_page)
    browser.wait(DRAWN)
    # Vega's own symbols of the legend; a click on one is what a reader does.
    where = "[...document.querySelectorAll('.role-legend-symbol path')][1].getBoundingClientRect().toJSON()"
    box = browser.run(where)
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, **at)
    dots = "[...document.querySelectorAll('.mark-symbol.role-mark path')].map(p => Number(p.getAttribute('opacity')))"
    browser.wait(f"{dots}.filter(o => o < 0.1).length === 1")
    assert browser.run(f"{dots}.filter(o => o > 0.5).length") == 3  # two of the group, and the large mark


@pytest.mark.browser
def test_a_dot_tells_its_model(browser, trend_page):
    browser.open(trend_page)
    browser.wait(DRAWN)
    box = browser.run("[...document.querySelectorAll('.mark-symbol.role-mark path')][1].getBoundingClientRect().toJSON()")
    browser.hover(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    browser.wait("!document.querySelector('.tip').hidden")
    assert "b" in browser.run("[...document.querySelectorAll('.tip bdi')].map(b => b.textContent)")
