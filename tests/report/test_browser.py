"""The page in a real browser: quiet, offline, drawn when it is opened, and usable by keyboard and on a phone."""

import shutil
import time
from itertools import pairwise

import pyarrow.parquet as pq
import pytest
from tests.report.sample_run import write_sample_run

from eyechart.findings import finding
from eyechart.report.page import write_report

pytestmark = pytest.mark.browser

READY = "document.documentElement.dataset.ready"
DRAWN = (
    "document.querySelector('.panel:not([hidden]) .chart') && [...document.querySelectorAll('.panel:not([hidden]) .chart')]"
    ".every(c => c.dataset.drawn || c.dataset.failed || !c.checkVisibility())"
)
CHARTS = "[...document.querySelectorAll('.panel:not([hidden]) .chart')].filter(c => c.checkVisibility())"
WAYS = {
    "desk": {"width": 1400, "height": 900},
    "dark": {"dark": True},
    "phone": {"width": 390, "height": 844},
}


def without_results(folder):
    """The same run as if no probe could be run."""
    shutil.rmtree(folder / "exhibits")
    (folder / "predictions.parquet").unlink()
    pq.write_table(finding.empty_table(), folder / "findings.parquet")


def opened(browser, page, address=""):
    """Open a page at an address, from another page, so that it is loaded anew."""
    browser.call("Page.navigate", url="about:blank")
    browser.open(page, f"#{address}" if address else "")
    browser.wait(READY)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("page", ["calm_page", "nasty_page"])
def test_the_page_is_quiet_offline_and_no_wider_than_the_screen(browser, request, page, way):
    browser.look(**WAYS[way] | {"height": 14000})  # high enough that everything is near
    opened(browser, request.getfixturevalue(page))
    browser.wait(DRAWN)
    assert browser.run(f"{CHARTS}.map(c => c.querySelectorAll('svg .mark-group').length > 0)") == [True] * 4
    assert browser.run("document.documentElement.dataset.errors") == "0"
    assert browser.complaints() == []
    assert {url.split(":")[0] for url in browser.requests()} <= {"file", "about"}
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("way", WAYS)
def test_the_first_screen_is_in_order(browser, calm_page, way):
    browser.look(**WAYS[way])
    opened(browser, calm_page)
    tops = browser.run(
        "['h1', '.decision', '.number', '.main-axis', '.tiles', '.failures']"
        ".map(s => document.querySelector(s).getBoundingClientRect().top)"
    )
    # On a desk the tiles are beside the number; on a phone everything is below each other.
    assert tops[:4] == sorted(tops[:4]) and tops[5] > max(tops[:5])
    if way == "phone":
        assert tops == sorted(tops)
    if way == "desk":
        ends = browser.run(
            "[...document.querySelectorAll('.tile, .failures .picture')].map(e => e.getBoundingClientRect().bottom)"
        )
        assert len(ends) == 6 + 12 and max(ends) < 900


def test_no_text_of_a_user_has_run_or_become_an_element(browser, nasty_page):
    browser.look(height=8000)
    opened(browser, nasty_page)
    browser.wait(DRAWN)
    scripts = "[...document.querySelectorAll('script')].filter(s => !s.src && s.type !== 'application/json').length"
    assert browser.run(scripts) == 0
    assert browser.run("document.querySelectorAll('[onerror], img[src=x]').length") == 0
    for place in (".chart svg", ".by-class", ".gallery-view", "select"):
        assert "<script>alert(1)</script>" in browser.run(f"document.querySelector('#view {place}, header {place}').textContent")
    # The matrix has short labels, all different, with the whole name as their title.
    heads = browser.run("[...document.querySelectorAll('.confusion thead th')].map(t => [t.title, t.textContent])")
    assert any("<script>alert(1)</script>" in title for title, _ in heads)
    assert len({shown for _, shown in heads}) == len(heads) > 5 and max(len(shown) for _, shown in heads) <= 16


