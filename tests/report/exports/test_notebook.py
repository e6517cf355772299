"""What a notebook shows: the decision, six tiles and pictures of errors, in one piece that loads nothing."""

import re
from pathlib import Path

from tests.report.sample_run import HOSTILE, write_sample_run

import eyechart
from eyechart.findings.run import read_run
from eyechart.report.exports.notebook import notebook_html


def shown(photos, tmp_path, store):
    """The model knows these shapes, so two classes are given each other's pictures."""
    first, second = sorted(path for path in photos.iterdir() if path.is_dir())[:2]
    first.rename(photos / "aside")
    second.rename(first)
    (photos / "aside").rename(second)
    exam = eyechart.examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    return exam, exam._repr_html_()


def test_the_decision_six_tiles_and_errors_with_their_pictures(photos, tmp_path, store):
    exam, html = shown(photos, tmp_path, store)
    (verdict,) = exam.verdicts()
    assert verdict.decision in html
    assert re.findall(r'class="eyechart-tile ([\w-]+)"', html) == [
        verdict.areas[area].replace(" ", "-")
        for area in ("accuracy", "worst classes", "groups", "robustness", "out-of-distribution", "calibration")
    ]
    top1 = next(f for r in verdict.rulings for f in r.figures if f.metric == "top1")
    assert f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{top1.n}" in html and f"{100 * top1.value:.1f}%" in html
    classes = next(f for r in verdict.rulings if r.area == "worst classes" for f in r.figures)
    tile = next(part for part in html.split('class="eyechart-tile ') if ">worst classes<" in part)
    assert f"<bdi>{classes.where['class']}</bdi>" in tile  # an accuracy of 0% without it could be that of all pictures
    wrong = [row for row in exam.predictions.to_pylist() if row["rank"] and row["rank"] > 1]
    errors = re.findall(r"<bdi>(\w+) → (\w+)</bdi>", html)
    assert errors and set(errors) <= {(row["class"], row["predicted_class"]) for row in wrong}


def test_it_loads_nothing_and_runs_nothing(photos, tmp_path, store):
    _, html = shown(photos, tmp_path, store)
    sources = re.findall(r'src="([^"]*)"', html)
    assert sources and all(source.startswith("data:image/jpeg;base64,") for source in sources)
    assert "<script" not in html and "http" not in html and "url(" not in html


def test_text_of_others_stays_text(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=(HOSTILE,)))
    assert HOSTILE not in notebook_html(run, Path("page.html"))
