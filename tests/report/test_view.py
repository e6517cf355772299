"""Views: one model on all datasets or on one, with the main number."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
from tests.found import table_of
from tests.report.page_files import Seen, data_of
from tests.report.sample_run import PROTOCOL, write_sample_run

from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.page import write_report
from eyechart.report.view import views_of


def with_second_dataset(folder, value: float):
    """The sample run with another examined dataset, on which the first model has this accuracy."""
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    protocol["datasets"]["night garden"] = {"n": 600, "classes": 12, "role": "exam"}
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")
    where = {"prompts": "openai-80"}
    rows = [
        Finding(metric="top1", value=value, n=600, low=value - 0.02, high=value + 0.02, slice=where),
        Finding(metric="chance", value=1 / 12, n=600, slice=where),
    ]
    model = next(iter(protocol["models"]))
    more = table_of(rows, model=model, dataset="night garden", probe="zero_shot", protocol=PROTOCOL, version=1)
    pq.write_table(pa.concat_tables([pq.read_table(folder / "findings.parquet"), more]), folder / "findings.parquet")
    return folder


def test_one_dataset_needs_one_view_of_each_model(calm_run):
    views = views_of(read_run(calm_run))
    assert [(v.key, v.model, v.dataset, v.main) for v in views] == [
        ("m0", "ViT-B-32 · laion2b", "garden visitors", "garden visitors"),
        ("m1", "ViT-L-14 · openai", "garden visitors", "garden visitors"),
    ]


def test_several_datasets_have_a_view_together_and_one_each(tmp_path):
    folder = with_second_dataset(write_sample_run(tmp_path / "run", models=("one",)), 0.1)
    every, first, second = views_of(read_run(folder))
    assert (every.dataset, every.main, every.number.dataset) == (None, "garden visitors", "garden visitors")
    assert (first.dataset, second.dataset) == ("garden visitors", "night garden")
    assert second.number.value == 0.1
    # What is bad on one dataset is bad for all of them together, and not for the other one.
    assert "accuracy" in every.verdict.decision and every.verdict.areas["accuracy"] == "bad"
    assert second.verdict.areas["accuracy"] == "bad" and first.verdict.areas["accuracy"] != "bad"


def test_the_page_offers_the_choice_and_has_the_other_views_beside_it(tmp_path):
    page = write_report(with_second_dataset(write_sample_run(tmp_path / "run"), 0.1))
    seen = Seen(page)
    options = [e["value"] for e in seen.all("option") if "value" in e]
    assert options[:2] == ["ViT-B-32 · laion2b", "ViT-L-14 · openai"] and options[2:5] == ["", "garden visitors", "night garden"]
    other = data_of(page, "view-m0-d1")
    assert "night garden" in Seen(other["title"]).text and "10.0%" in Seen(other["html"]).text
    # That dataset has no predictions, so it has no gallery.
    assert "data-gallery" not in other["html"]


def test_a_number_without_an_area_is_the_headline_of_its_dataset(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    rows = pq.read_table(folder / "findings.parquet")
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    for metric in protocol["probes"]["zero_shot"]["metrics"]:
        metric.pop("limits", None)
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")
    (view,) = views_of(read_run(folder))
    assert view.number is None and view.main == "garden visitors"
    top1 = next(r for r in rows.to_pylist() if r["metric"] == "top1")
    assert f"{100 * top1['value']:.1f}%" in Seen(write_report(folder)).text