def test_a_tab_is_loaded_when_it_is_opened(browser, calm_page):
    opened(browser, calm_page)
    parts = [url for url in browser.requests() if "/data/" in url or "vega" in url]
    assert parts == []  # the first screen needs none of them
    browser.click("document.querySelector('nav a[data-to=findings]')")
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length === 50")
    assert any(url.endswith("data/findings.js") for url in browser.requests())


def test_a_link_lands_exactly_and_stays_there(browser, calm_page):
    browser.look(width=1400, height=700)
    opened(browser, calm_page, "m0/accuracy/p0")
    browser.wait(DRAWN)
    top = "Math.round(document.getElementById('m0/accuracy/p0').getBoundingClientRect().top)"
    bar = browser.run("document.querySelector('nav.contents').getBoundingClientRect().bottom")
    assert bar <= browser.run(top) <= bar + 20
    assert browser.run("document.querySelector('nav.contents').getBoundingClientRect().top") == 0  # the navigation stays


@pytest.mark.parametrize("way", ["desk", "phone"])
def test_nothing_moves_when_content_arrives(browser, calm_page, way):
    browser.look(**WAYS[way])
    opened(browser, calm_page)
    browser.run(
        """window.shifts = []; new PerformanceObserver((list) => list.getEntries().forEach((e) => shifts.push([
          e.value, scrollY, ...e.sources.map((s) => `${s.node?.className}: ${s.previousRect.top} to ${s.currentRect.top}`),
        ]))).observe({type: 'layout-shift', buffered: true})"""
    )
    for _ in range(12 if way == "desk" else 24):
        browser.run("scrollBy(0, 500)")
        browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 60)))")
    browser.wait("document.querySelector('.confusion')")
    shifts = browser.run("shifts")
    assert sum(value for value, *_ in shifts) < 0.02, shifts


def test_the_back_button_goes_back_through_tabs_and_views(browser, calm_page):
    opened(browser, calm_page)
    browser.click("document.querySelector('nav a[data-to=protocol]')")
    browser.wait("!document.getElementById('m0/protocol').hidden")
    browser.run("location.hash = 'm1/top'")
    browser.wait("document.getElementById('m1/top')")
    assert "ViT-L-14 · openai" in browser.run("document.querySelector('h1').textContent")
    browser.back()
    browser.wait("document.getElementById('m0/protocol') && !document.getElementById('m0/protocol').hidden")
    assert "ViT-B-32 · laion2b" in browser.run("document.querySelector('h1').textContent")


def test_another_model_is_chosen_from_a_list(browser, calm_page):
    opened(browser, calm_page)
    browser.run(
        "{ const s = document.getElementById('choose-model'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); }"
    )
    browser.wait("document.getElementById('m1/top')")
    assert browser.run("document.querySelector('nav a').getAttribute('href')") == "#m1/top"
    assert browser.run("document.getElementById('choose-model').value") == "ViT-L-14 · openai"


def test_folded_charts_are_drawn_when_they_are_opened(browser, calm_page):
    opened(browser, calm_page, "m0/accuracy")
    browser.wait(DRAWN)
    browser.run("document.querySelectorAll('details.folded').forEach(d => { d.open = true; })")
    # As a reader does, who follows the chart while those above it are drawn.
    chart = "document.querySelector('details.folded .chart')"
    browser.wait(f"({chart}.scrollIntoView(), {chart}.querySelector('svg'))")
    assert browser.run("document.querySelector('details.folded .chart svg').clientWidth") > 200


def test_the_theme_can_be_chosen_and_is_remembered(browser, calm_page):
    browser.look(height=6000)
    opened(browser, calm_page)
    browser.wait(DRAWN)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(paper)
    browser.run("document.getElementById('theme-toggle').click()")
    browser.wait(f"{CHARTS}.every(c => c.dataset.drawn === 'dark')")
    assert browser.run(paper) != light
    opened(browser, calm_page)
    assert browser.run("document.documentElement.dataset.theme") == "dark"
    browser.run("localStorage.clear()")


def test_the_system_decides_where_nobody_chose(browser, calm_page):
    browser.look(dark=True)
    opened(browser, calm_page, "m0/accuracy")
    browser.wait("document.querySelector('.panel:not([hidden]) .chart')?.dataset.drawn === 'dark'")


