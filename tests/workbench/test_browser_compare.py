"""Models side by side in a real browser."""

import pytest
from tests.workbench.browser import until, view_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_several_models_are_compared_in_one_table(open_page):
    page = open_page("compare")
    page.wait_for_selector("[data-number=difference]")
    assert page.locator("[data-list=models]").count() == 0
    page.get_by_role("checkbox", name="again (shapes-bare)").focus()
    page.keyboard.press("Space")
    page.wait_for_selector("[data-list=models] tbody tr >> nth=2")
    assert page.locator("[data-list=models] tbody th").all_inner_texts() == [
        "demo (shapes)",
        "bare (shapes-bare)",
        "again (shapes-bare)",
    ]
    assert page.evaluate("document.activeElement.dataset.side.includes('again')")  # the keyboard stays where it was
    page.get_by_role("button", name="show the pictures of again (shapes-bare)").click()
    until(page, "document.querySelectorAll('.number h2')[1].textContent === 'again (shapes-bare)'")
    page.get_by_role("checkbox", name="again (shapes-bare)").click()
    page.wait_for_selector("[data-list=models]", state="detached")
    assert page.locator(".number h2").all_inner_texts()[1] == "bare (shapes-bare)"


def test_models_of_other_pictures_cannot_be_chosen_for_a_comparison(open_page):
    page = open_page("compare", run="people")
    page.wait_for_selector(".ticks input")
    assert page.locator(".results").inner_text().startswith("No other opened model was examined on world-people.")
    assert page.locator(".ticks input:checked").count() == 0 and page.locator(".ticks input:not([disabled])").count() == 0
    page.select_option("label:has(span:text-is('Reference')) select", label="demo (shapes)")
    page.wait_for_selector("[data-number=difference]")
    assert page.get_by_role("checkbox", name="demo (people)").is_disabled()
    assert page.get_by_role("checkbox", name="again (shapes-bare)").is_enabled()


def test_a_run_without_predictions_cannot_be_compared(open_page):
    page = open_page("compare")
    page.wait_for_selector("[data-number=difference]")
    tick = page.locator(".tick", has_text="(unlabeled)")
    assert tick.inner_text().endswith("(no predictions)") and tick.locator("input").is_disabled()


def test_two_models_that_can_be_compared_are_chosen_where_the_open_run_has_no_predictions(open_page):
    page = open_page("compare", run="unlabeled")
    page.wait_for_selector("[data-number=difference]")
    assert page.locator(".status.error").count() == 0
    chosen = page.locator("label:has(span:text-is('Reference')) select")
    assert chosen.locator("option:checked").inner_text() == "demo (shapes)"
    assert chosen.locator("option:disabled").all_inner_texts() == ["demo (unlabeled) (no predictions)"]
    assert page.locator(".tick:has(input:checked)").all_inner_texts() == ["bare (shapes-bare)"]
    open_page.said.clear()  # the browser logs that the pictures without classes cannot be opened yet


def test_two_models_side_by_side(open_page):
    page = open_page("compare")
    page.wait_for_selector("[data-number=difference]")
    page.locator(".pair button").first.click()
    page.wait_for_selector("dialog[open] figure img")
    until(page, "[...document.querySelectorAll('dialog figure img')].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator("dialog figure img").count() == 4
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.locator(".pair button").first.click()
    page.wait_for_selector("dialog[open]")
    page.go_back()
    page.wait_for_selector("dialog[open]", state="detached")
    assert view_of(page) == "compare"
