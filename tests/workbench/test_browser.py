"""The workbench in a real browser: every interaction, keyboard, phone, dark, accessibility, and answers that come late."""

import csv
import json
import re
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.live_design import parse_live_design

sync_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("starlette")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BINARY = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
VIEWS = ["result", "design", "pictures", "thresholds", "compare", "try", "runs"]


def until(page, expression, seconds=60):
    """Wait until an expression is true. (Playwright's own way evaluates text in the page, which the policy forbids.)"""
    end = time.monotonic() + seconds
    while not page.evaluate(f"() => Boolean({expression})"):
        assert time.monotonic() < end, f"waited in vain for {expression}"
        page.wait_for_timeout(40)


@pytest.fixture(scope="session")
def chromium():
    if BINARY is None:
        pytest.skip("there is no chromium: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=BINARY, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server):
    """A page of the workbench; the test fails where the console has errors or a request leaves the machine."""
    made, said, asked = [], [], []

    def make(view="design", run="shapes", **options):
        context = chromium.new_context(viewport=options.pop("viewport", {"width": 1400, "height": 900}), **options)
        context.add_cookies([{"name": server.cookie.split("=")[0], "value": server.cookie.split("=", 1)[1],
                              "url": f"http://127.0.0.1:{server.port}", "httpOnly": True, "sameSite": "Strict"}])  # fmt: skip
        page = context.new_page()
        page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: said.append(str(e)))
        page.on("request", lambda r: asked.append(r.url))
        page.under_way = set()
        page.on("request", lambda r: page.under_way.add(r))
        page.on("requestfinished", lambda r: page.under_way.discard(r))
        page.on("requestfailed", lambda r: page.under_way.discard(r))
        page.goto(f"http://127.0.0.1:{server.port}/#/{view}")
        page.wait_for_selector("#tabs a")
        page.wait_for_selector("main > *")
        if page.locator("#place select").first.input_value() != f"r-{run}":
            page.select_option("#place select >> nth=0", f"r-{run}")
        until(page, f"document.querySelector('#place select').value === 'r-{run}'")
        until(page, "!document.querySelector('#main').hasAttribute('aria-busy')")
        page.wait_for_selector("main > *")
        made.append(context)
        return page

    make.said = said
    yield make
    for context in made:
        context.close()
    assert said == []
    assert {re.match(r"(blob:)?http://[^/]+", url)[0].removeprefix("blob:") for url in asked} <= {
        f"http://127.0.0.1:{server.port}"
    }


def number(page, name):
    return page.locator(f"[data-number={name}] .big").first.inner_text()


def settled(page, quiet=0.4, seconds=60):
    """Wait until no request is under way and none was made for a while."""
    end = time.monotonic() + seconds
    since = time.monotonic()
    while time.monotonic() - since < quiet:
        page.wait_for_timeout(40)
        if page.under_way:
            since = time.monotonic()
        assert time.monotonic() < end, f"these requests never ended: {sorted(r.url for r in page.under_way)}"


def comes(page, held, seconds=60):
    """Wait until a request was held back."""
    end = time.monotonic() + seconds
    while not held:
        assert time.monotonic() < end, "waited in vain for a request"
        page.wait_for_timeout(20)


def test_the_printed_address_signs_in_and_hides_the_token(chromium, fresh_server):
    page = chromium.new_page()
    page.goto(fresh_server.address)
    page.wait_for_selector("#tabs a")
    assert "token" not in page.url and page.evaluate("document.cookie") == ""
    page.close()


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


def test_a_cell_of_the_confusion_matrix_opens_its_pictures(open_page):
    page = open_page()
    cell = page.locator(".cell.wrong").first
    cell.wait_for()
    words = re.match(r"(\d+) of (.+) predicted as (.+)", cell.get_attribute("aria-label"))
    cell.click()
    page.wait_for_selector(".gallery .tile")
    until(page, "document.querySelector('.gallery .status').textContent.includes('shown')")
    captions = page.locator(".tile figcaption").all_inner_texts()
    assert captions and all(words[3] in c and f"label: {words[2]}" in c for c in captions)
    page.go_back()
    page.wait_for_selector("[data-number=accuracy]")


