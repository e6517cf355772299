"""Runs with many models: the headline goes question by question."""

import re

import pytest
from tests.report.sample_run import HOSTILE, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.page import write_report
from eyechart.report.summary import headline_rows


def written(folder, models: int, text: str = ""):
    names = [f"model {number}{text}" for number in range(models)]
    write_sample_run(folder, models=names, prompts=("single", "bare"))
    page = write_report(folder).read_text("utf-8")
    return page, page[page.index('id="headline"') : page.index('class="probe"')]


def rows_of(headline: str) -> list[str]:
    return re.findall(r'<tr><th scope="row">.*?</tr>', headline, re.S)


@pytest.mark.parametrize(("models", "cards", "overviews"), [(4, 4, 0), (5, 0, 1)])
def test_few_get_a_card_each_and_many_a_overview(tmp_path, models, cards, overviews):
    _, headline = written(tmp_path / "run", models)
    assert headline.count('class="number"') == cards
    assert headline.count('class="overview"') == overviews


def test_a_line_holds_the_numbers_of_the_leading_prompts(tmp_path):
    _, headline = written(tmp_path / "run", 5)
    found = [r for r in headline_rows(read_run(tmp_path / "run")) if r.prompts == "single"]
    lines = rows_of(headline)
    assert len(lines) == 5
    for line, model in zip(lines, dict.fromkeys(r.model for r in found), strict=True):
        mine = [r for r in found if r.model == model]
        assert re.findall(r'class="value">([^<]*)<', line) == [r.value_text for r in mine]
        assert all(r.interval_text in line for r in mine)


def test_very_many_are_a_grid_whose_further_numbers_are_folded(tmp_path):
    _, headline = written(tmp_path / "run", 13)
    assert len(rows_of(headline)) == 3 * 13
    overview = headline[headline.index('class="overview"') :]
    assert re.findall("<summary>([AM][^<]*)<", overview) == [
        "Mean per-class accuracy",
        "Accuracy of the worst class",
        "About the models",
    ]


def test_the_question_leads_to_its_answers(tmp_path):
    page, headline = written(tmp_path / "run", 5)
    (anchor,) = re.findall(r'<h3><a href="#([^"]+)"', headline)
    assert f'id="{anchor}"' in page


def test_names_of_models_make_no_element(tmp_path):
    _, headline = written(tmp_path / "run", 6, HOSTILE)
    assert "<script>alert" not in headline
    assert "&lt;script&gt;alert(1)" in headline
