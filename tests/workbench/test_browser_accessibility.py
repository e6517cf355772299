"""The workbench without a mouse or color: axe, keyboard, names as text, and axes."""

from pathlib import Path

import numpy as np
import pytest
from tests.workbench.browser import VIEWS, settled, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_steps_of_an_axis_look_equal(open_page):
    page = open_page("thresholds")
    page.wait_for_selector("svg[aria-label] .tick")
    for chart in page.locator("svg.chart").all():
        texts = [t for t in chart.locator(".tick[text-anchor=end]").all_text_contents() if t.endswith("%")]
        steps = np.diff([float(t.removesuffix("%")) for t in texts])
        assert len(steps) == 0 or np.allclose(steps, steps[0], atol=1e-9), texts


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


def test_names_of_a_dataset_are_text_and_never_markup(open_page):
    page = open_page(run="people")
    page.wait_for_selector("[data-number=accuracy]")
    page.get_by_label("add a class to role").fill("<img src=x onerror=alert(1)>")
    page.get_by_label("add a class to role").press("Enter")
    page.locator("th span", has_text="<img src=x").first.wait_for()
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize("width", [1400, 390])
def test_a_name_that_is_one_long_word_does_not_widen_the_page(open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    page.wait_for_selector("[data-number=accuracy]")
    for place, letter in enumerate("xyz"):
        page.locator("input.name").nth(place).fill(letter * 290)
    page.wait_for_selector(".flow")
    settled(page)
    for view in VIEWS:
        page.locator(f"#tabs a[href^='#/{view}?']").click()
        until(page, f"document.querySelector('#main').className === 'view-{view}' && document.querySelector('main > *')")
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    page.goto(page.url.split("#")[0] + "#/pictures")
    page.locator(".tile .picture").first.click()
    page.wait_for_selector("dialog[open] .nearest .tile")
    assert page.locator("dialog").evaluate("box => box.scrollWidth - box.clientWidth") <= 0
