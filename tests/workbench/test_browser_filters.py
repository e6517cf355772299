"""The filters of the pictures in a real browser: other pictures, another run, and the keyboard."""

import pytest
from tests.workbench.browser import settled, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PICTURES_OF = "label:has(span:text-is('Pictures of')) select"
STATUS = "document.querySelector('.gallery .status[role=status]:not(.edited)').textContent"


def shown(page):
    return page.locator(".gallery .right > .status").inner_text()


def test_find_similar_does_not_carry_a_row_to_other_pictures(open_page):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.locator(".tile .picture").first.press("Enter")
    page.get_by_role("button", name="Find similar").click()
    until(page, f"{STATUS}.includes('most like the chosen picture')")
    page.locator(PICTURES_OF).select_option("shapes: corrupted copies")
    until(page, f"{STATUS}.startsWith('100 pictures')")
    assert shown(page) == "100 pictures; 1 to 60 are shown"
    assert "cosine" not in page.locator(".tile figcaption").first.inner_text()


def test_other_pictures_start_at_their_first_page(open_page):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    for first in (61, 121):
        page.get_by_role("button", name="Next page").click()
        until(page, f"{STATUS}.includes('; {first} to ')")
    page.locator(PICTURES_OF).select_option("shapes: corrupted copies")
    until(page, f"{STATUS}.startsWith('100 pictures')")
    assert shown(page) == "100 pictures; 1 to 60 are shown" and page.locator(".tile").count() == 60


def test_other_pictures_drop_the_filters_that_they_lack_and_keep_the_others(open_page):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.locator(PICTURES_OF).select_option("shapes: corrupted copies")
    until(page, f"{STATUS}.startsWith('100 pictures')")
    label = page.locator("label:has(span:text-is('Label')) select")
    label.select_option("star")
    shift = page.locator("label:has(span:text-is('shift')) select")
    shift.select_option(index=1)
    settled(page)
    page.locator(PICTURES_OF).select_option("shapes")
    page.wait_for_selector("label:has(span:text-is('shift'))", state="detached")
    settled(page)
    assert "shift" in page.locator("#notice").inner_text() and "removed from the filters" in page.locator("#notice").inner_text()
    assert label.input_value() == "star"
    expected = label.locator("option:checked").inner_text().removeprefix("star (").removesuffix(")")
    assert shown(page) == f"{expected} pictures; 1 to {expected} are shown"


def test_typing_and_choosing_go_on_after_an_answer(open_page):
    """The answer to the first words redraws the filters; the focus, the text and the caret stay."""
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    words = page.get_by_label("Search by words").last
    words.click()
    page.keyboard.type("a red")
    until(page, f"{STATUS}.includes('most like “a red”')")
    page.keyboard.type(" star")
    until(page, f"{STATUS}.includes('most like “a red star”')")
    words.fill("")
    settled(page)

    least = page.get_by_label("least Confidence")
    least.focus()
    page.keyboard.type("0.1")
    page.keyboard.press("Enter")
    settled(page)
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    settled(page)
    assert least.input_value() == "0.15" and page.evaluate("document.activeElement.ariaLabel") == "least Confidence"

    sort = page.locator("label:has(span:text-is('Sort by')) select")
    sort.focus()
    for expected in ("least confident", "most confident"):
        page.keyboard.press("ArrowDown")
        settled(page)
        assert sort.input_value() == expected


def test_another_run_drops_the_filters_of_classes_that_it_lacks(open_page):
    page = open_page("pictures?label=cone&predicted=pyramid")
    page.wait_for_selector(".gallery .status")
    page.select_option("#place select >> nth=0", "r-people")
    until(page, "!document.querySelector('#main').hasAttribute('aria-busy')")
    until(page, f"{STATUS}.startsWith('336 pictures')")
    assert page.locator(".tile").count() == 60
    said = page.locator("#notice").inner_text()
    assert said == "world-people has no label “cone”, predicted as “pyramid”: removed from the filters."


def test_the_map_has_the_colors_of_the_class_list_that_is_shown(open_page):
    """Without `cone`, its pictures are wrong; in the list of the run most of them are correct."""
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_role("button", name="drop cone").click()
    page.wait_for_selector(".flow")
    page.get_by_role("link", name="Pictures", exact=True).click()
    page.wait_for_selector(".gallery .tile")
    with page.expect_response("**/api/map") as edited:
        page.get_by_role("button", name="Map of the pictures").click()
    page.wait_for_selector("canvas")
    with page.expect_response("**/api/map") as own:
        page.get_by_role("button", name="Show those of the run's list").click()
    settled(page)
    wrong = [answer.value.json()["correct"].count(0) for answer in (edited, own)]
    assert wrong[1] < wrong[0]
    page.locator("label:has(span:text-is('Prediction')) select").select_option("wrong")
    until(page, f"{STATUS}.startsWith('{wrong[1]} picture')")
