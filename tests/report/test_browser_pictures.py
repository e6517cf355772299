"""Classes and pictures in a real browser: choosing, searching, enlarging, by mouse and by keyboard."""

import json
from pathlib import Path

import pytest
from tests.report.page_files import data_of
from tests.report.sample_predictions import write_sample_predictions
from tests.report.sample_run import CALM, write_sample_run
from tests.report.test_browser import opened

import eyechart
from eyechart.report.page import write_report

pytestmark = pytest.mark.browser

GALLERY = "document.querySelector('.gallery-view')"
CARDS = "[...document.querySelectorAll('.gallery-view .picture')]"
COUNT = "document.querySelector('.browse .count').textContent"
LIGHTBOX = "document.getElementById('lightbox')"


@pytest.fixture
def classes(browser, calm_page):
    browser.look(width=1400, height=900)
    opened(browser, calm_page, "m0/classes")
    browser.wait("document.querySelector('.confusion button')")
    return browser


@pytest.fixture
def pictures(browser, calm_page):
    browser.look(width=1400, height=900)
    opened(browser, calm_page, "m0/pictures")
    browser.wait(f"{CARDS}.length")
    return browser


def test_a_click_on_a_cell_shows_its_pictures(classes):
    classes.click("document.querySelector('.confusion button.wrong')")
    classes.wait(f"{COUNT} === '1 picture, 1 error'")
    query = classes.run("Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))")
    about = data_of_page(classes)
    row = next(
        i
        for i, (t, p) in enumerate(zip(about["true"], about["predicted"], strict=True))
        if t != p and names(about, t, p) == query
    )
    assert classes.run(f"{CARDS}.map(c => c.title)") == [about["id"][row]]


def data_of_page(browser):
    page = Path(browser.run("decodeURIComponent(location.pathname)"))
    return data_of(page, "g0-0") | {"classes": data_of(page, "g0")["classes"]}


def names(about, true, taken):
    return {"true": about["classes"][true], "predicted": about["classes"][taken]}


def test_a_click_on_a_class_shows_its_pictures_and_back_undoes_it(classes):
    classes.click("document.querySelector('.by-class th button.link')")
    classes.wait(f"{COUNT} === '6 pictures, 1 error'")
    # The weakest class comes first in the table.
    assert classes.run("document.querySelector('.of-true').selectedOptions[0].textContent") == CALM[0]
    bar = classes.run("document.querySelector('nav.contents').getBoundingClientRect().bottom")
    assert bar <= classes.run("document.getElementById('m0/pictures').getBoundingClientRect().top") <= bar + 20
    classes.back()
    classes.wait("location.hash === '#m0/classes'")


def test_pictures_whose_true_class_is_not_among_the_best_five(pictures):
    chunk = {"id": list("abcd"), "true": [0, 0, 0, -1], "predicted": [0, 1, 1, 1], "rank": [1, 5, 6, None]}
    rest = {name: [[]] * 4 for name in ("confidence", "margin", "ood", "top", "shares", "attributes", "picture")}
    about = {"kept": 4, "classes": ["cat", "dog"], "attributes": []}
    made = f"new window.eyechart.Pictures({json.dumps(about)}, [{json.dumps(chunk | rest)}])"
    assert pictures.run(f"{made}.select({{ show: 'below-5' }})") == [2]
    pictures.run("location.hash = 'm0/pictures?show=below-5'")
    pictures.wait(f"{COUNT} === '0 pictures, 0 errors'")  # the sample has every true class among the best five
    assert pictures.run("document.querySelector('.of-show').value") == "below-5"


def test_the_matrix_is_moved_through_by_keyboard(classes):
    classes.run("document.querySelector('.confusion button[tabindex=\"0\"]').focus()")
    at = classes.run("[document.activeElement.dataset.i, document.activeElement.dataset.j].map(Number)")
    # The other filled cell of the row is on the diagonal; empty cells are passed over.
    classes.press("ArrowRight" if at[1] < at[0] else "ArrowLeft")
    assert classes.run("[document.activeElement.dataset.i, document.activeElement.dataset.j].map(Number)") == [at[0], at[0]]
    assert classes.run("document.querySelectorAll('.confusion button[tabindex=\"0\"]').length") == 1
    classes.press("Enter")
    classes.wait(f"location.hash.startsWith('#m0/pictures?true=') && {COUNT} === '5 pictures, 0 errors'")


def test_words_find_pictures_by_class_and_id(pictures):
    pictures.run("document.querySelector('.find').focus()")
    pictures.type("lynx")
    # Six pictures of the lynx, and one siamese cat that was predicted as one.
    pictures.wait(f"{COUNT} === '7 pictures, 2 errors'")
    assert pictures.run("document.activeElement.className") == "find"
    pictures.type(" 3")
    pictures.wait(f"{COUNT} === '1 picture, 0 errors'")
    pictures.click("document.querySelector('.browse .clear')")
    pictures.wait(f"{COUNT} === '72 pictures, 12 errors'")


