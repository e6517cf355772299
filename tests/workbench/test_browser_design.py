"""What the editor of class lists does in a real browser: reword, drop, merge, add, measure and save."""

import json

import pytest
from tests.workbench.browser import comes, number, settled, until

from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.live_design import parse_live_design

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_dropping_a_class_moves_its_pictures_and_undo_brings_them_back(open_page, people):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    before = number(page, "accuracy")
    page.get_by_role("button", name="drop kid").click()
    page.wait_for_selector(".flow .ribbon")
    design = json.loads(json.dumps(people.base.to_json()))
    design["classes"] = [c for c in design["classes"] if c["names"] != ["kid"]]
    expected = design_answer(people, parse_live_design(design))
    assert number(page, "moved") == str(expected["flows"]["moved"])
    assert number(page, "accuracy") == f"{100 * expected['accuracy']['value']:.1f}%"
    assert number(page, "harm") == f"{100 * expected['harm']['value']:.1f}%"
    page.wait_for_selector(".tiles.small .tile img")
    assert page.locator(".tiles.small .tile").count() == min(12, expected["flows"]["flows"][0]["count"])
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".flow", state="detached")
    assert number(page, "accuracy") == before and number(page, "moved") == "0"
    page.get_by_role("button", name="Redo").click()
    page.wait_for_selector(".flow .ribbon")


def test_typing_rewords_a_class_live_and_is_one_step_of_the_history(open_page, people):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    field = page.get_by_label("name of class 8")
    field.fill("")
    field.press_sequentially("purple cube", delay=15)
    design = people.base.to_json()
    design["classes"][7] = {"names": ["purple cube"], "group": "crime", "labels": []}
    expected = design_answer(people, parse_live_design(design))
    until(page, f"document.querySelector('[data-number=harm] .big').textContent === '{100 * expected['harm']['value']:.1f}%'")
    settled(page)
    assert number(page, "harm") == f"{100 * expected['harm']['value']:.1f}%"
    page.get_by_role("button", name="Undo").click()
    until(page, "document.querySelector('[aria-label=\"name of class 8\"]').value === 'thief'")


def test_late_answers_to_fast_typing_are_dropped(open_page):
    """The answer to the first key is held back until the last one is on the screen."""
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    held = []

    def hold_first(route):
        if not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/design", hold_first)
    page.get_by_role("button", name="drop kid").click()
    comes(page, held)
    with page.expect_response("**/api/design"):
        page.get_by_role("button", name="Undo").click()
    page.wait_for_timeout(300)
    assert number(page, "moved") == "0"
    with page.expect_response("**/api/design") as late:
        held[0].continue_()
    late.value.finished()
    page.wait_for_timeout(300)
    assert number(page, "moved") == "0" and page.locator(".flow").count() == 0


def test_an_answer_for_a_dataset_that_was_left_is_dropped(open_page):
    """Another run is chosen while an answer is on its way."""
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    held = []
    page.route("**/api/design", lambda route: held.append(route) if not held else route.continue_())
    page.get_by_role("button", name="drop kid").click()
    comes(page, held)
    opening = []
    page.route("**/api/open", lambda route: opening.append(route))
    page.select_option("#place select >> nth=0", "r-shapes")
    comes(page, opening)
    with page.expect_response("**/api/design") as late:
        held[0].continue_()  # the answer comes while the other run is being opened
    late.value.finished()
    page.wait_for_timeout(300)
    opening[0].continue_()
    page.wait_for_selector("input.name >> nth=17")
    settled(page)
    assert page.locator("[data-number=harm]").count() == 0


def test_adding_and_merging_classes(open_page):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_label("add a class", exact=True).fill("a white background")
    page.get_by_label("add a class", exact=True).press("Enter")
    page.locator("input.name").nth(18).wait_for()
    assert page.locator("input.name").count() == 19
    page.get_by_label("merge cone").check()
    page.get_by_label("merge pyramid").check()
    page.get_by_role("button", name="Merge 2 classes into one").click()
    until(page, "document.querySelectorAll('input.name').length === 18")
    assert page.get_by_label("name of class 3").input_value() == "cone, pyramid"
    settled(page)
    assert page.locator(".status.error").count() == 0


