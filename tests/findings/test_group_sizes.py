"""Sample sizes of two groups: FPR95 and AUROC name in-distribution and out-of-distribution pictures."""

import json

import pytest
from PIL import Image
from tests.report.page_files import data_of

import eyechart
from eyechart.findings.group_sizes import OutsideCounts, size_text
from eyechart.findings.run import read_run
from eyechart.report.page import write_report
from eyechart.report.summary import headline_rows
from eyechart.verdict.verdict import verdict_of


@pytest.fixture(scope="module")
def run(tmp_path_factory, drawn, shared_store):
    """Two out-of-distribution sets of 12 and of 15 pictures."""
    folder = tmp_path_factory.mktemp("sizes")
    for place, n in (("gray", 12), ("red", 15)):
        (folder / place).mkdir()
        for number in range(n):
            Image.new("RGB", (32 + number, 32), place).save(folder / place / f"{number}.png")
    plan = {"data": str(drawn), "ood": [str(folder / "gray"), str(folder / "red")], "probes": ["zero_shot", "ood"]}
    eyechart.examine(model="demo:", prompts="bare", out=folder / "out", store=shared_store, corruptions=[], **plan)
    return read_run(folder / "out")


def test_the_groups_of_every_number_are_those_of_its_sets(run):
    sizes, counts = {"": 27, "gray": 12, "red": 15}, OutsideCounts(run)
    seen = set()
    for row in run.findings.to_pylist():
        if row["probe"] == "ood" and row["metric"] not in ("ood_pictures", "different_pictures"):
            name = json.loads(row["slice"]).get("ood", "")
            assert counts.of(row) == sizes[name] < row["n"]
            seen.add(name)
        elif row["probe"] == "zero_shot":
            assert counts.of(row) is None
    assert seen == set(sizes)


def test_verdict_summary_and_page_name_both_groups(run):
    inside = next(row["n"] for row in run.findings.to_pylist() if row["metric"] == "top1")
    both = f"{inside} in-distribution + 27 out-of-distribution"
    (figure,) = [r.figures[0] for r in verdict_of(run, "demo").rulings if r.area == "out-of-distribution" and r.figures]
    assert figure.size_text == both and figure.text.endswith(f"n = {both}")
    rows = {row.metric: row.size_text for row in headline_rows(run)}
    assert rows["ood_fpr95"] == rows["ood_auroc"] == both and rows["top1"] == str(inside)
    page = write_report(run.folder, run)
    short = f"{inside} ID + 27 OOD"
    text = page.read_text(encoding="utf-8")
    assert both in text and f"n\u00a0=\u00a0{short}" in text
    told = data_of(page, "findings")["findings"]
    names = told["words"]["metric"]
    of_row = {int(row): names[told["codes"]["metric"][int(row)]] for row, text in told["n_text"].items() if text == short}
    assert {"ood_fpr95", "ood_auroc", "fpr95", "auroc"} <= set(of_row.values())


def test_a_run_that_does_not_say_shows_one_number():
    assert size_text(500, None) == "500"
