"""The pictures of the workbench in a real browser: search, filters, tags, the map, and a picture of one's own."""

import csv
import json
import re

import numpy as np
import pytest
from tests.workbench.browser import until, view_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    before = page.locator("dialog h2").inner_text()
    nearest.click()
    until(page, f"document.querySelector('dialog h2').textContent === {json.dumps(wanted)}")
    page.get_by_role("button", name=f"Back to {before}", exact=False).click()
    until(page, f"document.querySelector('dialog h2').textContent === {json.dumps(before)}")
    assert page.locator("dialog").get_by_role("button", name="Back to").count() == 0
    page.keyboard.press("ArrowLeft")  # the list of before goes on
    until(page, f"document.querySelector('dialog h2').textContent !== {json.dumps(before)}")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def test_back_closes_an_enlarged_picture_and_closing_leaves_no_entry(open_page):
    page = open_page("design")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_role("link", name="Pictures", exact=True).click()
    page.wait_for_selector(".tile")
    page.locator(".tile .picture").first.click()
    page.wait_for_selector("dialog[open] .nearest .tile")
    page.go_back()
    page.wait_for_selector("dialog[open]", state="detached")
    assert view_of(page) == "pictures" and page.locator(".gallery .tile").count() == 60
    page.locator(".tile .picture").first.click()
    page.wait_for_selector("dialog[open] .nearest .tile")
    page.locator("dialog .nearest .picture").first.click()
    page.get_by_role("button", name="Close").click()
    page.wait_for_selector("dialog[open]", state="detached")
    until(page, "!history.state?.dialog")
    page.go_back()
    page.wait_for_selector("[data-number=accuracy]")
    assert view_of(page) == "design"


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


def test_a_confusion_matrix_has_correct_predictions_on_its_diagonal(open_page):
    page = open_page()
    page.wait_for_selector(".confusion .cell")
    rows = page.locator(".confusion tbody th").all_inner_texts()
    assert rows == page.locator(".confusion thead th span").all_inner_texts()
    right = page.evaluate(
        "[...document.querySelectorAll('.cell.right')].map(c => [c.closest('tr').rowIndex, c.closest('td').cellIndex])"
    )
    assert right and all(row == column for row, column in right)


def test_a_dropped_file_is_classified(open_page, shapes, tmp_path):
    page = open_page("try")
    page.set_input_files("#file", str(sorted(shapes.glob("star/*.png"))[0]))
    page.wait_for_selector("[data-number=classes] tbody tr")
    assert page.locator("[data-number=classes] tbody th").first.inner_text() == "star"
    until(page, "[...document.querySelectorAll('.maps img')].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator(".maps img").count() == 3 and page.locator(".tried .tile").count() == 8
    ood = page.locator("[data-number=ood]").inner_text()
    found = re.search(r"above that of (\d+)% of the 200 known pictures. At the threshold 0\.\d+, which 95% of them reach", ood)
    assert found and ("it is accepted" in ood) == (int(found[1]) >= 5) and "Like the known pictures" not in ood
    assert "out-of-distribution pictures of this run" in page.locator("[data-number=fpr]").inner_text()
    (tmp_path / "no.png").write_text("no picture")
    page.set_input_files("#file", str(tmp_path / "no.png"))
    page.wait_for_selector("#notice.error")
    assert "not a JPEG" in page.locator("#notice").inner_text()
    assert page.locator(".tried").count() == 0  # nothing of the picture before is beside the error
    open_page.said.clear()
