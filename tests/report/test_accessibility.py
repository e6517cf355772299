"""Accessibility of the page, checked by axe-core in a real browser."""

import json

import pytest
from tests.report.test_browser import WAYS, opened

pytestmark = [pytest.mark.browser, pytest.mark.assets, pytest.mark.slow]

PLACES = ("m0/top", "m0/classes", "m0/pictures", "m0/accuracy", "m0/compare", "m0/findings", "m0/protocol")


@pytest.fixture(scope="session")
def axe(assets) -> str:
    path = assets / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip(f"{path} does not exist: run `make test-assets`")
    return path.read_text("utf-8")


def violations(browser, axe: str) -> list[str]:
    """What axe finds wrong by WCAG 2 A and AA. It is run by the debugger, because the page's policy would forbid it."""
    browser.run(f"{axe}; 0")
    rules = json.dumps({"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}})
    found = browser.run(
        f"axe.run(document, {rules}).then(r => r.violations.flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 160)])))"
    )
    return [": ".join(one) for one in found]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_wrong(browser, calm_page, axe, place, way):
    browser.look(**WAYS[way])
    opened(browser, calm_page, place)
    browser.run("new Promise(done => setTimeout(() => done(true), 800))")
    assert violations(browser, axe) == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_wrong_with_an_enlarged_picture(browser, calm_page, axe, dark):
    browser.look(dark=dark)
    opened(browser, calm_page)
    browser.click("document.querySelector('.failures .picture')")
    browser.wait("document.querySelector('#lightbox .near')")
    assert violations(browser, axe) == []


def test_axe_would_find_something(browser, axe, tmp_path):
    """Lest its silence mean nothing."""
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><title>bad</title><img src='x.png'><p style='color:#aaa;background:#fff'>pale</p>")
    browser.open(page)
    assert {one.split(":")[0] for one in violations(browser, axe)} >= {"image-alt", "color-contrast", "html-has-lang"}