def test_errors_can_be_shown_alone_and_sorted(pictures):
    for kind, value in (("of-show", "wrong"), ("of-sort", "margin")):
        pictures.run(
            f"{{ const s = document.querySelector('.{kind}'); s.value = '{value}'; s.dispatchEvent(new Event('change')); }}"
        )
    pictures.wait(f"{COUNT} === '12 pictures, 12 errors'")
    about = data_of_page(pictures)
    margin = dict(zip(about["id"], about["margin"], strict=True))
    shown = [margin[id] for id in pictures.run(f"{CARDS}.sort((a, b) => a.dataset.place - b.dataset.place).map(c => c.title)")]
    assert len(shown) == 12 and shown == sorted(shown)


def test_a_picture_enlarges_with_everything_about_it(pictures):
    pictures.click(f"{CARDS}[0]")
    pictures.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('.near')")
    text = pictures.run(f"{LIGHTBOX}.innerText")
    about = data_of_page(pictures)
    true, taken = names(about, about["true"][0], about["predicted"][0]).values()
    for part in (
        "true class",
        true,
        "predicted",
        f"{taken} – wrong",
        "margin",
        "Top 5",
        "Attributes",
        "Nearest pictures",
        "0.900",
    ):
        assert part in text
    assert pictures.run(f"{LIGHTBOX}.querySelectorAll('.top5 li').length") == 5
    assert pictures.run(f"{LIGHTBOX}.querySelectorAll('.near img').length") == 4
    assert pictures.run(f"{LIGHTBOX}.querySelector('img.large').naturalWidth") > 0


def test_the_enlarged_picture_is_used_by_keyboard_and_closed_by_back(pictures):
    pictures.run(f"{CARDS}.find(c => c.tabIndex === 0).focus()")
    pictures.press("ArrowRight")
    assert pictures.run("document.activeElement.dataset.place") == "1"
    pictures.press("Enter")
    place = f"{LIGHTBOX}.querySelector('.place').textContent"
    pictures.wait(f"{LIGHTBOX}.open && {place} === '2 of 72'")
    pictures.press("ArrowRight")
    pictures.wait(f"{place} === '3 of 72'")
    pictures.press("Escape")
    pictures.wait(f"!{LIGHTBOX}.open && !location.hash.includes('picture=')")
    pictures.run(f"{CARDS}[4].click()")
    pictures.wait(f"{LIGHTBOX}.open && location.hash.includes('picture=')")
    pictures.back()
    pictures.wait(f"!{LIGHTBOX}.open && !location.hash.includes('picture=')")


def test_a_failure_of_the_first_screen_enlarges(browser, calm_page):
    browser.look(width=390, height=844)
    opened(browser, calm_page)
    browser.click("document.querySelector('.failures .picture')")
    browser.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('.near')")
    assert browser.run(f"{LIGHTBOX}.querySelector('.place').textContent") == "1 of 12"
    assert browser.run(f"{LIGHTBOX}.scrollWidth <= innerWidth")
    browser.press("Escape")
    browser.wait(f"!{LIGHTBOX}.open")
    assert browser.run("document.activeElement.className") == "picture"


def test_an_address_of_a_picture_opens_it(browser, calm_page):
    opened(browser, calm_page, f"m0/pictures?show=wrong&picture={CALM[2]}%2F0".replace(" ", "%20"))
    browser.wait(f"{LIGHTBOX}.open")
    assert browser.run(f"{LIGHTBOX}.querySelector('figcaption').textContent") == f"{CALM[2]}/0"


