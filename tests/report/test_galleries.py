"""The gallery's data: complete and in order where it fits, bounded and honest where it does not."""

from collections import Counter

import pytest
from tests.report.page_files import Seen, data_of
from tests.report.sample_run import CALM, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report import galleries, gallery_files
from eyechart.report.galleries import galleries_of
from eyechart.report.gallery_files import confusion_cells
from eyechart.report.page import write_report


def test_every_prediction_is_there_and_errors_come_first_by_confidence(calm_run, calm_page):
    run = read_run(calm_run)
    rows = [r for r in run.predictions.to_pylist() if r["model"] == run.models[0] and r["prompts"] == "openai-80"]
    about, data = data_of(calm_page, "g0"), data_of(calm_page, "g0-0")
    assert sorted(data["id"]) == sorted(r["id"] for r in rows)
    wrong = [true != taken for true, taken in zip(data["true"], data["predicted"], strict=True)]
    assert wrong == sorted(wrong, reverse=True) and sum(wrong) == about["wrong"] == 12
    sure = data["confidence"][:12]
    assert sure == sorted(sure, reverse=True)
    by_id = {r["id"]: r for r in rows}
    for place, id in enumerate(data["id"]):
        row = by_id[id]
        assert about["classes"][data["true"][place]] == row["class"]
        assert [about["classes"][c] for c in data["top"][place]] == row["top5_classes"]
        assert data["margin"][place] == pytest.approx(1000 * row["margin"], abs=0.51)


def test_the_cells_count_the_predictions(calm_run):
    run = read_run(calm_run)
    gallery = galleries_of(run)[run.models[0], "garden visitors", None]
    rows = [r for r in run.predictions.to_pylist() if r["model"] == run.models[0] and r["prompts"] == "openai-80"]
    expected = Counter((r["class"], r["predicted_class"]) for r in rows)
    assert {(gallery.classes[t], gallery.classes[p]): n for t, p, n in confusion_cells(gallery)} == expected


def test_a_large_run_is_cut_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(galleries, "MOST_ROWS", 20)
    monkeypatch.setattr(galleries, "LEAST_ROWS", 20)
    monkeypatch.setattr(gallery_files, "CHUNK", 15)
    page = write_report(write_sample_run(tmp_path / "run", models=("one",)))
    about = data_of(page, "g0")
    assert (about["kept"], about["total"], about["chunks"]) == (20, 72, 2)
    assert [len(data_of(page, f"g0-{chunk}")["id"]) for chunk in range(2)] == [15, 5]
    text = Seen(page).text
    assert "The page holds 20 of 72 predictions, errors first." in text
    assert "eyechart predictions RUN --model one --dataset 'garden visitors'" in text
    assert sum(n for *_, n in about["cells"]) == 72  # the matrix counts what the gallery leaves out


def test_neighbors_and_attributes_are_kept_by_id(calm_page):
    near = data_of(calm_page, "g0-near")
    first = near[f"{CALM[0]}/0"]
    assert [name for name, _, _ in first["neighbors"]] == [f"{CALM[0]}/{k}" for k in range(1, 5)]
    assert [cosine for *_, cosine in first["neighbors"]] == [0.9, 0.8, 0.7, 0.6]
    assert first["attributes"] == f"color: {CALM[0]}"


def test_class_rows_are_the_findings_of_the_leading_prompts(calm_run, calm_page):
    run = read_run(calm_run)
    rows = {row["class"]: row for row in data_of(calm_page, "g0")["rows"]}
    for f in run.findings.to_pylist():
        if f["metric"] == "class_accuracy" and f["model"] == run.models[0] and '"openai-80"' in f["slice"]:
            name = next(c for c in CALM if f'"{c}"' in f["slice"])
            assert (rows[name]["value"], rows[name]["low"], rows[name]["high"], rows[name]["n"]) == (
                f["value"],
                f["low"],
                f["high"],
                f["n"],
            )
    assert len(rows) == len(CALM)