def test_an_empty_list_or_a_bad_template_is_a_sentence(open_page):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    page.click("summary")
    page.locator("details textarea").fill("no place for the name")
    page.wait_for_selector(".status.error")
    assert "needs {}" in page.locator(".status.error").inner_text()
    open_page.said.clear()  # the browser logs the refused request
    page.locator("details textarea").fill("a photo of a {}.")
    page.wait_for_selector(".status:not(.error)")


def test_measuring_counts_the_looks_and_suggesting_too(open_page):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=looks]")
    page.get_by_role("button", name="drop kid").click()
    page.get_by_role("button", name="Measure this list").click()
    page.wait_for_selector("[data-number=measured]")
    first = page.locator("[data-number=looks]").inner_text()
    page.get_by_label("Candidates, separated by commas").fill("kid, star, sphere")
    page.get_by_role("button", name="Suggest").click()
    page.get_by_role("button", name="Add it").click()
    until(page, f"document.querySelector('[data-number=looks]').textContent !== {json.dumps(first)}")
    assert page.get_by_label("name of class 8").input_value() in ("kid", "thief")
    assert page.locator("input.name").count() == 8


def test_designs_and_classifiers_are_saved(open_page, exams):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_label("Name of the saved file").fill("from-browser")
    page.get_by_role("button", name="Save design").click()
    until(page, "document.querySelector('#notice').textContent.includes('.toml')")
    page.get_by_role("button", name="Save classifier").click()
    until(page, "document.querySelector('#notice').textContent.includes('.safetensors')")
    assert {f.name for f in (exams / "people" / "workbench").iterdir()} >= {
        "from-browser.toml", "from-browser.safetensors", "from-browser.json",
    }  # fmt: skip


def test_the_editor_refuses_a_class_that_differs_in_case_only(open_page, people):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    names = page.locator("ul.classes input.name")
    before, known = names.count(), names.first.input_value()
    group = page.locator("[data-add]").first
    group.locator("input").fill(known.upper())
    group.locator("input").press("Enter")
    until(page, f"document.querySelector('#notice').textContent.includes('“{known}” is a class already')")
    assert names.count() == before and known.upper() != known


@pytest.mark.parametrize("name", ["cone", "Cone", "CONE "])
def test_a_class_that_is_there_already_is_not_added_again(open_page, name):
    page = open_page("")
    until(page, "document.querySelector('form.add input')?.disabled === false")
    page.get_by_label("class to add").fill(name)
    page.get_by_role("button", name="Add and see").click()
    until(page, "document.querySelector('#notice').textContent.includes('“cone” is a class already')")
    assert page.evaluate("location.hash") in ("", "#/")


def test_a_name_that_is_no_word_gets_a_warning_beside_it(open_page):
    """As `eyechart lint` says it. A word, and the names of the run itself, get none."""
    page = open_page("design")
    page.wait_for_selector("[data-number=moved]")
    assert page.locator(".class .warning:visible").count() == 0
    for name in ("qwxzv", "teapot"):
        page.get_by_label("add a class").fill(name)
        page.get_by_label("add a class").press("Enter")
        page.wait_for_selector(f".class[data-class={name}]")
    until(page, "document.querySelector('.class[data-class=qwxzv] .warning').checkVisibility()")
    said = page.locator(".class[data-class=qwxzv] .warning").inner_text()
    assert said == "⚠ “qwxzv” does not look like a word, so the model may not know it"
    assert page.locator(".class .warning:visible").count() == 1


def test_a_new_class_says_in_plain_words_which_pictures_it_is_correct_for(open_page):
    page = open_page("design")
    page.wait_for_selector("[data-number=moved]")
    choice = page.get_by_label("label that the new class is right for")
    assert choice.locator("option").first.inner_text() == "none: always an error"
    assert "correct for pictures labeled" in page.locator("[data-add=dataset]").inner_text()
    assert page.get_by_label("Start from").locator("option").first.inner_text().startswith("class list of the run (")
