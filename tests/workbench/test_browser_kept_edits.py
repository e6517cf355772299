"""Edits of a class list in a real browser: they stay until they are reset, and saved designs can be started from."""

import pytest
from tests.workbench.browser import number, settled, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = "[...document.querySelectorAll('input.name')].map(e => e.value)"
READY = "!document.querySelector('#main').hasAttribute('aria-busy')"


def drop_cone(page):
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_role("button", name="drop cone", exact=True).click()
    page.wait_for_selector(".flow .ribbon")
    settled(page)


def choose_run(page, run):
    page.select_option("#place select >> nth=0", run)
    until(page, READY)
    page.wait_for_selector("[data-number=accuracy]")


def test_edits_are_kept_when_another_run_is_opened_and_when_the_page_is_loaded_again(open_page):
    page = open_page()
    drop_cone(page)
    accuracy = number(page, "accuracy")
    choose_run(page, "r-people")
    assert "kid" in page.evaluate(NAMES) and page.get_by_role("button", name="Reset").is_disabled()
    choose_run(page, "r-shapes")
    settled(page)
    assert "cone" not in page.evaluate(NAMES) and number(page, "accuracy") == accuracy
    assert page.locator("#notice").inner_text() == "Your edits of the class list were kept (dropped “cone”)."
    page.reload()
    until(page, READY)
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    assert page.locator("#place select").first.input_value() == "r-shapes"
    assert "cone" not in page.evaluate(NAMES) and number(page, "accuracy") == accuracy


def test_edits_do_not_reach_the_same_dataset_under_other_prompts(open_page):
    """shapes-bare has the same pictures with the prompt set `bare`."""
    page = open_page()
    drop_cone(page)
    choose_run(page, "r-shapes-bare")
    assert "cone" in page.evaluate(NAMES)


def test_reset_brings_the_list_back_and_undo_the_edits(open_page):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    before = page.evaluate(NAMES)
    drop_cone(page)
    page.get_by_role("button", name="Reset").click()
    until(page, "document.querySelector('[data-number=moved] .big').textContent === '0'")
    assert page.evaluate(NAMES) == before and page.get_by_role("button", name="Reset").is_disabled()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".flow .ribbon")
    assert page.evaluate(NAMES) == [name for name in before if name != "cone"]
    page.get_by_role("button", name="Reset").click()
    page.reload()
    page.wait_for_selector("#tabs a")
    choose_run(page, "r-shapes")
    assert page.evaluate(NAMES) == before


def test_a_saved_design_can_be_started_from_at_once_and_later(open_page):
    page = open_page()
    drop_cone(page)
    edited = page.evaluate(NAMES)
    page.get_by_label("Name of the saved file").fill("without cones")
    page.get_by_role("button", name="Save design").click()
    starts = page.get_by_label("Start from")
    until(page, "[...document.querySelectorAll('option')].some(o => o.value === 'saved: without cones')")
    page.get_by_role("button", name="Reset").click()
    until(page, f"{NAMES}.includes('cone')")
    page.reload()
    page.wait_for_selector("#tabs a")
    choose_run(page, "r-shapes")
    starts.focus()
    starts.select_option("saved: without cones")
    page.wait_for_selector(".flow .ribbon")
    assert page.evaluate(NAMES) == edited and starts.input_value() == "saved: without cones"
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.get_by_role("button", name="Undo").click()
    until(page, f"{NAMES}.includes('cone')")


def test_a_confusion_cell_opens_exactly_the_pictures_that_it_counts(open_page):
    page = open_page()
    page.wait_for_selector(".confusion .cell")
    settled(page)
    cell = page.locator(".confusion .cell.right").first
    counted = cell.inner_text()
    row = cell.evaluate("e => e.closest('tr').querySelector('th').innerText")
    cell.click()
    page.wait_for_selector(".gallery .tile")
    settled(page)
    assert page.locator(".gallery .tile").count() == int(counted)
    shown = page.locator(".gallery .right > .status").inner_text()
    assert shown.startswith(f"{counted} picture")
    half = page.locator("label:has(span:text-is('Half')) select")
    assert half.input_value() == "explored"
    assert page.locator("label:has(span:text-is('Label')) select").input_value() == row
    half.select_option("")
    until(page, f"document.querySelector('.gallery .right > .status').textContent !== {shown!r}")
    assert page.locator(".gallery .tile").count() > int(counted)


def test_pictures_of_another_dataset_have_no_halves(open_page):
    page = open_page("pictures?half=explored")
    page.wait_for_selector(".tile")
    page.locator("label:has(span:text-is('Pictures of')) select").select_option("shapes: corrupted copies")
    page.wait_for_selector("label:has(span:text-is('shift'))")
    assert page.locator("label:has(span:text-is('Half'))").count() == 0
    assert page.locator(".gallery .right > .status").inner_text().startswith("100 pictures")
