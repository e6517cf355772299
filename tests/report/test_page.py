import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.report.sample_run import HOSTILE, add_probe, write_sample_run

from eyechart.errors import StoreError
from eyechart.findings import exhibit, finding, skip
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.report.page import write_report


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
    text = Seen(write_report(folder)).text
    assert "No probe could be run: ViT-B-32 · laion2b gives no attention maps; ask a model that does" in text
    assert "headline number" not in text


def test_a_reason_that_holds_for_several_questions_is_given_once(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    shutil.rmtree(folder / "exhibits")
    pq.write_table(finding.empty_table(), folder / "findings.parquet")
    reasons = {"zero_shot": "no classes", "linear": "no classes", "attention": "no attention"}
    skips = [skip.Skip("one", "garden visitors", probe, reason) for probe, reason in reasons.items()]
    pq.write_table(skip.to_table(skips), folder / "skips.parquet")
    text = Seen(write_report(folder)).text
    both = "no classes (zero_shot of one on garden visitors; linear of one on garden visitors)"
    assert f"No probe could be run. The reasons:{both}no attention (attention of one on garden visitors)" in text


def test_the_big_number_is_of_the_probe_that_the_protocol_lists_first(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, "aardvark", [Finding(metric="gap", value=0.566, n=600, unit="cosine")])
    # The rows of the other probe first, as a run in another order would leave them.
    findings = pq.read_table(folder / "findings.parquet")
    pq.write_table(findings.sort_by("probe"), folder / "findings.parquet")
    assert big_number(write_report(folder)).endswith("%")


def test_another_probe_leads_where_the_protocol_lists_it_first(cosine_page):
    assert big_number(cosine_page) == "0.566cosine"
    # And what zero_shot found with the leading prompts still stands open on the card.
    others = re.search(r'<ul class="others">(.*?)</ul>', cosine_page.read_text("utf-8"), re.S).group(1)
    assert "top-1 accuracy" in others


def big_number(page: Path) -> str:
    return re.sub("<[^>]*>", "", re.search(r'<p class="number">(.*?)</p>', page.read_text("utf-8")).group(1))


def test_findings_of_a_probe_without_exhibits_stand_in_its_section(cosine_page):
    part = re.search(r'<section id="probe-1".*?</section>\s*</section>', cosine_page.read_text("utf-8"), re.S).group()
    assert re.findall(r"<td[^>]*>(?:<bdi>)?([^<]*)", part) == ["gap", "", "0.566 cosine", "0.512 to 0.601 cosine", "600"]


def test_the_head_counts_what_was_left_out_and_leads_to_it(calm_page):
    head = re.search(r"<header.*?</header>", calm_page.read_text("utf-8"), re.S).group()
    links = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', head)
    assert links == [("skipped", "1 probe skipped"), ("excluded", "1 picture set aside"), ("notices", "1 notice")]


def test_models_are_named_where_some_could_use_what_others_could_not(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("first", "second"))
    (second,) = (folder / "exhibits" / "exam").glob("set-aside-second*")
    rows = pa.table({"id": ["huge"], "place": ["huge.jpg"], "reason": ["too large"]})
    made = Exhibit("set-aside", "", "", rows, "table")
    pq.write_table(exhibit.to_table(made, model="second", dataset="garden visitors", probe="exam"), second)
    page = write_report(folder).read_text("utf-8")
    assert "2 pictures set aside" in page
    remarks = re.search(r'<section id="exclusions">.*?</section>', page, re.S).group()
    assert [re.findall("<bdi>([^<]*)", row)[0::3] for row in re.findall("<tr><td>.*?</tr>", remarks)][1:3] == [
        ["broken", "first"],
        ["huge", "second"],
    ]


def test_a_model_that_failed_is_told_from_a_question_that_was_not_asked(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    lost = [skip.Skip("lost", "garden visitors", probe, "there is no folder lost") for probe in ("zero_shot", "attention")]
    pq.write_table(skip.to_table(lost), folder / "skips.parquet")
    page = write_report(folder)
    assert "1 model failed" in Seen(page).text and "skipped" not in Seen(page).text
    assert page.read_text("utf-8").count("there is no folder lost") == 1


def test_the_columns_say_numbers_early_and_nothing_twice(calm_page, cosine_page):
    keys = r'data-key="([a-z0-9]+)"'
    ends = ["probe", "protocol"]
    assert re.findall(keys, calm_page.read_text("utf-8")) == ["metric", "slice", "value", "interval", "n", "model", *ends]
    assert re.findall(keys, cosine_page.read_text("utf-8")) == ["metric", "slice", "value", "interval", "n", *ends]


def test_guessing_is_a_tick_and_a_word_beside_accuracy_alone(tmp_path):
    page = write_report(write_sample_run(tmp_path / "run", models=("one",), prompts=("single",))).read_text("utf-8")
    # One of twelve classes, at 99.7% of the line so that the tick stays within it.
    assert re.findall(r'<rect class="chance" x="([0-9.]+)%"', page) == ["8.31", "8.31"]
    assert page.count("chance: 8.3%") == 2 * 2  # the sentence and the label of the drawing, for top-1 and mean per class


def test_the_card_tells_what_the_model_says_of_itself(calm_page, nasty_page):
    assert Seen(calm_page).text.count("trained on captions of gardens") == 2 * 2  # in the headline and in the protocol
    assert f"trained on captions of gardens{HOSTILE}" in Seen(nasty_page).text


def test_the_first_findings_are_there_without_script(calm_run, calm_page):
    table = re.search(r'<table id="findings-table".*?</table>', calm_page.read_text("utf-8"), re.S).group()
    assert table.count("<tr>") == 1 + pq.read_metadata(calm_run / "findings.parquet").num_rows