def test_search_enlarge_and_find_similar(open_page):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.get_by_label("Search by words").first.fill("a photo of a star")
    until(page, "document.querySelector('.tile figcaption')?.textContent.startsWith('star cosine')")
    page.locator(".tile .picture").first.press("Enter")
    page.wait_for_selector("dialog[open] h2")
    first = page.locator("dialog h2").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("dialog h2").inner_text() != first
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Attention").click()
    until(page, "document.querySelector('dialog img').complete && document.querySelector('dialog img').naturalWidth === 320")
    page.get_by_role("button", name="Find similar").click()
    until(page, "document.querySelector('.gallery .status').textContent.includes('the chosen picture')")
    until(page, "document.querySelector('.tile figcaption').textContent.includes('1.000')")


def test_an_enlarged_picture_shows_the_nearest_ones_and_leads_to_them(open_page, shape_desk):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.locator(".tile .picture").first.press("Enter")
    ids, vectors = shape_desk.pictures.dataset.ids(), shape_desk.pictures.vectors
    for step in range(3):
        page.wait_for_selector("dialog .nearest .tile")
        row = ids.index(page.locator("dialog h2").inner_text())
        cosines = np.delete(vectors @ vectors[row], row)
        shown = [float(text.split()[-1]) for text in page.locator(".nearest figcaption").all_inner_texts()]
        assert shown == pytest.approx(np.sort(cosines)[::-1][:6], abs=6e-4)
        if step < 2:  # the arrow keys work again and again, though the content is replaced
            page.keyboard.press("ArrowRight")
            until(page, f"document.querySelector('dialog h2').textContent !== {json.dumps(ids[row])}")
    nearest = page.locator(".nearest .picture").first
    wanted = nearest.get_attribute("aria-label").removeprefix("enlarge ")
    nearest.click()
    until(page, f"document.querySelector('dialog h2').textContent === {json.dumps(wanted)}")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def test_filters_selection_tags_and_export(open_page, exams, tmp_path):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.locator("label:has(span:text-is('Prediction')) select").select_option("wrong")
    until(
        page,
        "document.querySelector('.tile') && !document.querySelector('.tile:not(.wrong)')",
    )
    shown = page.locator(".tile").count()
    assert page.locator(".gallery .status").inner_text().startswith(f"{shown} picture")
    page.locator(".pick input").first.check()
    page.get_by_role("button", name="Tag as label error").click()
    page.wait_for_selector(".tile.tagged")
    with (exams / "shapes" / "workbench" / "label-errors.csv").open() as file:
        assert len(list(csv.reader(file))) >= 2
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export all ids").click()
    saved.value.save_as(tmp_path / "ids.txt")
    assert len((tmp_path / "ids.txt").read_text().split()) == shown
    page.get_by_role("button", name="Clear all").click()
    until(page, "document.querySelector('.gallery .status').textContent.startsWith('200 ')")


def test_the_lasso_keeps_what_is_inside(open_page):
    page = open_page("pictures")
    page.wait_for_selector(".tile")
    page.get_by_role("button", name="Map of the pictures").click()
    canvas = page.locator("canvas")
    canvas.wait_for()
    box = canvas.bounding_box()
    corners = [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0)]
    x, y = box["x"], box["y"]
    page.mouse.move(x + 12, y + 12)  # the corners are round
    page.mouse.down()
    for a, b in corners[1:]:
        page.mouse.move(x + a * box["width"] + 1, y + b * box["height"] - 1, steps=6)
    page.mouse.up()
    until(page, "document.querySelector('.gallery .status').textContent.includes('inside the lasso')")
    inside = int(page.locator(".gallery .status").inner_text().split()[0])
    assert 0 < inside < 200
    page.get_by_role("button", name="Clear the lasso").click()
    until(page, "document.querySelector('.gallery .status').textContent.startsWith('200 ')")


