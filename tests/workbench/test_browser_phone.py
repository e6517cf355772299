"""The workbench on a phone: nothing is wider than the screen, jumps, or is out of view."""

import re

import pytest
from tests.workbench.browser import VIEWS, settled, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SHIFTS = """() => { window.shifted = [];
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted.push(e.value); })
    .observe({ type: "layout-shift", buffered: true }); }"""


def test_on_a_phone_the_numbers_of_a_class_list_stay_in_view(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.wait_for_selector(".brief:not(:empty)")
    page.locator("input.name").first.fill("a thing that is not there")
    brief = "document.querySelector('.brief').textContent"
    until(page, f"/ moved/.test({brief}) && !{brief}.includes('· 0 ')")
    box = page.locator(".brief").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 844
    assert re.match(r"Accuracy \d+\.\d% on the explored half ", page.locator(".brief").inner_text())


def test_on_a_phone_nothing_jumps_when_pictures_and_vectors_arrive(open_page):
    page = open_page("", viewport={"width": 390, "height": 844})
    page.evaluate(SHIFTS)
    page.wait_for_selector("[data-list=worst] .tile img")
    settled(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert sum(page.evaluate("window.shifted")) < 0.1  # what web vitals call good


@pytest.mark.parametrize(("view", "shown"), [("pictures", ".tiles .tile img"), ("thresholds", "[data-number=answered]")])
def test_on_a_phone_filters_and_sliders_do_not_push_the_content_away(open_page, view, shown):
    page = open_page("", viewport={"width": 390, "height": 844})
    page.wait_for_selector("[data-list=worst] .tile img")
    settled(page)
    page.evaluate(SHIFTS)
    page.evaluate(f"location.hash = '#/{view}'")
    page.wait_for_selector(shown)
    settled(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert sum(page.evaluate("window.shifted")) < 0.02


@pytest.mark.parametrize("view", ["thresholds", "compare", "runs"])
def test_on_a_phone_the_open_tab_is_in_view(open_page, view):
    page = open_page(view, viewport={"width": 390, "height": 844})
    box = page.locator("#tabs a[aria-current]").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_on_a_phone_pictures_come_before_the_filters(open_page):
    page = open_page("pictures", viewport={"width": 390, "height": 844})
    page.wait_for_selector(".tiles .tile img")
    assert page.locator(".tiles .tile").first.bounding_box()["y"] < 844
    assert not page.locator(".filters").is_visible()
    page.get_by_text("Filters and search").click()
    page.get_by_label("Search by words").fill("star")
    until(page, "/most like “star”/.test(document.querySelector('.right .status').textContent)")


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_shows_everything_without_scrolling_sideways(open_page, view):
    page = open_page(view, viewport={"width": 360, "height": 740})
    page.wait_for_timeout(700)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_a_class_is_typed_on_the_first_screen_and_the_new_one_is_in_view(open_page):
    page = open_page("", viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    field = page.get_by_label("class to add")
    box = field.bounding_box()
    assert box["y"] + box["height"] < 844
    until(page, "!document.querySelector('[data-card=add] input').disabled")
    field.fill("a white background")
    field.press("Enter")
    page.wait_for_selector(".class.shown .mark")
    row = page.locator(".class.shown")
    assert row.locator("input.name").input_value() == "a white background"
    page.get_by_label("add a class").fill("a wooden table")
    page.get_by_label("add a class").press("Enter")
    until(page, "document.querySelector('.class.shown input.name')?.value === 'a wooden table'")
    shown, listed = (page.locator(at).bounding_box() for at in (".class.shown", ".classes"))
    assert listed["y"] - 1 <= shown["y"] and shown["y"] + shown["height"] <= min(844, listed["y"] + listed["height"] + 1)
