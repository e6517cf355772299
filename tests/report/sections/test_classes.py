"""Filters that the gallery will have are there from the beginning, so that nothing moves when they are filled."""

import pytest
from tests.report.sample_run import write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.galleries import galleries_of
from eyechart.report.html.builder import render
from eyechart.report.sections.classes import pictures_section
from eyechart.report.view import views_of


@pytest.mark.parametrize(("galleries", "hidden"), [(1, True), (2, False)])
def test_the_choice_of_a_dataset_is_there_where_there_is_one(tmp_path, galleries, hidden):
    run = read_run(write_sample_run(tmp_path / "run"))
    view = views_of(run)[0]
    gallery = galleries_of(run)[view.model, view.main, None]
    html = render([pictures_section(view, gallery, galleries)])
    assert ("<label hidden>Dataset" in html) == hidden
    assert f"{gallery.kept:,} pictures, {gallery.wrong:,} error" in html and gallery.wrong
