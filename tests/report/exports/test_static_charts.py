import sys
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.report.sample_run import NASTY, write_sample_run

from eyechart.errors import MissingExtra
from eyechart.report.exports.static_charts import require_charts, write_charts

CHARTS = 2 + 2 * 4  # two comparisons; four charts for each of two models


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_sample_run(tmp_path_factory.mktemp("charts") / "run", prompts=("openai-80",))


def texts(path) -> str:
    return " ".join(ElementTree.fromstring(path.read_text()).itertext())


def test_every_chart_becomes_a_readable_svg(run):
    pytest.importorskip("vl_convert")
    paths = write_charts(run, "svg")
    assert len(paths) == CHARTS and len(set(paths)) == CHARTS
    assert {p.parent for p in paths} == {run / "report" / "charts"}
    per_class = next(p for p in paths if "per-class" in p.name)
    assert "tabby cat" in texts(per_class) and "80%" in texts(per_class)


def test_png_is_twice_as_fine_on_white(run):
    pytest.importorskip("vl_convert")
    path = write_charts(run, "png")[0]
    with Image.open(path) as picture:
        assert picture.width > 2 * 640 and picture.convert("RGB").getpixel((1, 1)) == (255, 255, 255)


def test_users_text_is_drawn_as_text(tmp_path):
    pytest.importorskip("vl_convert")
    nasty = write_sample_run(tmp_path / "run", classes=NASTY, models=NASTY[:1], prompts=NASTY[1:2], probe_text=NASTY[2])
    per_class = next(p for p in write_charts(nasty, "svg") if "per-class" in p.name)
    assert "<script>alert(1)</script>" in texts(per_class)
    assert not [e for e in ElementTree.fromstring(per_class.read_text()).iter() if e.tag.endswith("script")]


def test_without_the_converter_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"eyechart\[charts\]"):
        write_charts(run, "svg")


def test_the_converter_can_be_asked_for_beforehand(monkeypatch):
    pytest.importorskip("vl_convert")
    require_charts()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"eyechart\[charts\]"):
        require_charts()