def test_sliders_change_coverage_and_rejection(open_page, shape_desk):
    page = open_page("thresholds")
    page.wait_for_selector("[data-number=answered]")
    assert number(page, "answered") == "100.0%"
    page.locator("#abstain").focus()
    page.locator("#abstain").fill("0.9")
    until(page, "document.querySelector('[data-number=answered] .big').textContent !== '100.0%'")
    from eyechart.workbench.saved_classifier import live_classifier

    p = live_classifier(shape_desk, shape_desk.base).probabilities(shape_desk.pictures.vectors[shape_desk.explore.rows])
    assert number(page, "answered") == f"{100 * np.mean(p.max(axis=1) >= 0.9):.1f}%"
    page.get_by_role("button", name="Set to 95% TPR").click()
    page.wait_for_selector("[data-number=tpr]")
    assert 94 <= float(number(page, "tpr").rstrip("%")) <= 96
    page.get_by_role("button", name="Check these thresholds").click()
    page.wait_for_selector(".measure table")
    page.get_by_role("button", name="Save classifier").click()
    until(page, "document.querySelector('#notice').textContent.includes('my-classifier.safetensors')")


def test_the_result_has_the_decision_the_worst_class_and_a_class_to_add(open_page, exams):
    """What a stranger looks for: the decision, the worst class with its pictures, and what happens when a class is added."""
    from eyechart.findings.run import read_run
    from eyechart.verdict.verdict import verdict_of

    page = open_page("")
    assert page.locator(".decision").inner_text() == verdict_of(read_run(exams / "shapes"), "demo", "shapes").decision
    assert page.locator(".area").count() == 6 and page.locator(".area .badge").count() == 6
    page.wait_for_selector("[data-list=worst] .tile img")
    until(page, "[...document.querySelectorAll('[data-list=worst] img')].every(i => i.complete && i.naturalWidth > 0)")
    bottom = page.locator("[data-list=worst]").bounding_box()
    assert bottom["y"] + bottom["height"] < 900
    worst = page.locator(".by-accuracy button").first.inner_text().rsplit(" ", 1)[0]
    assert page.locator("[data-card=worst] h2").inner_text() == f"Worst class: {worst}"
    other = page.locator(".by-accuracy button").nth(1)
    other.click()
    assert other.get_attribute("aria-pressed") == "true"
    page.locator(".by-accuracy button").first.click()
    page.get_by_role("link", name=f"All errors of {worst}").click()
    page.wait_for_selector(".gallery .tile.wrong")
    captions = page.locator(".gallery .tile figcaption").all_inner_texts()
    assert captions and all(f"label: {worst}" in c for c in captions)
    page.go_back()
    page.get_by_label("class to add").fill("a white background")
    page.get_by_label("class to add").press("Enter")
    page.wait_for_selector("[data-number=moved]")
    assert page.locator("input.name").last.input_value() == "a white background"


def test_an_added_class_is_marked_counted_and_told_on_the_result(open_page, shape_desk):
    page = open_page()
    page.wait_for_selector("[data-number=moved]")
    assert page.locator(".class .mark").count() == 0
    page.get_by_label("add a class", exact=True).fill("a white background")
    page.get_by_label("add a class", exact=True).press("Enter")
    page.wait_for_selector("[data-number=added]")
    assert page.locator(".class.new input.name").input_value() == "a white background"
    row = page.locator(".class.new .predicted").inner_text()
    assert page.locator("[data-number=added]").inner_text().startswith(f"“a white background” is predicted for {row} picture")
    page.locator("#tabs a", has_text="Result").click()
    page.wait_for_selector(".edited")
    assert "added “a white background”" in page.locator(".edited").inner_text()
    page.get_by_role("button", name="Discard the changes").click()
    page.wait_for_selector(".edited", state="detached")
    page.locator("#tabs a", has_text="Class design").click()
    page.wait_for_selector("[data-number=moved]")
    assert page.locator(".class .mark").count() == 0 and number(page, "moved") == "0"


