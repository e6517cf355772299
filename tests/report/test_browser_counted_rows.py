"""In a real browser: R@k leads to the queries that are missed, and FPR95 over several sets to accepted pictures of all sets."""

import pytest
from PIL import Image
from tests.report.page_files import data_of
from tests.report.test_browser import opened
from tests.report.test_browser_pictures import CARDS, COUNT, LIGHTBOX

import eyechart

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def missed_page(tmp_path_factory, shared_store):
    """Retrieval alone: there are no classes."""
    plan = {"data": "world-retrieval", "probes": ["retrieval"], "limit": 150}
    return eyechart.examine(
        model="zoo:pairs-3k", out=tmp_path_factory.mktemp("missed") / "out", store=shared_store, **plan
    ).report()


@pytest.fixture(scope="module")
def sets_page(tmp_path_factory, drawn, shared_store):
    folder = tmp_path_factory.mktemp("sets")
    for place in ("gray", "red"):
        (folder / place).mkdir()
        for number in range(12):
            Image.new("RGB", (32 + number, 32), place).save(folder / place / f"{number}.png")
    plan = {"data": str(drawn), "ood": [str(folder / "gray"), str(folder / "red")], "probes": ["zero_shot", "ood"]}
    return eyechart.examine(model="demo:", prompts=["single", "bare"], out=folder / "out", store=shared_store, **plan).report()


def value_of(browser, words: str, first: str) -> str:
    """The expression of the line of All findings that the words find first with this metric."""
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length")
    browser.run(
        f"(e => {{ e.value = '{words}'; e.dispatchEvent(new Event('input')); }})(document.querySelector('#findings-find'))"
    )
    line = f"[...document.querySelectorAll('#findings-table tbody tr')].find(r => {first})"
    browser.wait(f"{line}?.querySelector('.of-value a')")
    return line