def column(browser, key: str) -> list[str]:
    place = f"document.querySelector('#findings-table th[data-key={key}]').cellIndex"
    return browser.run(f"[...document.querySelectorAll('#findings-table tbody tr')].map(r => r.cells[{place}].textContent)")


@pytest.fixture
def findings(browser, calm_page):
    opened(browser, calm_page, "m0/findings")
    browser.wait("document.querySelectorAll('#findings-table tbody tr').length")
    return browser


def test_a_value_leads_to_the_pictures_that_it_counts(findings):
    """The accuracy of a class is 1 − the errors that the gallery then shows / n."""
    line = "[...document.querySelectorAll('#findings-table tbody tr')].find(r => r.cells[0].textContent === 'class_accuracy')"
    findings.run(
        "(e => { e.value = 'class_accuracy'; e.dispatchEvent(new Event('input')); })(document.querySelector('#findings-find'))"
    )
    findings.wait(f"{line} && {line}.querySelector('.of-value a')")
    address = findings.run(f"{line}.querySelector('.of-value a').getAttribute('href')")
    findings.click(f"{line}.querySelector('.of-value a')")
    shown = "document.querySelectorAll('.gallery-view .picture')"
    findings.wait(f"{shown}.length")
    assert findings.run("location.hash") == address and "show=wrong" in address
    assert findings.run(f"[...{shown}].every(picture => picture.querySelector('.taken'))")


def test_findings_are_sorted_by_keyboard(findings):
    findings.run("document.querySelector('#findings-table th[data-key=value] button').focus()")
    findings.press("Enter")
    up = [float(v.rstrip("%")) for v in column(findings, "value") if v != "–"]
    assert up == sorted(up)
    findings.press("Enter")
    down = [float(v.rstrip("%")) for v in column(findings, "value") if v != "–"]
    assert down == sorted(down, reverse=True)
    assert findings.run("document.querySelector('#findings-table th[data-key=value]').ariaSort") == "descending"


def test_findings_are_filtered_by_words_and_choices(findings):
    findings.run(
        "{ const f = document.getElementById('findings-find'); f.value = 'LYNX single'; f.dispatchEvent(new Event('input')); }"
    )
    assert column(findings, "slice") == ["class: lynx · prompts: single"] * 2
    findings.run(
        "{ const s = document.querySelector('#findings-choices select'); s.value = '1'; s.dispatchEvent(new Event('change')); }"
    )
    assert column(findings, "model") == ["ViT-L-14 · openai"]
    assert findings.run("document.getElementById('findings-status').textContent") == "1–1 of 1"


def test_findings_come_in_pages(findings):
    assert len(column(findings, "metric")) == 50
    findings.run("document.getElementById('findings-next').click()")
    assert len(column(findings, "metric")) == 76 - 50
    assert findings.run("document.getElementById('findings-next').disabled")


def test_on_a_phone_value_and_interval_are_seen_and_a_shadow_tells_of_more(findings, calm_page):
    findings.look(width=390, height=844)
    frame = "document.querySelector('#findings-table').parentElement"
    edge = findings.run(f"{frame}.getBoundingClientRect().right")
    # Measured on the text itself: the cell's padding may be cut, not its number.
    ends = findings.run(
        "[...document.querySelectorAll('#findings-table tbody .num > *')].filter(b => b.parentElement.cellIndex < 4)"
        ".map(b => b.getBoundingClientRect().right)"
    )
    assert len(ends) == 2 * 50 and max(ends) <= edge
    assert findings.run(f"{frame}.scrollWidth > {frame}.clientWidth")
    assert "scroll" in findings.run(f"getComputedStyle({frame}).backgroundAttachment").split(", ")


def test_at_1100_pixels_no_column_is_cut(findings):
    findings.look(width=1100)
    frame = "document.querySelector('#findings-table').parentElement"
    assert findings.run(f"{frame}.scrollWidth <= {frame}.clientWidth")