def test_of_many_pictures_only_those_in_view_are_elements(browser, tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",), prompts=("single",))
    write_sample_predictions(
        folder, classes=CALM, models=("one",), dataset="garden visitors", prompts=("single",), per_class=1000
    )
    page = write_report(folder)
    browser.look(width=1400, height=900)
    opened(browser, page, "m0/pictures")
    browser.wait(f"{COUNT} === '12,000 pictures, 12 errors'")
    assert data_of(page, "g0")["chunks"] == 2
    assert 0 < browser.run(f"{CARDS}.length") < 120
    browser.run(f"{GALLERY}.scrollTop = 1e9")
    browser.wait(f"{CARDS}.some(c => c.dataset.place === '11999')")
    assert browser.run(f"{CARDS}.length") < 120
    browser.run(f"{CARDS}.find(c => c.dataset.place === '11999').focus()")
    browser.press("Home")
    browser.wait("document.activeElement.dataset.place === '0'")


@pytest.fixture(scope="module")
def people_page(tmp_path_factory, shared_store):
    """People with attributes, predicted among the classes of the dataset and of a class design."""
    exam = eyechart.examine(
        model="demo:",
        data="world-people",
        probes=["zero_shot", "skew", "class_groups"],
        prompts="single",
        limit=60,
        settings={"skew": {"least": 5}, "class_groups": {"least": 5}},
        out=tmp_path_factory.mktemp("people") / "out",
        store=shared_store,
    )
    return exam.report()


def choose(browser, place: str, value: str) -> None:
    browser.run(f"((e) => {{ e.value = {value}; e.dispatchEvent(new Event('change')); }})(document.querySelector('{place}'))")


def test_attributes_and_galleries_are_chosen_from_lists_and_back_undoes_it(browser, people_page):
    browser.look(width=1400, height=900)
    opened(browser, people_page, "m0/pictures")
    browser.wait(f"parseInt({COUNT}) === 60")
    choose(browser, ".of-where", "'hat=red'")
    browser.wait("location.hash.includes('where=hat%3Dred')")
    red = browser.run(f"parseInt({COUNT})")
    assert red == sum("hat=red" in row for row in attributes_of(people_page))
    choose(browser, ".of-where", "'badge=white'")
    browser.wait("document.querySelectorAll('.chosen button').length === 2")
    both = sum({"hat=red", "badge=white"} <= set(row) for row in attributes_of(people_page))
    assert 0 < both == browser.run(f"parseInt({COUNT})") < red < 60
    browser.click("document.querySelectorAll('.chosen button')[1]")
    browser.wait(f"parseInt({COUNT}) === {red}")
    of_design = (
        "[...document.querySelector('.of-gallery').options].find(o => o.textContent.endsWith('classes of world-people')).value"
    )
    choose(browser, ".of-gallery", of_design)
    browser.wait(f"location.hash.includes('gallery=') && {COUNT} === '60 pictures, no labels'")
    order = "document.querySelector('.of-sort').selectedOptions[0].textContent"
    assert browser.run(order) == "least certain"
    browser.back()
    browser.wait(f"parseInt({COUNT}) === {red}")


def test_an_address_opens_the_gallery_that_it_names(browser, people_page):
    """The gallery that comes by itself when it is near must not replace the one that the address names."""
    browser.look(width=1400, height=900)
    opened(browser, people_page, "m0/pictures?gallery=g1&where=hat%3Dred")
    red = sum("hat=red" in row for row in attributes_of(people_page))
    browser.wait(f"{COUNT} === '{red} pictures, no labels'")
    browser.run("scrollTo(0, document.body.scrollHeight)")
    browser.run("scrollTo(0, 0)")
    browser.wait(f"{COUNT} === '{red} pictures, no labels' && document.querySelector('.of-gallery').value === 'g1'")
    assert "--design world-people" in browser.run("document.querySelector('.browse .sentence code').textContent")


def attributes_of(page):
    about = data_of(page, "g0")["attributes"]
    return [[about[number] for number in row] for row in data_of(page, "g0-0")["attributes"]]


def test_the_rate_of_a_group_leads_to_its_pictures(browser, people_page):
    browser.look(width=1400, height=900)
    opened(browser, people_page, "m0/findings")
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length")
    words = "class_groups rate role hat: red"
    browser.run(
        f"(e => {{ e.value = '{words}'; e.dispatchEvent(new Event('input')); }})(document.querySelector('#findings-find'))"
    )
    of_hats = "r.cells[0].textContent === 'rate' && !r.cells[1].textContent.includes('badge')"
    line = f"[...document.querySelectorAll('#findings-table tbody tr')].find(r => {of_hats})"
    browser.wait(f"{line}?.querySelector('.of-value a')")
    share = browser.run(f"parseFloat({line}.querySelector('.of-value').textContent)")
    n = browser.run(f"parseInt({line}.querySelector('.of-n').textContent)")
    browser.click(f"{line}.querySelector('.of-value a')")
    browser.wait("location.hash.includes('gallery=')")
    assert 0 < n < 60
    browser.wait(f"parseInt({COUNT}) === {round(share / 100 * n)}")


@pytest.mark.parametrize("way", ["back", "Escape"])
def test_back_closes_a_picture_of_the_first_screen(browser, calm_page, way):
    """It stays on the page; after closing it otherwise, Back leads to what was before."""
    browser.look(width=1400, height=900)
    opened(browser, calm_page, "m0/classes")
    browser.run("location.hash = 'm0/top'")
    browser.wait("document.querySelector('.failures .picture')?.checkVisibility()")
    for _ in range(2):
        browser.click("document.querySelector('.failures .picture')")
        browser.wait(f"{LIGHTBOX}.open")
        if way == "back":
            browser.back()
        else:
            browser.press(way)
        browser.wait(f"!{LIGHTBOX}.open && !history.state?.enlarged")
        assert browser.run("location.hash") == "#m0/top"
    browser.back()
    browser.wait("location.hash === '#m0/classes'")
