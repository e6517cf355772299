"""Ways back in a real browser: to filtered findings, from neighbors of a picture, and from the documentation."""

import pytest
from tests.report.test_browser import column, opened
from tests.report.test_browser_pictures import CARDS, LIGHTBOX, pictures  # noqa: F401

import eyechart
from eyechart.findings.run import read_run

pytestmark = pytest.mark.browser

STATUS = "document.getElementById('findings-status').textContent"


def type_into(browser, selector, text, event="input"):
    browser.run(f"(e => {{ e.value = '{text}'; e.dispatchEvent(new Event('{event}')); }})(document.querySelector('{selector}'))")


def test_back_from_pictures_of_another_model_brings_the_filter_of_the_findings_back(browser, calm_page):
    """The number of the second model leads to another view, so that the table is made anew."""
    browser.look(width=1400, height=900)
    opened(browser, calm_page, "m0/findings")
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length")
    type_into(browser, "#findings-find", "class_accuracy single")
    type_into(browser, "#findings-choices select", "1", "change")
    browser.click("document.querySelector('#findings-table th[data-key=value] button')")
    before, status = column(browser, "value"), browser.run(STATUS)
    assert len(before) > 1
    browser.click("document.querySelector('#findings-table .of-value a')")
    browser.wait("location.hash.startsWith('#m1/pictures')")
    browser.back()
    browser.wait("location.hash.startsWith('#m0/findings?') && document.querySelector('#findings-table tbody tr')")
    browser.wait(f"{STATUS} === '{status}'")
    assert column(browser, "value") == before
    assert browser.run("document.getElementById('findings-find').value") == "class_accuracy single"
    assert browser.run("document.querySelector('#findings-choices select').value") == "1"
    assert browser.run("document.querySelector('#findings-table th[data-key=value]').ariaSort") == "ascending"


def test_an_address_has_the_page_of_the_findings(browser, calm_page):
    opened(browser, calm_page, "m0/findings?page=2&sort=n+down")
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length")
    browser.wait(f"{STATUS} === '51–76 of 76'")
    numbers = [int(text.replace(",", "")) for text in column(browser, "n")]
    assert numbers == sorted(numbers, reverse=True)


def test_neighbors_lead_on_to_each_other_and_back_to_the_picture(pictures):  # noqa: F811
    name = f"{LIGHTBOX}.querySelector('figcaption').textContent"
    back = f"{LIGHTBOX}.querySelector('.back')"
    pictures.click(f"{CARDS}[0]")
    pictures.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('.near')")
    first = pictures.run(name)
    near = pictures.run(f"[...{LIGHTBOX}.querySelectorAll('[data-near]')].map(b => b.dataset.near)")
    assert pictures.run(f"{back}.hidden")
    pictures.click(f"{LIGHTBOX}.querySelectorAll('[data-near]')[1]")
    pictures.wait(f"{name} === '{near[1]}'")
    assert pictures.run(f"{LIGHTBOX}.querySelector('.place').textContent") == "2 of 4"
    assert pictures.run(f"{back}.textContent") == f"← Back to {first}"
    pictures.press("ArrowRight")
    pictures.wait(f"{name} === '{near[2]}'")
    pictures.press("ArrowLeft")
    pictures.wait(f"{name} === '{near[1]}'")
    pictures.click(back)
    pictures.wait(f"{name} === '{first}'")
    assert pictures.run(f"{back}.hidden") and pictures.run(f"{LIGHTBOX}.contains(document.activeElement)")
    place = f"{LIGHTBOX}.querySelector('.place').textContent"
    assert pictures.run(place) == "1 of 72"
    pictures.press("ArrowRight")  # the list of before goes on
    pictures.wait(f"{place} === '2 of 72'")


def test_a_docs_page_leads_back_and_has_the_theme_that_was_chosen(browser, calm_page):
    browser.look(width=390, height=844)
    opened(browser, calm_page)
    dark = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(dark)
    browser.click("document.getElementById('theme-toggle')")
    assert browser.run(dark) != light
    browser.open(calm_page.parent / "docs" / "probes" / "zero_shot.html", "")
    browser.wait("document.getElementById('theme-toggle')?.textContent === 'Light'")
    brightness = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)"
    assert browser.run(brightness) < 120
    browser.click("document.getElementById('theme-toggle')")
    assert browser.run(brightness) > 700
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.complaints() == []
    assert browser.run("decodeURI(document.querySelector('nav a').href)") == f"file://{calm_page}"
    browser.run("localStorage.clear()")


def test_a_picture_of_a_foil_enlarges_with_its_captions_and_score(browser, tmp_path, shared_store):
    plan = {"probes": ["composition"], "limit": 120, "out": tmp_path / "out", "store": shared_store}
    made = eyechart.examine("zoo:pairs-3k", "world-foils", **plan)
    row = next(e.exhibit for e in read_run(tmp_path / "out").exhibits if e.exhibit.name == "errors").table.to_pylist()[0]
    browser.look(width=1400, height=900)
    opened(browser, made.report(), "m0/words")
    card = "[...document.querySelectorAll('.gallery figure')].find(f => f.textContent.includes('foil'))"
    browser.wait(f"{card}?.querySelector('.enlarge')")
    browser.click(f"{card}.querySelector('.enlarge')")
    browser.wait(f"{LIGHTBOX}.open && {LIGHTBOX}.querySelector('.shown-with')")
    shown = browser.run(f"{LIGHTBOX}.querySelector('.beside-picture').innerText")
    for text in ("caption", row["caption"], "foil", row["foil"], "cosine of caption − foil"):
        assert text in shown
    assert browser.complaints() == []