def test_a_link_to_a_protocol_opens_it(findings):
    findings.run("document.querySelector('#findings-table .of-protocol a').click()")
    findings.wait("document.getElementById('m0/protocol/1')?.open")


def test_the_first_tab_stop_skips_to_the_result(browser, calm_page):
    opened(browser, calm_page)
    browser.press("Tab")
    assert browser.run("document.activeElement.getAttribute('href')") == "#m0/top"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0
    browser.press("Enter")
    browser.wait("document.activeElement.id === 'm0/top'")


def test_pointing_at_a_dot_tells_its_numbers(browser, nasty_page):
    browser.look(height=6000)
    opened(browser, nasty_page)
    browser.wait(DRAWN)
    spot = browser.run(
        "(() => { const dot = document.querySelector('.probe .chart svg .mark-symbol path').getBoundingClientRect();"
        " return [dot.x + dot.width / 2, dot.y + dot.height / 2]; })()"
    )
    browser.hover(*spot)
    browser.wait("!document.querySelector('.tip').hidden")
    assert "<script>alert(1)</script>" in browser.run("document.querySelector('.tip').textContent")
    assert browser.run("document.querySelectorAll('.tip script').length") == 0


def test_the_numbers_of_a_chart_can_be_read_as_a_table(browser, calm_page):
    opened(browser, calm_page, "m0/accuracy")
    browser.run("document.querySelector('.probe [data-numbers]').open = true")
    browser.wait("document.querySelector('.probe .numbers table')")
    assert browser.run("document.querySelector('.probe .numbers tbody tr').cells[0].textContent") == "tabby cat"


def test_a_chart_can_be_saved(browser, calm_page):
    opened(browser, calm_page, "m0/accuracy")
    browser.wait("document.querySelector('.probe .chart').dataset.drawn")
    browser.run("HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href.slice(0, 30)]; }")
    for kind, start in (("svg", "blob:"), ("png", "data:image/png")):
        browser.run(
            f"document.querySelector('.probe [data-save={kind}]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
        )
        browser.wait(f"window.saved && window.saved[0] === 'per-class-openai-80.{kind}'")
        assert browser.run("window.saved[1]").startswith(start)


def test_long_labels_stay_different_and_titles_of_axes_are_whole(browser, calm_page):
    opened(browser, calm_page)
    labels = ["a very long class name number one", "a very long class name number two", "short"]
    made = browser.run(f"eyechart.shortLabels({labels!r}, 16)")
    assert set(made) == set(labels[:2]) and len(set(made.values())) == 2 and max(map(len, made.values())) <= 16
    same = browser.run("eyechart.shortLabels(['x'.repeat(30) + 'a' + 'x'.repeat(30), 'x'.repeat(30) + 'b' + 'x'.repeat(30)], 14)")
    assert len(set(same.values())) == 2
    browser.run("location.hash = 'm0/accuracy'")
    browser.wait(DRAWN)
    cut = browser.run(
        """[...document.querySelectorAll('.chart svg')].flatMap((svg) => {
          const box = svg.getBoundingClientRect();
          const outside = (text) => {
            const b = text.getBoundingClientRect();
            return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
          };
          const texts = [...svg.querySelectorAll('.role-axis-title text, .role-axis-label text')];
          return texts.filter(outside).map((text) => text.textContent);
        })"""
    )
    assert cut == []


def test_without_script_the_verdict_can_be_read(browser, calm_page):
    browser.look(script=False)
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=calm_page.resolve().as_uri())
    browser.look(script=False)
    end, text = time.monotonic() + 30, ""
    while "</html>" not in text or "Top-1 accuracy" not in text:
        assert time.monotonic() < end, text[:1000]
        try:
            text = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
        except AssertionError:  # the document was replaced between the two calls
            time.sleep(0.05)
    assert "need JavaScript" in text


