"""Headline numbers of all models and datasets, in the tab that compares."""

import re

import pytest
from tests.report.page_files import data_of
from tests.report.sample_run import HOSTILE, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.page import write_report
from eyechart.report.summary import headline_rows


def compared(folder, models: int, text: str = "") -> tuple:
    names = [f"model {number}{text}" for number in range(models)]
    write_sample_run(folder, models=names, prompts=("single", "bare"))
    page = write_report(folder)
    html = data_of(page, "compare")["html"]
    return page, html[html.index('class="overview"') :] if 'class="overview"' in html else ""


def rows_of(overview: str) -> list[str]:
    return re.findall(r'<tr><th scope="row">.*?</tr>', overview, re.S)


@pytest.mark.parametrize(("models", "there"), [(1, False), (2, True)])
def test_one_model_on_one_dataset_needs_no_overview(tmp_path, models, there):
    assert bool(compared(tmp_path / "run", models)[1]) == there


def test_a_line_holds_the_numbers_of_the_leading_prompts(tmp_path):
    _, overview = compared(tmp_path / "run", 5)
    found = [r for r in headline_rows(read_run(tmp_path / "run")) if r.prompts == "single"]
    lines = rows_of(overview)
    assert len(lines) == 5
    for line, model in zip(lines, dict.fromkeys(r.model for r in found), strict=True):
        mine = [r for r in found if r.model == model]
        assert re.findall(r'class="value">([^<]*)<', line) == [r.value_text for r in mine]
        assert all(r.interval_text in line for r in mine)


def test_very_many_are_a_grid_whose_further_numbers_are_folded(tmp_path):
    _, overview = compared(tmp_path / "run", 13)
    assert len(rows_of(overview)) == 3 * 13
    assert re.findall("<summary>([AM][^<]*)<", overview) == ["Mean per-class accuracy", "Accuracy of the worst class"]


def test_the_question_leads_to_the_documentation_of_its_probe(tmp_path):
    page, overview = compared(tmp_path / "run", 5)
    (address,) = re.findall(r'<h4><a href="([^"]+)"', overview)
    assert "zero-shot" in (page.parent / address).read_text("utf-8").lower()


def test_names_of_models_make_no_element(tmp_path):
    _, overview = compared(tmp_path / "run", 6, HOSTILE)
    assert "<script>alert" not in overview
    assert "&lt;script&gt;alert(1)" in overview
