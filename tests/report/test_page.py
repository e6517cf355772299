import re
import shutil
import time
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from eyechart.errors import StoreError
from eyechart.findings import finding
from eyechart.report.page import write_report

from .sample_run import HOSTILE, write_sample_run


class Seen(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_everything_the_page_points_to_lies_beside_it(calm_page):
    seen = Seen(calm_page)
    targets = [e["src"] for tag in ("script", "img") for e in seen.all(tag) if "src" in e] + [e["href"] for e in seen.all("link")]
    assert len(targets) > 10
    assert all((calm_page.parent / target).is_file() for target in targets)


def test_every_anchor_exists_once(calm_page):
    seen = Seen(calm_page)
    ids = [e["id"] for _, e in seen.elements if "id" in e]
    assert len(ids) == len(set(ids))
    assert {e["href"][1:] for e in seen.all("a")} <= set(ids)


@pytest.mark.parametrize("page", ["calm_page", "nasty_page"])
def test_only_our_own_scripts_are_in_the_page(page, request):
    scripts = Seen(request.getfixturevalue(page)).all("script")
    assert {s.get("type") or s["src"].split("/")[0] for s in scripts} == {"application/json", "assets"}


def test_users_text_makes_no_element_and_no_handler(nasty_page):
    seen = Seen(nasty_page)
    assert HOSTILE in seen.text
    assert not [a for _, attributes in seen.elements for a in attributes if a.startswith("on") or a == "style"]
    assert all(e["src"].startswith("pictures/") for e in seen.all("img"))


def test_the_policy_forbids_fetching_and_evaluating(calm_page):
    (policy,) = [m["content"] for m in Seen(calm_page).all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self' file:;") and "eval" not in policy and "http" not in policy


def test_the_page_says_what_was_found_skipped_and_set_aside(calm_page):
    text = Seen(calm_page).text
    for part in (
        "How often does the model name the right class",
        "gives no attention maps",
        "the file ends after 1,204 bytes",
        "2 classes have the same prompts",
        "tabby cat",
        "9f2c1ab07e44d0c1",
    ):
        assert part in text


def test_the_pictures_that_galleries_show_are_written_once(calm_run, calm_page):
    shown = {e["src"] for e in Seen(calm_page).all("img")}
    assert {f"pictures/{p.name}" for p in (calm_page.parent / "pictures").iterdir()} == shown
    assert len(shown) == 1 + 2 + 3 + 4 + 1 + 2 + 3 + 4  # eight pairs with these many pictures, the same for every model


def test_a_picture_whose_pixels_were_not_kept_is_named_instead(calm_run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(calm_run, folder)
    (kept,) = (folder / "exhibits" / "exam").glob("*pictures*")
    kept.unlink()
    seen = Seen(write_report(folder))
    assert not seen.all("img") and "tabby cat/0" in seen.text


def test_a_second_report_replaces_the_first_and_leaves_nothing_else(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    page = write_report(folder)
    before = page.read_bytes()
    (page.parent / "old.txt").write_text("of the first")
    assert write_report(folder).read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == [
        "exhibits",
        "findings.parquet",
        "protocol.json",
        "report",
        "skips.parquet",
    ]
    assert not (page.parent / "old.txt").exists()


def test_a_failing_report_leaves_the_old_one(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    page = write_report(folder)
    before = page.read_bytes()
    (folder / "protocol.json").write_text("{")
    with pytest.raises(StoreError):
        write_report(folder)
    assert page.read_bytes() == before


def test_a_run_without_any_finding_has_a_page(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    shutil.rmtree(folder / "exhibits")
    pq.write_table(finding.empty_table(), folder / "findings.parquet")
    assert "No probe of this run has a headline number" in Seen(write_report(folder)).text


def test_the_first_findings_are_there_without_script(calm_run, calm_page):
    table = re.search(r'<table id="findings-table">.*?</table>', calm_page.read_text("utf-8"), re.S).group()
    assert table.count("<tr>") == 1 + pq.read_metadata(calm_run / "findings.parquet").num_rows


def test_a_thousand_classes_take_less_than_a_second(tmp_path):
    names = [f"class number {i}" for i in range(1000)]
    folder = write_sample_run(tmp_path / "run", classes=names, models=("one",), prompts=tuple("abcdef"))
    began = time.perf_counter()
    write_report(folder)
    # It takes a fifth of this; the rest is for a machine that does other things as well.
    assert time.perf_counter() - began < 1