def test_on_a_phone_the_numbers_of_a_class_list_stay_in_view(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.wait_for_selector(".brief:not(:empty)")
    page.locator("input.name").first.fill("a thing that is not there")
    brief = "document.querySelector('.brief').textContent"
    until(page, f"/ moved/.test({brief}) && !{brief}.includes('· 0 ')")
    box = page.locator(".brief").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 844
    assert page.locator(".brief").inner_text().startswith("Accuracy ")


def test_a_confusion_matrix_has_correct_predictions_on_its_diagonal(open_page):
    page = open_page()
    page.wait_for_selector(".confusion .cell")
    rows = page.locator(".confusion tbody th").all_inner_texts()
    assert rows == page.locator(".confusion thead th span").all_inner_texts()
    right = page.evaluate(
        "[...document.querySelectorAll('.cell.right')].map(c => [c.closest('tr').rowIndex, c.closest('td').cellIndex])"
    )
    assert right and all(row == column for row, column in right)


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


def test_the_steps_of_an_axis_look_equal(open_page):
    page = open_page("thresholds")
    page.wait_for_selector("svg[aria-label] .tick")
    for chart in page.locator("svg.chart").all():
        texts = [t for t in chart.locator(".tick[text-anchor=end]").all_text_contents() if t.endswith("%")]
        steps = np.diff([float(t.removesuffix("%")) for t in texts])
        assert len(steps) == 0 or np.allclose(steps, steps[0], atol=1e-9), texts


def test_a_dataset_without_classes_asks_for_some(open_page):
    page = open_page("design", run="unlabeled")
    if page.get_by_label("Classes, one on each line").count():
        open_page.said.clear()  # the browser logs the refused request
        page.get_by_role("button", name="Classify").click()
        page.wait_for_selector("#notice.error")
        page.get_by_label("Classes, one on each line").fill("star\ncube\nmoon")
        page.get_by_role("button", name="Classify").click()
    page.wait_for_selector("[data-number=moved]")
    assert page.locator("input.name").count() == 3
    page.get_by_role("link", name="Pictures", exact=True).click()
    page.wait_for_selector(".gallery .tile img")


def test_an_examination_in_a_terminal_shows_its_progress(open_page, exams):
    from eyechart.findings.run_folder import RunFolder
    from eyechart.findings.run_lock import only_writer
    from eyechart.findings.run_progress import recorded_progress
    from eyechart.progress import SilentProgress

    page = open_page("runs")
    page.wait_for_selector("tbody tr")
    folder = exams / "terminal"
    try:
        with (
            only_writer(RunFolder(folder)),
            recorded_progress(SilentProgress(), folder) as progress,
            progress.task("demo: encoding", 200, "pictures"),
        ):
            page.wait_for_selector("[data-running=terminal] progress")
            assert "demo: encoding: 0 of 200 pictures" in page.locator("[data-running=terminal]").inner_text()
            until(page, "[...document.querySelectorAll('tbody th')].some(t => t.textContent === 'terminal (running)')")
        page.wait_for_selector("[data-running=terminal]", state="detached")
        until(page, "[...document.querySelectorAll('tbody th')].some(t => t.textContent === 'terminal')")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


SHIFTS = """() => { window.shifted = [];
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted.push(e.value); })
    .observe({ type: "layout-shift", buffered: true }); }"""


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


def test_a_run_without_predictions_cannot_be_compared(open_page):
    page = open_page("compare")
    page.wait_for_selector("[data-number=difference]")
    tick = page.locator(".tick", has_text="(unlabeled)")
    assert tick.inner_text().endswith("(no predictions)") and tick.locator("input").is_disabled()


def test_two_models_side_by_side(open_page):
    page = open_page("compare")
    page.wait_for_selector("[data-number=difference]")
    page.locator(".pair button").first.click()
    page.wait_for_selector("dialog[open] figure img")
    until(page, "[...document.querySelectorAll('dialog figure img')].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator("dialog figure img").count() == 4
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def test_a_dropped_file_is_classified(open_page, shapes, tmp_path):
    page = open_page("try")
    page.set_input_files("#file", str(sorted(shapes.glob("star/*.png"))[0]))
    page.wait_for_selector("[data-number=classes] tbody tr")
    assert page.locator("[data-number=classes] tbody th").first.inner_text() == "star"
    until(page, "[...document.querySelectorAll('.maps img')].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator(".maps img").count() == 3 and page.locator(".tried .tile").count() == 8
    (tmp_path / "no.png").write_text("no picture")
    page.set_input_files("#file", str(tmp_path / "no.png"))
    page.wait_for_selector("#notice.error")
    assert "not a JPEG" in page.locator("#notice").inner_text()
    open_page.said.clear()


def test_runs_are_listed_and_one_is_started(open_page, exams):
    page = open_page("runs")
    page.wait_for_selector("tbody tr")
    assert page.locator("tbody th").all_inner_texts()[:1] == ["people"]
    page.locator("main label:has(span:text-is('Dataset')) select").select_option("world-objects")
    page.get_by_label("At most this many pictures").fill("36")
    page.get_by_label("Name of the folder").fill(f"browser-{time.monotonic_ns()}")
    page.locator("label:has(span:text-is('Profile')) select").select_option("classify")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("text=is running")
    page.wait_for_selector("text=has ended", timeout=120_000)
    until(page, "[...document.querySelectorAll('tbody th')].some(t => t.textContent.startsWith('browser-'))")


def test_the_page_of_a_run_works_in_its_sandbox(open_page):
    page = open_page("runs")
    with page.context.expect_page() as opened:
        page.locator("tr:has(th:text-is('people'))").get_by_role("link", name="open the page").click()
    report = opened.value
    report.wait_for_load_state("networkidle")
    assert "world-people" in report.content() and report.evaluate("self.origin") == "null"
    assert report.evaluate("[...document.images].every(i => !i.complete || i.naturalWidth > 0)")
    refused = "fetch('/api/runs').then(() => 'read', () => 'refused')"
    assert report.evaluate(refused) == "refused"
    open_page.said.clear()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_barrier(open_page, assets, view, dark, shapes):
    page = open_page(view, run="people" if view == "design" else "shapes", color_scheme="dark" if dark else "light")
    if view == "design":
        page.wait_for_selector("[data-number=accuracy]")
        page.get_by_role("button", name="drop kid").click()
        page.wait_for_selector(".flow")
    if view == "try":
        page.set_input_files("#file", str(sorted(shapes.glob("star/*.png"))[0]))
        page.wait_for_selector("[data-number=classes]")
    page.wait_for_timeout(500) if view == "runs" else settled(page)  # the list of runs asks again and again
    axe = assets / "axe-core" / "axe.min.js"
    if not axe.is_file():
        pytest.skip("there is no axe-core: run `make test-assets`")
    page.evaluate(Path(axe).read_text())
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})")
    assert [(v["id"], [n["target"] for n in v["nodes"][:3]], v["nodes"][0]["failureSummary"]) for v in found["violations"]] == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_shows_everything_without_scrolling_sideways(open_page, view):
    page = open_page(view, viewport={"width": 360, "height": 740})
    page.wait_for_timeout(700)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_keyboard_reaches_the_classes_and_the_flow(open_page):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_role("button", name="drop kid").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".flow .ribbon")
    page.locator(".ribbon").nth(1).focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('.ribbon')[1].getAttribute('aria-pressed') === 'true'")
    page.locator("body").press("Tab")
    page.keyboard.press("Control+Home")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('a, button, select, input, [tabindex]') !== null")


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


def test_names_of_a_dataset_are_text_and_never_markup(open_page):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_label("add a class to role").fill("<img src=x onerror=alert(1)>")
    page.get_by_label("add a class to role").press("Enter")
    page.locator("th span", has_text="<img src=x").first.wait_for()
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize("name", ["cone", "Cone", "CONE "])
def test_a_class_that_is_there_already_is_not_added_again(open_page, name):
    page = open_page("")
    until(page, "document.querySelector('form.add input')?.disabled === false")
    page.get_by_label("class to add").fill(name)
    page.get_by_role("button", name="Add and see").click()
    until(page, "document.querySelector('#notice').textContent.includes('“cone” is a class already')")
    assert page.evaluate("location.hash") in ("", "#/")
