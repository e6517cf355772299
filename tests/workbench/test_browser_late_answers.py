"""Answers that come after what they were asked for has changed: none of them is shown beside something else."""

import pytest
from tests.workbench.browser import comes, settled, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def hold(page, address):
    """Hold back the first request to an address."""
    held = []
    page.route(address, lambda route: route.continue_() if held else held.append(route))
    return held


def let_go(page, held, address):
    with page.expect_response(address) as late:
        held[0].continue_()
    late.value.finished()
    settled(page)


@pytest.mark.parametrize(("button", "address", "shown"), [
    ("Measure this list", "**/api/measure", "[data-number=measured]"),
    ("Suggest", "**/api/suggest", "button:text('Add it')"),
])  # fmt: skip
def test_what_was_measured_is_not_shown_beside_a_list_that_was_edited_meanwhile(open_page, button, address, shown):
    page = open_page(run="people")
    page.get_by_label("Candidates, separated by commas").fill("star, sphere")
    before = page.locator("[data-number=looks]").inner_text()
    held = hold(page, address)
    page.get_by_role("button", name=button, exact=True).click()
    comes(page, held)
    page.get_by_role("button", name="drop kid").click()
    page.wait_for_selector(".flow")
    let_go(page, held, address)
    assert page.locator(shown).count() == 0
    assert page.locator("[data-number=looks]").inner_text() != before  # the look was spent
    assert "not shown; it counts as a look" in page.locator("#notice").inner_text()
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_selector(shown)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(shown, state="detached")


def test_a_suggested_class_is_added_once(open_page):
    page = open_page(run="people")
    page.get_by_label("Candidates, separated by commas").fill("star, sphere")
    page.get_by_role("button", name="Suggest", exact=True).click()
    classes = page.locator("input.name").count()
    page.get_by_role("button", name="Add it").click()
    settled(page)
    assert page.locator("input.name").count() == classes + 1
    assert page.get_by_role("button", name="Add it").count() == 0  # it was suggested for the list before


def test_checked_thresholds_are_not_shown_beside_others(open_page):
    page = open_page("thresholds")
    page.wait_for_selector("[data-number=answered]")
    page.locator("#abstain").fill("0.9")
    settled(page)
    held = hold(page, "**/api/thresholds")
    page.get_by_role("button", name="Check these thresholds").click()
    comes(page, held)
    page.locator("#abstain").fill("0.5")
    let_go(page, held, "**/api/thresholds")
    assert page.locator("[data-number=halves]").count() == 0
    assert "not shown; it counts as a look" in page.locator("#notice").inner_text()


def test_pictures_of_a_class_that_was_left_are_not_shown_under_another(open_page):
    page = open_page("result")
    page.wait_for_selector("[data-list=worst] .tile")
    settled(page)
    buttons = page.locator(".by-accuracy button")
    first, second = buttons.nth(0), buttons.nth(1)
    second.click()
    settled(page)
    expected, about = (
        page.locator("[data-list=worst] img").evaluate_all("all => all.map((i) => i.src)"),
        page.locator("[data-card=worst] p").first.inner_text(),
    )
    held = hold(page, "**/api/gallery")
    first.click()
    comes(page, held)
    second.click()
    settled_but_one = "document.querySelector('[data-card=worst] p').textContent.includes('wrong, mostly as')"
    until(page, settled_but_one)
    let_go(page, held, "**/api/gallery")
    assert page.locator("[data-list=worst] img").evaluate_all("all => all.map((i) => i.src)") == expected
    assert page.locator("[data-card=worst] p").first.inner_text() == about


def test_pictures_that_cannot_be_read_are_a_sentence(open_page):
    page = open_page("result")
    page.wait_for_selector("[data-list=worst] .tile")
    settled(page)
    page.route(
        "**/api/gallery",
        lambda route: route.fulfill(status=400, content_type="application/json", body='{"error": "no such picture"}'),
    )
    page.locator(".by-accuracy button").nth(1).click()
    until(page, "document.querySelector('[data-list=worst]').textContent === 'no such picture'")
    open_page.said.clear()  # the browser logs the refused request


def test_a_field_without_a_name_shows_the_name_that_is_used(open_page):
    page = open_page(run="people")
    field = page.get_by_label("name of class 8")
    field.fill(" , ")
    page.keyboard.press("Tab")
    assert field.input_value() == "thief"
