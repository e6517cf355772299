"""The files of a page: complete, small, safe, and saying what was found."""

import re
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.report.page_files import Seen, data_of, names_of, pieces_of, text_of
from tests.report.sample_run import CALM, HOSTILE, add_probe, write_sample_run

from eyechart.errors import StoreError
from eyechart.findings import exhibit, finding, skip
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.run import ALL_MODELS, read_run
from eyechart.notice import Notice
from eyechart.report.html.builder import render
from eyechart.report.page import write_report
from eyechart.report.probe_counts import ProbeCounts
from eyechart.report.sections.exclusions import Exclusions
from eyechart.report.sections.exclusions_section import exclusion_links, exclusions_section
from eyechart.report.view import NO_VIEW


def test_everything_the_page_points_to_lies_beside_it(calm_page):
    targets = set()
    for seen in pieces_of(calm_page).values():
        targets |= {e["src"] for tag in ("script", "img") for e in seen.all(tag) if "src" in e}
        targets |= {e["href"] for e in (*seen.all("link"), *seen.all("a")) if not e["href"].startswith("#")}
        targets |= {f"data/{e['data-part']}.js" for e in seen.all("div") if "data-part" in e}
        targets |= {f"data/{e['data-gallery']}.js" for e in seen.all("div") if "data-gallery" in e}
    assert len(targets) > 20 and any(t.startswith("docs/") for t in targets)
    assert [t for t in sorted(targets) if not (calm_page.parent / t).is_file()] == []


def test_every_link_leads_to_a_place_that_exists(calm_page):
    pieces = pieces_of(calm_page)
    anchored = {e["data-anchor"] for seen in pieces.values() for _, e in seen.elements if "data-anchor" in e}
    for name, view in {"index": "m0", "view-m1": "m1"}.items():
        ids = [e["id"] for _, e in pieces[name].elements if "id" in e]
        assert len(ids) == len(set(ids))
        links = {e["href"][1:].partition("?")[0] for e in pieces[name].all("a") if e["href"].startswith("#")}
        assert links and links <= set(ids) | {f"{view}/{anchor}" for anchor in anchored}


@pytest.mark.parametrize("page", ["calm_page", "nasty_page"])
def test_only_our_own_scripts_are_in_the_page(page, request):
    pieces = pieces_of(request.getfixturevalue(page))
    scripts = pieces.pop("index").all("script")
    assert {s.get("type") or s["src"].split("/")[0] for s in scripts} == {"application/json", "assets"}
    assert [name for name, seen in pieces.items() if seen.all("script")] == []


def test_users_text_makes_no_element_and_no_handler(nasty_page):
    pieces = pieces_of(nasty_page)
    assert HOSTILE in pieces["index"].text
    for name, seen in pieces.items():
        bad = [a for _, attributes in seen.elements for a in attributes if a.startswith("on") or a == "style"]
        assert bad == [] and all(e["src"].startswith("pictures/") for e in seen.all("img")), name


def test_a_data_file_is_one_call_that_no_text_can_end(nasty_page):
    for name in names_of(nasty_page):
        data_of(nasty_page, name)
        raw = (nasty_page.parent / "data" / f"{name}.js").read_text("utf-8")
        assert not re.search("[<>&\u2028\u2029]", raw)