@pytest.mark.parametrize(("direction", "noun"), [("text_to_image", "caption"), ("image_to_text", "picture")])
def test_recall_leads_to_the_queries_that_are_missed(browser, missed_page, direction, noun):
    browser.look(width=1400, height=900)
    opened(browser, missed_page, "m0/findings")
    metric = f"{direction}_r5"
    line = value_of(
        browser, metric, f"r.cells[0].textContent === '{metric}' && r.cells[1].textContent.trim() in {{'': 1, 'all': 1, '–': 1}}"
    )
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    n = browser.run(f"parseInt({line}.querySelector('.of-n').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    missed = round((1 - share / 100) * n)
    browser.wait(f"{COUNT} === '{missed} {noun}s missed'")
    assert browser.run("document.querySelector('.of-show').selectedOptions[0].textContent") == "missed at 5"
    assert not browser.run("document.querySelector('.of-true').checkVisibility()")
    assert browser.complaints() == []


def test_a_missed_caption_enlarges_with_the_picture_that_ranks_first(browser, missed_page):
    browser.look(width=1400, height=900)
    opened(browser, missed_page, "m0/pictures")
    browser.wait(f"{CARDS}.length")
    rows = data_of(missed_page, "q0-0")
    assert rows["rank"] == sorted(rows["rank"], reverse=True)
    browser.click(f"{CARDS}[0]")
    browser.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('img.found')")
    shown = browser.run(f"{LIGHTBOX}.textContent")
    assert rows["caption"][0] in shown and rows["first"][0] in shown and f"{rows['rank'][0]}" in shown
    browser.press("ArrowRight")
    browser.wait(f"{LIGHTBOX}.querySelector('.facts').textContent.includes({rows['caption'][1]!r})")
    browser.press("Escape")
    browser.wait(f"!{LIGHTBOX}.open")


def test_words_find_captions(browser, missed_page):
    browser.look(width=390, height=844)
    opened(browser, missed_page, "m0/pictures")
    rows = data_of(missed_page, "q0-0")
    word = rows["caption"][0].split()[-1]
    found = sum(
        word in f"{id} {text} {first}" for id, text, first in zip(rows["id"], rows["caption"], rows["first"], strict=True)
    )
    browser.wait(f"{CARDS}.length")
    browser.run(f"(e => {{ e.value = {word!r}; e.dispatchEvent(new Event('input')); }})(document.querySelector('.browse .find'))")
    browser.wait(f"parseInt({COUNT}) === {found}")
    assert 0 < found < len(rows["id"])
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_fpr95_over_several_sets_leads_to_the_accepted_pictures_of_all(browser, sets_page):
    browser.look(width=1400, height=900)
    opened(browser, sets_page, "m0/findings")
    line = value_of(browser, "ood_fpr95 single", "r.cells[0].textContent === 'ood_fpr95'")
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    accepted = round(share / 100 * 24)
    browser.wait(f"parseInt({COUNT}) === {accepted}")
    assert browser.run("document.querySelector('.of-gallery').selectedOptions[0].textContent") == "all out-of-distribution sets"
    assert browser.run("document.querySelector('.browse .sentence').textContent").endswith("--where accepted.mcm=true")
    assert all(browser.run(f"{CARDS}.map(c => /^(gray|red)\\/\\d+.png$/.test(c.title) && Boolean(c.querySelector('img')))"))
    assert browser.complaints() == []


def test_fpr95_by_another_score_and_prompt_set_leads_to_the_pictures_that_it_accepts(browser, sets_page):
    browser.look(width=1400, height=900)
    opened(browser, sets_page, "m0/findings")
    line = value_of(browser, "fpr95 energy bare id-quantile", "!r.cells[1].textContent.includes('ood')")
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    browser.wait(f"parseInt({COUNT}) === {round(share / 100 * 24)}")
    shown = browser.run("document.querySelector('.of-gallery').selectedOptions[0].textContent")
    assert shown == "all out-of-distribution sets, prompts: bare"
    assert browser.run("document.querySelector('.browse .chosen').textContent").startswith("accepted.energy=true")
    command = browser.run("document.querySelector('.browse .sentence code').textContent")
    assert command.endswith("--prompts bare --where accepted.energy=true")
    assert browser.complaints() == []


def test_an_accuracy_under_another_prompt_set_leads_to_its_errors(browser, sets_page):
    browser.look(width=1400, height=900)
    opened(browser, sets_page, "m0/findings")
    line = value_of(browser, "top1 bare", "r.cells[0].textContent === 'top1'")
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    n = browser.run(f"parseInt({line}.querySelector('.of-n').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    errors = round((1 - share / 100) * n)
    browser.wait(f"parseInt({COUNT}) === {errors} && {COUNT}.includes('{errors} error')")
    assert browser.run("document.querySelector('.of-gallery').selectedOptions[0].textContent").endswith(", prompts: bare")
    assert browser.run("document.querySelector('.browse .sentence code').textContent").endswith("--prompts bare")
    assert browser.complaints() == []


def test_a_caption_accuracy_leads_to_the_pictures_that_prefer_a_false_caption(browser, tmp_path, shared_store):
    plan = {"probes": ["composition"], "limit": 120, "out": tmp_path / "out", "store": shared_store}
    page = eyechart.examine("zoo:pairs-3k", "world-foils", **plan).report()
    browser.look(width=1400, height=900)
    opened(browser, page, "m0/findings")
    line = value_of(browser, "caption_accuracy", "!r.cells[1].textContent.includes('kind')")
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    n = browser.run(f"parseInt({line}.querySelector('.of-n').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    browser.wait(f"{COUNT} === '{round((1 - share / 100) * n)} pictures missed'")
    assert not browser.run("document.querySelector('.of-show').checkVisibility()")
    rows = data_of(page, "q0-0")
    browser.click(f"{CARDS}[0]")
    browser.wait(f"{LIGHTBOX}.open")
    shown = browser.run(f"{LIGHTBOX}.textContent")
    assert rows["caption"][0] in shown and f"false caption that is preferred{rows['first'][0]}" in shown
    assert browser.complaints() == []
