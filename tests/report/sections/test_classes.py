"""Filters that the gallery will have are there from the beginning, so that nothing moves when they are filled."""

import re
import shutil

import pytest
from tests.report.page_files import Seen
from tests.report.sample_run import write_sample_run

import eyechart
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


def test_pictures_without_labels_have_predictions_and_no_errors(photos, tmp_path, store):
    """Nothing on the page may call a prediction correct, or say that there are no errors."""
    flat = tmp_path / "flat"
    flat.mkdir()
    for picture in photos.rglob("*.png"):
        shutil.copy(picture, flat / f"{picture.parent.name}-{picture.name}")
    names = tmp_path / "classes.txt"
    names.write_text("cone\nstar\ncube\n")
    exam = eyechart.examine(
        "demo:", flat, classes=names, prompts="single", probes=["zero_shot"], out=tmp_path / "out", store=store
    )
    assert exam.predictions.num_rows == len(list(flat.iterdir()))
    assert set(exam.predictions["predicted"].to_pylist()) <= {"cone", "star", "cube"}
    text = " ".join(Seen(exam.report()).text.split())
    assert "No labels; the 12 predictions with the smallest margin" in text
    assert "neither an accuracy by class nor a confusion matrix" in text
    assert f"{exam.predictions.num_rows} pictures, no labels" in text
    assert "least certain" in text and "errors first" not in text
    strip = text.split("with the smallest margin")[1].split("Verdict")[0]
    assert len(re.findall("→ (?:cone|star|cube)", strip)) == 12
    assert "correct prediction" not in text and " 0 errors" not in text and "No errors" not in text
