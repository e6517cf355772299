"""Signing in, and the list of runs, in a real browser."""

import shutil
import time

import pytest
from tests.workbench.browser import until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_printed_address_signs_in_and_hides_the_token(chromium, fresh_server):
    page = chromium.new_page()
    page.goto(fresh_server.address)
    page.wait_for_selector("#tabs a")
    assert "token" not in page.url and page.evaluate("document.cookie") == ""
    page.close()


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


def test_runs_are_listed_and_one_is_started(open_page, exams):
    page = open_page("runs")
    page.wait_for_selector("tbody tr")
    assert page.locator("tbody th").all_inner_texts()[:1] == ["people"]
    page.locator("main label:has(span:text-is('Dataset')) select").select_option("world-objects")
    page.get_by_label("At most this many pictures").fill("36")
    name = f"browser-{time.monotonic_ns()}"
    page.get_by_label("Name of the folder").fill(name)
    page.locator("label:has(span:text-is('Profile')) select").select_option("classify")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("text=is running")
    page.wait_for_selector("text=has ended", timeout=120_000)
    until(page, "[...document.querySelectorAll('tbody th')].some(t => t.textContent.startsWith('browser-'))")
    until(page, f"[...document.querySelectorAll('#place option')].some(o => o.textContent === '{name}')")


def test_a_run_that_ends_while_another_view_is_open_can_be_chosen(open_page):
    page = open_page("runs")
    page.wait_for_selector("tbody tr")
    page.locator("main label:has(span:text-is('Dataset')) select").select_option("world-objects")
    page.get_by_label("At most this many pictures").fill("36")
    name = f"browser-{time.monotonic_ns()}"
    page.get_by_label("Name of the folder").fill(name)
    page.locator("label:has(span:text-is('Profile')) select").select_option("classify")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("text=is running")
    page.get_by_role("link", name="Try a picture").click()
    page.wait_for_selector(".drop")
    until(page, f"[...document.querySelectorAll('#place option')].some(o => o.textContent === '{name}')", seconds=120)


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
