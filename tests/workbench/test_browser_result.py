"""The result of a run and its thresholds in a real browser."""

import json

import numpy as np
import pytest
from tests.workbench.browser import number, settled, until

from eyechart.workbench.threshold_desk import ThresholdDesk

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    assert page.get_by_text("The curve is of abstention alone").count() == 0
    page.get_by_role("button", name="Set to 95% TPR").click()
    page.wait_for_selector("[data-number=tpr]")
    assert page.get_by_text("The curve is of abstention alone").count() == 1  # rejected pictures are not answered
    ood = ThresholdDesk(shape_desk, shape_desk.base).ood
    inside = [ood.inside["mcm"][half.rows] for half in (shape_desk.explore, shape_desk.held_out)]
    outside = [ood.outside["mcm"][which] for which in (ood.explored, ~ood.explored)]
    tpr, least = min((np.mean(inside[0] >= t), t) for t in inside[0] if np.mean(inside[0] >= t) >= 0.95)
    assert number(page, "tpr") == f"{100 * tpr:.1f}%"
    page.get_by_role("button", name="Check these thresholds").click()
    page.wait_for_selector("[data-number=halves]")
    for title, scores in (("TPR", inside), ("FPR", outside)):
        cells = page.locator(f"[data-number=halves] tr:has(th:text('{title}')) td").all_inner_texts()
        expected = [f"{100 * np.mean(of >= least):.1f}% " for of in scores]
        assert [cell[: len(e)] for cell, e in zip(cells, expected, strict=True)] == expected
        assert [cell.replace("\u00a0", " ").rsplit("n = ", 1)[1] for cell in cells] == [str(len(of)) for of in scores]
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
    assert page.locator(".by-accuracy button").count() == 8
    page.get_by_role("button", name="Show all 18").click()
    assert page.locator(".by-accuracy button").count() == 18
    assert page.locator(".by-accuracy button[aria-pressed=true]").inner_text().startswith(worst)
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
    assert page.locator("input.name").first.input_value() == "a white background"


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


def test_the_field_for_a_new_class_says_why_it_cannot_be_used(open_page):
    page = open_page("result")
    settled(page)
    refusal = json.dumps({"error": "shapes has no class names", "needs_classes": True})
    page.route("**/api/open", lambda route: route.fulfill(status=409, content_type="application/json", body=refusal))
    page.reload()
    page.wait_for_selector("[data-card=add] [data-lacking]")
    assert page.get_by_label("class to add").is_disabled()
    assert page.locator("[data-lacking]").inner_text() == "shapes has no class names Open the class design"
    page.get_by_role("link", name="Open the class design").click()
    page.get_by_label("Classes, one on each line").wait_for()
    open_page.said.clear()  # the browser logs the refused request


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