def test_the_browser_would_tell_of_complaints_and_requests(browser, tmp_path):
    """Lest the silence above mean nothing."""
    page = tmp_path / "loud.html"
    page.write_text(
        "<!doctype html><img src='http://example.invalid/x.png'><script>console.error('loud'); nothing.here()</script>"
    )
    browser.open(page)
    assert len(browser.complaints()) >= 2
    assert "http://example.invalid/x.png" in browser.requests()


@pytest.mark.parametrize("width", [1400, 1280, 1100, 390])
def test_no_word_of_a_tile_is_broken(browser, calm_page, width):
    """Neither in its title nor in the command that would test it: each word has one line."""
    browser.look(width=width, height=900)
    opened(browser, calm_page)
    lines = browser.run(
        """[...document.querySelectorAll('.tile h3, .tile code')].flatMap((element) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), broken = [];
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            for (const found of node.data.matchAll(/[^\\s-]+/g)) {
              const range = document.createRange();
              range.setStart(node, found.index); range.setEnd(node, found.index + found[0].length);
              if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(found[0]);
            }
          }
          return broken;
        })"""
    )
    assert lines == []
    assert browser.run("[...document.querySelectorAll('.tile')].every(t => t.scrollWidth <= t.clientWidth)")


def test_notices_of_a_page_without_results_can_be_opened(browser, tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    without_results(folder)
    browser.look(height=900)
    opened(browser, write_report(folder))
    browser.click("document.querySelector('.counts a[href$=\"protocol/skipped\"]')")
    browser.wait("document.getElementById('m0/protocol/skipped')?.checkVisibility()")
    browser.wait("Math.abs(document.getElementById('m0/protocol/skipped').getBoundingClientRect().top) < 850")
    assert browser.run("document.querySelector('nav.contents a[aria-current]').textContent") == "Protocol"


def test_long_labels_of_rows_are_on_two_lines_and_whole(browser, calm_page):
    opened(browser, calm_page)
    names = ["a picture of a bicycle that leans on a wall", "a picture of a bicycle that leans on a tree", "short"]
    found = browser.run(f"eyechart.wrappedLabels({names}, 24)")
    assert found == {name: [name[:cut], name[cut + 1 :]] for name, cut in zip(names[:2], (22, 22), strict=True)}


def test_labels_of_rows_are_broken_after_underscores_and_hyphens(browser, calm_page):
    opened(browser, calm_page)
    found = browser.run("eyechart.wrappedLabels(['color_quantization', 'zoom-and-motion-blur', 'unbreakablelabels'], 16)")
    assert found == {
        "color_quantization": ["color_", "quantization"],
        "zoom-and-motion-blur": ["zoom-and-motion-", "blur"],
        "unbreakablelabels": ["unbreakablelabel", "s"],
    }


def test_on_a_phone_the_open_tab_is_in_view(browser, calm_page):
    browser.look(width=390, height=844)
    opened(browser, calm_page)
    for tab in ("findings", "accuracy", "top"):
        browser.run(f"location.hash = 'm0/{tab}'")
        link = f"document.querySelector('nav.contents a[data-to={tab}]')"
        browser.wait(f"{link}.hasAttribute('aria-current')")
        left, right = browser.run(f"(box => [box.left, box.right])({link}.getBoundingClientRect())")
        assert 0 <= left < right <= 390


def test_a_label_of_two_lines_has_its_row_in_the_middle(browser, nasty_page):
    """Else its second line is written over the next row."""
    browser.look(width=390, height=14000)
    opened(browser, nasty_page)
    browser.wait(DRAWN)
    boxes = (
        "[...document.querySelectorAll('.panel:not([hidden]) .chart .role-axis-label')]"
        ".map(axis => [...axis.querySelectorAll('text')].map(t => [t.querySelectorAll('tspan').length,"
        " t.getBoundingClientRect().top, t.getBoundingClientRect().bottom]))"
    )
    axes = [axis for axis in browser.run(boxes) if len({lines for lines, _, _ in axis}) > 1]
    assert axes  # with labels of one line and of two
    for axis in axes:
        middles = sorted((top + bottom) / 2 for _, top, bottom in axis)
        steps = [after - before for before, after in pairwise(middles)]
        assert max(steps) - min(steps) < 3
