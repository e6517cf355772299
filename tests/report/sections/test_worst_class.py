"""Tile, class table and workbench name one worst class: that of the verdict, with its dataset where several are shown."""

import re
from dataclasses import replace

import pytest
from tests.found import run_of, table_of
from tests.report.page_files import Seen, data_of
from tests.report.sections.test_first_screen import page_of

import eyechart
from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.class_rows import class_rows
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import render
from eyechart.report.page import write_report
from eyechart.report.picture_details import PictureDetail
from eyechart.report.sections.rulings import rulings_section
from eyechart.report.sections.tiles import worst_class_note
from eyechart.report.sections.worst_class_line import worst_class_line
from eyechart.report.tabs import tabs_of_probes
from eyechart.report.terminal import one_model
from eyechart.report.view import views_of
from eyechart.report.worst_class import worst_class
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import Ruling
from eyechart.verdict.verdict import verdict_of
from eyechart.workbench.run_result import run_result


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Two datasets: the first one leads, the second one has the weaker classes."""
    folder = tmp_path_factory.mktemp("several")
    plan = eyechart.Plan(
        models=(eyechart.ModelPlan("demo:"),),
        datasets=(eyechart.DataPlan("world-objects", limit=180), eyechart.DataPlan("world-shifts", limit=396)),
        probes=("zero_shot", "worst"),
        prompts=("single",),
    )
    eyechart.run(plan, out=folder / "run", store=folder / "store")
    write_report(folder / "run")
    return folder / "run"


def lowest_of(run, dataset):
    """By the findings themselves: the lowest accuracy of a class, and of equal ones that of the most pictures."""
    rows = [f for f in run.findings.to_pylist() if (f["metric"], f["dataset"]) == ("class_accuracy", dataset)]
    found = min(rows, key=lambda f: (f["value"], -f["n"]))
    return re.search('"class": "(.*?)"', found["slice"])[1], found["value"]


def test_all_places_name_the_judged_class_of_the_weakest_dataset(several):
    run = read_run(several)
    (name, value), (_, better) = (lowest_of(run, dataset) for dataset in ("world-shifts", "world-objects"))
    assert value < better
    expected = f"{name} {100 * value:.1f}% on world-shifts"
    seen = Seen(several / "report" / "index.html")
    assert f"Worst class of all datasets: {expected}." in seen.text
    # The tile shows the same class: its accuracy as the number, or in a line below a mean over classes.
    tile = seen.text[seen.text.index("Worst classes") : seen.text.index("Calibration", seen.text.index("Worst classes"))]
    assert f"worst class: {expected}" in tile or (f"class: {name}" in tile and f"{100 * value:.1f}%" in tile)
    assert "world-shifts" in tile
    named = re.findall("worst class(?!es)(?: of all datasets)?: (\\S+)", seen.text, re.IGNORECASE)
    assert set(named) == {name}
    assert any(a.get("href") == f"#m0-d1/pictures?true={name}&show=wrong" for a in seen.all("a"))
    for dataset in ("world-shifts", "world-objects"):  # whichever is open in the workbench
        worst = run_result(run, "demo", dataset)["worst"]
        assert (worst["name"], worst["text"], worst["dataset"]) == (name, f"{100 * value:.1f}%", "world-shifts")


def test_the_view_of_one_dataset_names_its_own_worst_class(several):
    run = read_run(several)
    for number, dataset in enumerate(("world-objects", "world-shifts")):
        name, value = lowest_of(run, dataset)
        seen = Seen(data_of(several / "report" / "index.html", f"view-m0-d{number}")["html"])
        assert f"Worst class: {name} {100 * value:.1f}%." in seen.text


def test_of_one_dataset_the_tile_and_the_table_agree(tmp_path):
    page = page_of(tmp_path / "run")
    run = read_run(tmp_path / "run")
    first = class_rows(run, "one", run.datasets[0])[0]
    seen = Seen(page)
    assert f"worst class: {first['class']} {first['text']}" in seen.text
    assert f"Worst class: {first['class']} {first['text']}." in seen.text


def test_classes_with_the_same_accuracy_are_counted(tmp_path):
    """Three classes are never right: one is named, and the line says that there are two more."""
    shares = {"dress": 0.0, "hat": 0.25, "pants": 0.0, "shoes": 0.0}
    rows = [Finding(metric="top1", value=0.0625, n=80, low=0.02, high=0.14)]
    rows += [Finding(metric="chance", value=0.25, n=80), Finding(metric="majority", value=0.25, n=80)]
    rows += [Finding(metric="mean_per_class", value=0.0625, n=80, low=0.02, high=0.14)]
    rows += [
        Finding(metric="class_accuracy", value=v, n=20, low=0.0, high=0.4, slice={"class": name}) for name, v in shares.items()
    ]
    run = run_of(table_of(rows))
    worst = worst_class(run, "m", verdict_of(run, "m", "d"))
    assert (worst.name, worst.text, worst.ties) == ("dress", "0.0%", 2)
    (view,) = views_of(run)
    assert "".join(map(str, worst_class_line(run, view, worst, linked=False))).endswith(" 0.0%, and 2 other classes")
    assert "accuracy (dress and 2 more) 0.0%" in "\n".join(one_model(run, verdict_of(run, "m")))
    assert "2 other classes have the same accuracy" in str(render(worst_class_note(run, view, linked=False)))


@pytest.mark.parametrize(("k", "shown"), [(1, {"dress"}), (2, {"dress", "pants"})])
def test_worst_at_k_is_shown_with_pictures_of_the_k_worst_classes(k, shown):
    """The surest error is of another class, and does not illustrate it."""
    rows = [
        Finding(metric="class_accuracy", value=v, n=20, low=0.0, high=0.9, slice={"class": name})
        for name, v in {"hat": 0.5, "pants": 0.1, "dress": 0.0}.items()
    ]
    run = run_of(table_of(rows), table_of([Finding(metric="worst_at_k", value=0.0, n=20, slice={"k": k})], probe="worst"))
    (view,) = views_of(run)
    row = next(row for row in run.findings.to_pylist() if row["metric"] == "worst_at_k")
    ruling = Ruling("worst classes", "inconclusive", "whether", (Figure.of(row, run),))
    classes = ["hat", "pants", "dress"]
    details = [PictureDetail(f"{name}.png", name, "shoes", (), (), "") for name in classes]
    evidence = EvidenceLinks(run, tabs_of_probes(run))
    page = rulings_section(
        replace(view, verdict=replace(view.verdict, rulings=(ruling,))), evidence, lambda *_: details,
        {("d", d.id): d.id for d in details}, {},
    )  # fmt: skip
    assert {name for name in classes if f"{name}.png" in str(render(page))} == shown
