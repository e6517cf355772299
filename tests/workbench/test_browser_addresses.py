"""The address of a view says what is open: loading it again, Back, Forward and other tabs of the browser lead there."""

import pytest
from tests.workbench.browser import place_of, settled, until, view_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

READY = "document.querySelector('#main') && !document.querySelector('#main').hasAttribute('aria-busy')"
PEOPLE, SHAPES = ["r-people", "demo", "world-people"], ["r-shapes", "demo", "shapes"]


def shown(page, place):
    until(page, f"document.querySelector('#place select')?.value === '{place[0]}' && {READY}")
    page.wait_for_selector("main > *")
    settled(page)
    assert place_of(page) == place


def choose(page, place):
    page.select_option("#place select >> nth=0", place[0])
    shown(page, place)


def test_a_page_that_is_loaded_again_shows_the_same_run_and_view(open_page):
    page = open_page("thresholds", run="shapes")
    shown(page, SHAPES)
    page.reload()
    shown(page, SHAPES)
    assert view_of(page) == "thresholds"


def test_back_and_forward_lead_through_runs_and_views(open_page):
    page = open_page("design", run="shapes")
    shown(page, SHAPES)
    choose(page, PEOPLE)
    page.get_by_role("link", name="Pictures", exact=True).click()
    page.wait_for_selector(".tile")
    choose(page, SHAPES)
    steps = []
    for _ in range(3):
        page.go_back()
        settled(page)
        until(page, READY)
        steps.append((view_of(page), place_of(page)))
    assert steps == [("pictures", PEOPLE), ("design", PEOPLE), ("design", SHAPES)]
    page.go_forward()
    shown(page, PEOPLE)
    page.go_forward()
    shown(page, PEOPLE)
    page.wait_for_selector(".tile")
    page.go_forward()
    shown(page, SHAPES)
    assert view_of(page) == "pictures"


def test_a_link_leads_to_the_same_run_in_another_tab(open_page):
    page = open_page("result", run="shapes")
    page.wait_for_selector("[data-list=worst]")
    settled(page)
    addresses = page.locator("main a[href^='#/'], #tabs a").evaluate_all("all => all.map((a) => a.href)")
    assert len(addresses) >= 5  # the tabs, at least
    for address in addresses:
        other = page.context.new_page()
        other.under_way = set()
        other.goto(address)
        shown(other, SHAPES)
        other.close()


def test_an_address_of_a_run_that_is_not_opened_is_a_sentence(open_page):
    page = open_page("result", run="shapes")
    settled(page)
    page.goto(page.url.replace("r-shapes", "r-gone"))
    until(page, "document.querySelector('#notice').textContent.includes('r-gone, which is not opened here')")
    assert place_of(page) == SHAPES and "r-gone" not in page.url
    address, other = page.url.replace("r-shapes", "r-gone"), page.context.new_page()
    other.goto(address)
    until(other, "document.querySelector('#notice')?.textContent.includes('r-gone, which is not opened here')")
    assert "r-gone" not in other.url
