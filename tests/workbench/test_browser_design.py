"""What the editor of class lists does in a real browser: reword, drop, merge, add, measure and save."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.workbench.browser import comes, number, settled, until, view_of

from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.live_design import parse_live_design

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OUTSIDE = """(which) => {
  const chart = document.querySelector(which), frame = chart.getBoundingClientRect();
  const within = (box) => box.left > frame.left - 0.5 && box.right < frame.right + 0.5 && box.top > frame.top - 0.5
    && box.bottom < frame.bottom + 0.5;
  const texts = [...chart.querySelectorAll("text")];
  return texts.filter((text) => !within(text.getBoundingClientRect())).map((text) => text.textContent);
}"""  # texts of a chart that are cut by its edge


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


def test_accuracy_stands_beside_always_predicting_the_most_frequent_label(open_page, shape_desk):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    labels = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[shape_desk.explore.rows]
    most = np.unique(labels, return_counts=True)[1].max() / len(labels)
    assert f"”: {100 * most:.1f}%" in page.locator("[data-number=accuracy]").inner_text()
    page.get_by_label("merge cone").check()
    page.get_by_label("merge pyramid").check()
    page.get_by_role("button", name="Merge 2 classes into one").click()
    both = np.isin(labels, ["cone", "pyramid"]).mean()  # a merged class is right for both labels
    until(page, f"document.querySelector('[data-number=accuracy]').innerText.includes('always “cone”: {100 * both:.1f}%')")


def test_adding_and_merging_classes(open_page):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    page.locator("input.name").last.fill("a ring of rubber")
    page.get_by_label("add a class", exact=True).fill("a white background")
    page.get_by_label("add a class", exact=True).press("Enter")
    page.locator("input.name").nth(18).wait_for()
    assert page.locator("input.name").count() == 19
    page.get_by_label("merge cone").check()
    page.get_by_label("merge pyramid").check()
    page.get_by_role("button", name="Merge 2 classes into one").click()
    until(page, "document.querySelectorAll('input.name').length === 18")
    assert page.get_by_label("name of class 3").input_value() == "cone, pyramid"
    marks = dict(zip(page.locator(".class:has(.mark) .name").evaluate_all("found => found.map(e => e.value)"),
                     page.locator(".class .mark").all_inner_texts(), strict=True))  # fmt: skip
    assert marks == {"a white background": "new", "cone, pyramid": "merged", "a ring of rubber": "reworded"}
    settled(page)
    assert page.locator(".status.error").count() == 0


def test_an_error_goes_with_its_cause(open_page):
    """Its sentence stays until the next action, which removes the cause or is refused again."""
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    field = page.get_by_label("add a class", exact=True)
    field.fill("cone")
    field.press("Enter")
    page.wait_for_selector("#notice.error")
    page.wait_for_timeout(300)
    assert page.locator("#notice").inner_text() == "“cone” is a class already."
    field.press("Enter")
    page.wait_for_selector("#notice.error")  # refused again
    field.press_sequentially(" of ice cream")
    assert page.locator("#notice").inner_text() == "" and page.locator("#notice.error").count() == 0
    field.fill("cone")
    field.press("Enter")
    page.wait_for_selector("#notice.error")
    page.goto(page.url.replace("#/design", "#/runs"))
    until(page, "document.querySelector('#notice').textContent === ''")


def test_a_refusal_that_comes_late_is_dropped_like_an_answer(open_page):
    """The refusal of a bad template is held back until the good one is on the screen."""
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    page.click("summary")
    held = []
    page.route("**/api/design", lambda route: route.continue_() if held else held.append((route, route.fetch())))
    page.locator("details textarea").fill("no place for the name")
    comes(page, held)
    with page.expect_response("**/api/design"):
        page.locator("details textarea").fill("a photo of a {}.")
    settled_before, (route, refusal) = page.locator(".status").inner_text(), held[0]
    assert refusal.status == 400 and "classified anew" in settled_before
    route.fulfill(response=refusal)
    page.wait_for_timeout(300)
    assert page.locator(".status.error").count() == 0
    open_page.said.clear()  # the browser logs the refused request


def test_a_key_is_sent_at_once_and_the_pictures_follow_when_typing_pauses(open_page):
    """Every key of a word is asked for without a wait; pictures are asked for once."""
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    asked = []
    page.on("request", lambda r: asked.append(r.url.rsplit("/", 1)[1]) if "/api/" in r.url else None)
    page.evaluate(
        """() => { const field = document.querySelector('[aria-label="name of class 8"]');
        for (const word of ["p", "pu", "pur"]) {
          field.value = word; field.dispatchEvent(new Event("input", {bubbles: true})); } }"""
    )
    until(page, "document.querySelector('.flow') !== null")
    page.wait_for_selector(".tiles.small .tile img")
    settled(page)
    assert asked.count("design") == 3 and asked.count("rows") == 1 and "gallery" not in asked


def test_lists_that_are_cut_can_be_seen_whole_and_stay_so_while_typing(open_page, shape_desk):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    page.click("summary")
    page.locator("details textarea").fill("cone cube {} sphere star torus arrow")
    confused = page.locator("[data-list=confused]")
    confused.get_by_role("button").wait_for()
    whole = design_answer(shape_desk, replace(shape_desk.base, templates=("cone cube {} sphere star torus arrow",)))["confusion"]
    assert whole["pair_count"] == len(whole["pairs"]) > 10 == confused.locator("li").count()
    confused.get_by_role("button", name=f"Show all {whole['pair_count']}").click()
    assert confused.locator("li").count() == whole["pair_count"] and confused.locator("button").count() == 0
    worst = page.locator("[data-list='worst classes']")
    assert worst.locator("circle").count() == 8
    worst.get_by_role("button", name="Show all 18").click()
    assert worst.locator("circle").count() == 18
    with page.expect_response("**/api/design"):
        page.get_by_role("button", name="drop cone").click()
    settled(page)
    assert page.locator("[data-list='worst classes'] circle").count() == 18


def test_labels_of_charts_are_whole_and_inside(open_page):
    """Long names are wrapped: none is cut at the edge of a chart, and none is shortened."""
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    long = [
        "an object that is as long as the name of a class can be one",
        "an object that is as long as the name of a class can be two",
    ]
    for place, name in enumerate(long, start=1):
        page.get_by_label(f"name of class {place}", exact=False).first.fill(name)
    page.wait_for_selector(".flow")
    settled(page)
    for chart in (".flow", "[data-list='worst classes'] .dots"):
        assert page.evaluate(OUTSIDE, chart) == [], chart
    assert "…" not in page.locator(".flow").text_content()
    heads = page.locator(".confusion thead th span").all_inner_texts()
    assert len(set(heads)) == len(heads) == 18


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
    assert page.locator("[data-number=measured] th[scope=row]").first.inner_text() == "accuracy"
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


def test_a_file_that_exists_is_replaced_only_after_a_question(open_page, exams):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_label("Name of the saved file").fill("asked")
    save, path = page.get_by_role("button", name="Save design"), exams / "people" / "workbench" / "asked.toml"
    save.click()
    until(page, "document.querySelector('#notice').textContent.includes('asked.toml')")
    path.write_text("mine")
    questions = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    save.click()
    until(page, "document.querySelector('#notice').textContent.includes('is kept')")
    assert questions == ["asked.toml exists already. Replace it?"]
    assert path.read_text() == "mine"
    page.once("dialog", lambda dialog: dialog.accept())
    save.click()
    until(page, "document.querySelector('#notice').textContent.startsWith('Saved')")
    assert path.read_text() != "mine"


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
    assert view_of(page) == "result"


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


def test_ticks_for_a_merge_stay_with_their_classes(open_page):
    """Dropping a class and bringing it back moves the others; a ticked class that is gone is no longer ticked."""
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    names = page.locator("input.name").evaluate_all("found => found.map(e => e.value)")
    ticked = "[...document.querySelectorAll('.class')].filter(c => c.querySelector('input').checked).map(c => c.dataset.class)"
    page.get_by_role("button", name=f"drop {names[0]}", exact=True).click()
    for name in names[3:5]:
        page.get_by_label(f"merge {name}", exact=True).check()
    page.get_by_role("button", name="Undo").click()
    page.locator("input.name").nth(len(names) - 1).wait_for()
    assert page.evaluate(ticked) == names[3:5]
    page.get_by_role("button", name="Merge 2 classes into one").click()
    page.wait_for_selector(".class .mark")
    values = page.locator("input.name").evaluate_all("found => found.map(e => e.value)")
    assert values == [*names[:3], f"{names[3]}, {names[4]}", *names[5:]]

    page.get_by_label("add a class", exact=True).fill("a teapot")
    page.get_by_label("add a class", exact=True).press("Enter")
    page.get_by_label("merge a teapot").check()
    page.get_by_label(f"merge {names[0]}", exact=True).check()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("[data-class='a teapot']", state="detached")
    assert page.evaluate(ticked) == names[:1]
    assert page.get_by_role("button", name="Merge (tick two classes)").is_disabled()


@pytest.mark.parametrize("typed", ["pyramid", "Pyramid", "PYRAMID , spire"])
def test_a_class_is_not_reworded_to_one_that_is_there_already(open_page, typed):
    page = open_page()
    page.wait_for_selector("[data-number=accuracy]")
    settled(page)
    field = page.locator(".class[data-class=cone] input.name")
    field.fill(typed)
    page.wait_for_selector("#notice.error")
    assert page.locator("#notice").inner_text() == "“pyramid” is a class already."
    settled(page)
    assert number(page, "moved") == "0" and page.locator(".class[data-class=pyramid] .predicted").inner_text() != "0"
    field.press("Tab")
    assert field.input_value() == "cone" and page.locator("#notice").inner_text() == "“pyramid” is a class already."
    field.fill("pyramid of ice")
    until(page, "document.querySelector('#notice').textContent === ''")
    field.press("Tab")
    assert field.input_value() == "pyramid of ice"
