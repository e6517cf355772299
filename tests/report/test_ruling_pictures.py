"""Pictures beside rulings: those that the ruling is about, against the predictions and captions of real runs."""

import re
from html import unescape

import pyarrow.parquet as pq
import pytest
from tests.report.test_browser import opened
from tests.report.test_browser_pictures import LIGHTBOX

import eyechart
from eyechart.findings.run import read_run
from eyechart.inputs import open_data
from eyechart.plan import DataPlan
from eyechart.report.page import write_report
from eyechart.verdict.verdict import verdict_of


@pytest.fixture(scope="module")
def corrupted(tmp_path_factory):
    """Clean pictures with noisy copies as a companion."""
    folder = tmp_path_factory.mktemp("corrupted")
    dataset = open_data(DataPlan("world-objects", limit=90), seed=0)
    for row, label in enumerate(dataset.table.column("label").to_pylist()):
        (folder / "photos" / label).mkdir(parents=True, exist_ok=True)
        (folder / "photos" / label / f"{row}.png").write_bytes(dataset.pictures.read(row))
    probes = ["zero_shot", "corruption"]
    options = {"probes": probes, "corruptions": "noise:5", "default_ood": False, "store": folder / "store"}
    eyechart.examine("demo:", folder / "photos", out=folder / "run", prompts="bare", **options)
    return folder / "run"


@pytest.fixture(scope="module")
def shifted(tmp_path_factory):
    """A table with originals and their shifted versions."""
    folder = tmp_path_factory.mktemp("shifted")
    options = {"probes": ["zero_shot", "shift", "corruption"], "corruptions": [], "default_ood": False, "limit": 600}
    eyechart.examine("demo:", "world-shifts", out=folder / "run", prompts="bare", store=folder / "store", **options)
    return folder / "run"


@pytest.fixture(scope="module")
def captioned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captioned")
    options = {"probes": ["retrieval"], "corruptions": [], "default_ood": False, "limit": 120}
    eyechart.examine("demo:", "world-retrieval", out=folder / "run", store=folder / "store", **options)
    return folder / "run"


def shown(run, area):
    """Ruling → the pictures beside it as (dataset, id), and the reason why there are none."""
    page = write_report(run).read_text(encoding="utf-8")
    rulings = verdict_of(read_run(run), "demo").rulings
    found = {}
    for place, ruling in enumerate(rulings):
        if ruling.area == area and ruling.figures:
            row = page.split(f'id="m0/ruling-{place}"')[1].split("</article>")[0]
            cards = re.findall(r"<button[^>]*>", row.split('class="three"')[1]) if 'class="three"' in row else []
            cards = [{k: unescape(v) for k, v in re.findall(r'data-([a-z]+)="([^"]*)"', card)} for card in cards]
            reason = re.search(r'no-pictures">([^<]*)', row)
            found[ruling.figures[0].metric, ruling.figures[0].slice] = cards, reason and unescape(reason[1])
    assert found
    return found


def predictions(run):
    rows = pq.read_table(run / "predictions.parquet").to_pylist()
    return {(row["dataset"], row["id"]): row for row in rows}


def test_rulings_on_corruptions_show_corrupted_pictures_that_are_misclassified(corrupted):
    rows = predictions(corrupted)
    for cards, reason in shown(corrupted, "robustness").values():
        assert len(cards) == 3 and reason is None
        assert {card["dataset"] for card in cards} == {"photos: corrupted copies"}
        for card in cards:
            row = rows[card["dataset"], card["id"]]
            assert row["class"] != row["predicted_class"]


def test_rulings_on_shifts_show_shifted_pictures_that_are_misclassified(shifted):
    rows = predictions(shifted)
    for cards, _ in shown(shifted, "robustness").values():
        assert cards
        for card in cards:
            row = rows[card["dataset"], card["id"]]
            assert row["class"] != row["predicted_class"]
            assert any(re.fullmatch(r"shift=(?!none$|clean$|original$|source$).+", text) for text in row["attributes"])


def test_rulings_on_retrieval_show_queries_that_are_missed(captioned):
    missed = {}
    for placed in read_run(captioned).exhibits:
        if placed.exhibit.name.startswith("missed-"):
            missed[placed.exhibit.name.removeprefix("missed-")] = set(placed.exhibit.table["id"].to_pylist())
    for (metric, _), (cards, reason) in shown(captioned, "retrieval").items():
        direction = metric.removesuffix("_r1")
        if missed.get(direction):
            assert cards and reason is None
            assert all(card["id"].split("#")[0] in missed[direction] and card["gallery"].startswith("q") for card in cards)
        else:
            assert not cards and reason == "Nothing was missed, so there is no picture to show."


def test_without_small_copies_the_row_says_so(corrupted, tmp_path, monkeypatch):
    monkeypatch.setattr("eyechart.report.page.write_thumbnails", lambda run, folder: {})
    for cards, reason in shown(corrupted, "robustness").values():
        assert cards == [] and reason.startswith("The run keeps no small copies")


@pytest.mark.browser
def test_a_picture_beside_a_ruling_enlarges_with_what_the_probe_knows(browser, corrupted):
    browser.look(width=1400, height=900)
    opened(browser, write_report(corrupted), "m0/rulings")
    card = "[...document.querySelectorAll('.ruling')].find(r => r.querySelector('.of-area').textContent.includes('robustness'))"
    browser.click(f"{card}.querySelector('.three .picture')")
    browser.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('.shown-with')")
    shown = browser.run(f"{LIGHTBOX}.querySelector('.beside-picture').innerText")
    for text in ("true class", "predicted", "– wrong", "Top 5", "corruption", "severity"):
        assert text in shown
    assert browser.complaints() == []