def test_the_policy_forbids_fetching_and_evaluating(calm_page):
    (policy,) = [m["content"] for m in Seen(calm_page).all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self' file:;") and "eval" not in policy and "http" not in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_the_page_says_what_was_found_skipped_and_set_aside(calm_page):
    text = text_of(calm_page)
    for part in (
        "How often does the model name the right class",
        "gives no attention maps",
        "the file ends after 1,204 bytes",
        "2 classes have the same prompts",
        "tabby cat",
        "9f2c1ab07e44d0c1",
    ):
        assert part in text


def test_the_index_is_small_and_holds_no_detail(calm_page):
    assert calm_page.stat().st_size < 100_000
    assert "How often does the model name" in Seen(calm_page).text and "Confidence against accuracy" not in Seen(calm_page).text


def test_the_first_screen_has_number_tiles_and_twelve_errors(calm_page):
    html = calm_page.read_text("utf-8")
    screen = html[html.index('class="first-screen"') : html.index('class="rulings"')]
    seen = Seen(screen)
    assert re.findall(r"<h3>(?:<a[^>]*>)?([^<]+)", screen) == [
        "Accuracy", "Worst classes", "Calibration", "Robustness", "Out-of-distribution", "Groups",
    ]  # fmt: skip
    assert len([e for e in seen.all("button") if e.get("class") == "picture"]) == 12
    assert "12 errors" in seen.text and "chance 8.3%" in seen.text and "target" in seen.text
    # Areas that were not tested say how to test them.
    assert seen.text.count("Test it: eyechart examine --model") == 4
    # Each number links to the documentation of its probe.
    assert 'href="docs/probes/zero_shot.html"' in screen


def test_where_there_are_few_errors_the_closest_correct_predictions_follow(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",), classes=CALM[:10])
    text = Seen(write_report(folder)).text
    assert "All 10 errors, and the 2 closest correct predictions" in text


def test_the_pictures_are_written_once(calm_page):
    used = {e["src"] for seen in pieces_of(calm_page).values() for e in seen.all("img")}
    used |= {f"pictures/{name}.jpg" for name in data_of(calm_page, "g0-0")["picture"] if name}
    assert {f"pictures/{p.name}" for p in (calm_page.parent / "pictures").iterdir()} == used


def test_a_picture_whose_pixels_were_not_kept_is_named_instead(calm_run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(calm_run, folder)
    (kept,) = (folder / "exhibits" / "exam").glob("*pictures*")
    kept.unlink()
    page = write_report(folder)
    assert not any(seen.all("img") for seen in pieces_of(page).values())
    assert "tabby cat/0" in Seen(page).text
    assert set(data_of(page, "g0-0")["picture"]) == {""}


def test_a_second_report_replaces_the_first_and_leaves_nothing_else(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    page = write_report(folder)
    before = {p.relative_to(page.parent): p.read_bytes() for p in page.parent.rglob("*") if p.is_file()}
    (page.parent / "old.txt").write_text("of the first")
    write_report(folder)
    assert {p.relative_to(page.parent): p.read_bytes() for p in page.parent.rglob("*") if p.is_file()} == before
    assert sorted(p.name for p in folder.iterdir()) == [
        "exhibits", "findings.parquet", "predictions.parquet", "protocol.json", "report", "skips.parquet",
    ]  # fmt: skip


def test_a_failing_report_leaves_the_old_one(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    page = write_report(folder)
    before = page.read_bytes()
    (folder / "protocol.json").write_text("{")
    with pytest.raises(StoreError):
        write_report(folder)
    assert page.read_bytes() == before


def test_a_run_without_predictions_has_a_page_without_a_gallery(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    (folder / "predictions.parquet").unlink()
    page = write_report(folder)
    assert not [name for name in names_of(page) if name.startswith("g")]
    assert "data-gallery" not in page.read_text("utf-8")
    assert "no predictions" in Seen(data_of(page, "compare")["html"]).text


def without_findings(folder):
    shutil.rmtree(folder / "exhibits")
    (folder / "predictions.parquet").unlink()
    pq.write_table(finding.empty_table(), folder / "findings.parquet")


def test_a_run_without_any_finding_has_a_page(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    without_findings(folder)
    text = Seen(write_report(folder)).text
    assert "No probe could be run: ViT-B-32 · laion2b gives no attention maps; ask a model that does" in text


def test_what_a_page_without_probes_counts_can_be_opened(tmp_path):
    """The protocol is a tab of it; where there is no model at all, the lists are on the page itself."""
    folder = write_sample_run(tmp_path / "run", models=("one",))
    without_findings(folder)
    page = write_report(folder)
    index = page.read_text("utf-8")
    assert 'href="#m0/protocol/skipped"' in index and 'id="m0/protocol"' in index and 'id="m0/accuracy"' not in index
    assert 'data-anchor="protocol/skipped"' in data_of(page, "protocol")["html"]
    run = replace(read_run(folder), protocol={}, skips=skip.to_table([]))
    excluded = Exclusions({"one": "no weights"}, (), (), (Notice("garden visitors", "odd", "look"),))
    listed = render([exclusions_section(run, excluded, NO_VIEW)])
    for link in exclusion_links(excluded, ProbeCounts(0, 0, 0), NO_VIEW):
        (anchor,) = re.findall('href="#([^"]+)"', link.text)
        assert f'id="{anchor}"' in listed


def test_a_reason_that_holds_for_several_questions_is_given_once(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    without_findings(folder)
    reasons = {"zero_shot": "no classes", "linear": "no classes", "attention": "no attention"}
    skips = [skip.Skip("one", "garden visitors", probe, reason) for probe, reason in reasons.items()]
    pq.write_table(skip.to_table(skips), folder / "skips.parquet")
    text = Seen(write_report(folder)).text
    both = "no classes (zero_shot of one on garden visitors; linear of one on garden visitors)"
    assert f"No probe could be run. The reasons:{both}no attention (attention of one on garden visitors)" in text


def test_findings_of_a_probe_without_exhibits_stand_in_its_tab(cosine_page):
    index = cosine_page.read_text("utf-8")
    (part,) = re.findall(r'id="m0/words/p0".*?data-part="([^"]+)"', index, re.S)
    html = data_of(cosine_page, part)["html"]
    assert re.findall(r"<td[^>]*>(?:<bdi>)?([^<]*)", html) == ["gap", "", "0.566 cosine", "0.512 to 0.601 cosine", "600"]


def test_a_probe_of_another_package_has_a_page_of_its_own(cosine_page):
    (page,) = re.findall(r'<code>modality_gap</code> · <a href="([^"]+)"', cosine_page.read_text("utf-8"))
    assert "What does modality_gap find?" in Seen(cosine_page.parent / page).text


def test_the_head_counts_what_was_left_out_and_leads_to_it(calm_page):
    head = re.search(r"<header.*?</header>", calm_page.read_text("utf-8"), re.S).group()
    links = re.findall(r'<a href="#m0/protocol/([^"]+)">([^<]+)</a>', head)
    assert links == [("skipped", "1 probe skipped"), ("excluded", "1 picture set aside"), ("notices", "1 notice")]


def test_models_are_named_where_some_could_use_what_others_could_not(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("first", "second"))
    (second,) = (folder / "exhibits" / "exam").glob("set-aside-second*")
    rows = pa.table({"id": ["huge"], "place": ["huge.jpg"], "reason": ["too large"]})
    made = Exhibit("set-aside", "", "", rows, "table")
    pq.write_table(exhibit.to_table(made, model="second", dataset="garden visitors", probe="exam"), second)
    page = write_report(folder)
    assert Seen(page).text.count("1 picture set aside") == 1  # of the first model; the head of the second counts its own
    html = data_of(page, "protocol")["html"]
    remarks = re.search(r'<section class="exclusions">.*?</section>', html, re.S).group()
    assert [re.findall("<bdi>([^<]*)", row)[0::3] for row in re.findall("<tr><td>.*?</tr>", remarks)][1:3] == [
        ["broken", "first"],
        ["huge", "second"],
    ]


def test_a_model_that_failed_is_told_from_a_question_that_was_not_asked(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    lost = [skip.Skip("lost", "garden visitors", probe, "there is no folder lost") for probe in ("zero_shot", "attention")]
    pq.write_table(skip.to_table(lost), folder / "skips.parquet")
    page = write_report(folder)
    assert "1 model failed" in Seen(page).text and "probes skipped" not in Seen(page).text
    assert data_of(page, "protocol")["html"].count("there is no folder lost") == 1


def test_a_probe_that_was_skipped_for_all_models_together_is_no_model_that_failed(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    skipped = [skip.Skip(ALL_MODELS, "garden visitors", "cause", "no two models differ in one fact")]
    pq.write_table(skip.to_table(skipped), folder / "skips.parquet")
    page = write_report(folder)
    assert "failed" not in Seen(page).text
    assert data_of(page, "protocol")["html"].count("no two models differ in one fact") == 1


def test_the_columns_say_numbers_early_and_nothing_twice(calm_page, cosine_page):
    keys = r'data-key="([a-z0-9]+)"'
    ends = ["probe", "protocol"]
    html = [data_of(page, "findings")["html"] for page in (calm_page, cosine_page)]
    assert re.findall(keys, html[0]) == ["metric", "slice", "value", "interval", "n", "model", *ends]
    assert re.findall(keys, html[1]) == ["metric", "slice", "value", "interval", "n", *ends]


def test_every_finding_is_in_the_data(calm_run, calm_page):
    assert len(data_of(calm_page, "findings")["findings"]["n"]) == pq.read_metadata(calm_run / "findings.parquet").num_rows


def test_the_card_tells_what_the_model_says_of_itself(calm_page, nasty_page):
    assert Seen(data_of(calm_page, "protocol")["html"]).text.count("trained on captions of gardens") == 2 * 2
    assert f"trained on captions of gardens{HOSTILE}" in Seen(data_of(nasty_page, "protocol")["html"]).text


def test_a_chart_that_two_probes_have_is_drawn_once(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",), prompts=("single",))
    add_probe(folder, "prompts", [Finding(metric="top1_spread", value=0.1, n=600)])
    (first,) = (folder / "exhibits" / "zero_shot").glob("*per-class*")
    table = exhibit.from_table(pq.read_table(first, partitioning=None))
    (folder / "exhibits" / "prompts").mkdir()
    copy = exhibit.to_table(table.exhibit, model="one", dataset="garden visitors", probe="prompts")
    pq.write_table(copy, folder / "exhibits" / "prompts" / "again.parquet")
    titles = [
        title
        for seen in pieces_of(write_report(folder)).values()
        for title in re.findall("Accuracy of the weakest classes", seen.text)
    ]
    assert len(titles) == 1
