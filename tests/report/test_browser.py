"""The page in a real browser: drawn, quiet, offline, and usable by keyboard and on a phone."""

import pytest

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('.chart')].every(c => c.dataset.drawn || c.dataset.failed || !c.checkVisibility())"
WAYS = {
    "desk": {},
    "dark": {"dark": True},
    "phone": {"width": 360, "height": 740},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("page", ["calm_page", "nasty_page"])
def test_all_charts_are_drawn_without_a_complaint_or_a_request(browser, request, page, way):
    browser.look(**WAYS[way])
    browser.open(request.getfixturevalue(page))
    browser.wait(DRAWN)
    visible = "[...document.querySelectorAll('.chart')].filter(c => c.checkVisibility())"
    assert browser.run(f"{visible}.map(c => c.querySelectorAll('svg .mark-group').length > 0)") == [True] * (2 + 2 * 4)
    assert browser.run("document.documentElement.dataset.errors") == "0"
    assert browser.complaints() == []
    assert {url.split(":")[0] for url in browser.requests()} == {"file"}
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_no_text_of_a_user_has_run_or_become_an_element(browser, nasty_page):
    browser.look(height=20000)
    browser.open(nasty_page)
    browser.wait(DRAWN)
    assert (
        browser.run("[...document.querySelectorAll('script')].filter(s => !s.src && s.type !== 'application/json').length") == 0
    )
    assert browser.run("document.querySelectorAll('[onerror], img[src=x]').length") == 0
    assert browser.run("document.querySelector('.chart svg').textContent").count("<script>alert(1)</script>") >= 1


def test_folded_charts_are_drawn_when_they_are_opened(browser, calm_page):
    browser.open(calm_page)
    browser.wait(DRAWN)
    browser.run("document.querySelectorAll('details.folded').forEach(d => { d.open = true; })")
    browser.run("document.querySelector('details.folded .chart').scrollIntoView()")
    browser.wait("document.querySelector('details.folded .chart svg')")
    assert browser.run("document.querySelector('details.folded .chart svg').clientWidth") > 200


def test_the_theme_can_be_chosen_and_is_remembered(browser, calm_page):
    browser.open(calm_page)
    browser.wait(DRAWN)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(paper)
    browser.run("document.getElementById('theme-toggle').click()")
    browser.wait("[...document.querySelectorAll('.chart')].every(c => !c.checkVisibility() || c.dataset.drawn === 'dark')")
    assert browser.run(paper) != light
    browser.open(calm_page)
    assert browser.run("document.documentElement.dataset.theme") == "dark"
    browser.run("localStorage.clear()")


def test_the_system_decides_where_nobody_chose(browser, calm_page):
    browser.look(dark=True)
    browser.open(calm_page)
    browser.wait("document.querySelector('.chart').dataset.drawn === 'dark'")


def column(browser, key: str) -> list[str]:
    place = f"document.querySelector('#findings-table th[data-key={key}]').cellIndex"
    return browser.run(f"[...document.querySelectorAll('#findings-table tbody tr')].map(r => r.cells[{place}].textContent)")


def test_findings_are_sorted_by_keyboard(browser, calm_page):
    browser.open(calm_page)
    browser.run("document.querySelector('#findings-table th[data-key=value] button').focus()")
    browser.press("Enter")
    up = [float(v.rstrip("%")) for v in column(browser, "value") if v != "–"]
    assert up == sorted(up)
    browser.press("Enter")
    down = [float(v.rstrip("%")) for v in column(browser, "value") if v != "–"]
    assert down == sorted(down, reverse=True)
    assert browser.run("document.querySelector('#findings-table th[data-key=value]').ariaSort") == "descending"


def test_findings_are_filtered_by_words_and_choices(browser, calm_page):
    browser.open(calm_page)
    browser.run(
        "{ const f = document.getElementById('findings-find'); f.value = 'LYNX single'; f.dispatchEvent(new Event('input')); }"
    )
    assert column(browser, "slice") == ["class: lynx · prompts: single"] * 2
    browser.run("{ const s = document.querySelector('.filters select'); s.value = '1'; s.dispatchEvent(new Event('change')); }")
    assert column(browser, "model") == ["ViT-L-14 · openai"]
    assert browser.run("document.getElementById('findings-status').textContent") == "1–1 of 1"


def test_findings_come_in_pages(browser, calm_page):
    browser.open(calm_page)
    assert len(column(browser, "metric")) == 50
    browser.run("document.getElementById('findings-next').click()")
    assert len(column(browser, "metric")) == 76 - 50
    assert browser.run("document.getElementById('findings-next').disabled")


def test_on_a_phone_value_and_interval_are_seen_and_a_shadow_tells_of_more(browser, calm_page):
    browser.look(width=390, height=844)
    browser.open(calm_page)
    frame = "document.querySelector('#findings .scroll')"
    edge = browser.run(f"{frame}.getBoundingClientRect().right")
    # Measured on the text itself: the cell's padding may be cut, not its number.
    ends = browser.run(
        "[...document.querySelectorAll('#findings-table tbody .num bdi')].filter(b => b.parentElement.cellIndex < 4)"
        ".map(b => b.getBoundingClientRect().right)"
    )
    assert len(ends) == 2 * 50 and max(ends) <= edge
    assert browser.run(f"{frame}.scrollWidth > {frame}.clientWidth")
    assert "scroll" in browser.run(f"getComputedStyle({frame}).backgroundAttachment").split(", ")


def test_at_1100_pixels_no_column_is_cut(browser, calm_page):
    browser.look(width=1100)
    browser.open(calm_page)
    frame = "document.querySelector('#findings .scroll')"
    assert browser.run(f"{frame}.scrollWidth <= {frame}.clientWidth")


def test_the_unit_stands_small_beside_the_number(browser, cosine_page):
    browser.look(width=390, height=844)
    browser.open(cosine_page)
    number, unit = "document.querySelector('.number')", "document.querySelector('.number .unit')"
    assert browser.run(f"{number}.textContent") == "0.566cosine"
    size = "parseFloat(getComputedStyle({}).fontSize)"
    assert browser.run(f"{number}.clientHeight < 1.5 * {size.format(number)}")  # on one line
    assert browser.run(f"{size.format(unit)} <= {size.format(number)} / 2")


def test_a_link_to_a_protocol_opens_it(browser, calm_page):
    browser.open(calm_page)
    browser.run("document.querySelector('#findings-table a').click()")
    browser.wait("document.getElementById('protocol-1').open")


def test_the_first_tab_stop_skips_to_the_findings(browser, calm_page):
    browser.open(calm_page)
    browser.press("Tab")
    assert browser.run("document.activeElement.getAttribute('href')") == "#headline"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0
    browser.press("Enter")
    browser.wait("document.activeElement.id === 'headline'")


def test_pointing_at_a_dot_tells_its_numbers(browser, nasty_page):
    browser.look(height=4000)
    browser.open(nasty_page)
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
    browser.open(calm_page)
    browser.run("document.querySelector('.probe [data-numbers]').open = true")
    browser.wait("document.querySelector('.probe .numbers table')")
    assert browser.run("document.querySelector('.probe .numbers tbody tr').cells[0].textContent") == "tabby cat"


def test_a_chart_can_be_saved(browser, calm_page):
    browser.open(calm_page)
    browser.wait(DRAWN)
    browser.run("HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href.slice(0, 30)]; }")
    for kind, start in (("svg", "blob:"), ("png", "data:image/png")):
        browser.run(
            f"document.querySelector('.probe [data-save={kind}]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
        )
        browser.wait(f"window.saved && window.saved[0] === 'per-class-openai-80.{kind}'")
        assert browser.run("window.saved[1]").startswith(start)
    assert browser.complaints() == []


def test_without_script_the_findings_are_still_there(browser, calm_page):
    browser.look(script=False)
    browser.open(calm_page)
    browser.look()  # looking needs script, but the page that was opened stays as it is
    assert len(column(browser, "metric")) == 76
    assert "need JavaScript" in browser.run("document.querySelector('noscript').textContent")


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_enough(browser, calm_page, dark):
    """WCAG 2 AA: 4.5 to 1 between text and what lies behind it, for every element that holds text of its own."""
    browser.look(dark=dark)
    browser.open(calm_page)
    weak = browser.run(
        """(() => {
          const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
          const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => sum + share * linear(c[i] / 255), 0);
          const behind = (e) => {
            for (; e; e = e.parentElement) {
              const c = parse(getComputedStyle(e).backgroundColor);
              if (c.length === 3 || c[3] > 0.99) return c;
            }
            return [255, 255, 255];
          };
          const speaks = (e) => e.checkVisibility() && !e.closest('svg, script, :disabled')
            && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
          return [...document.body.querySelectorAll('*')].filter(speaks).map((e) => {
            const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + '.' + e.className];
          }).filter(([ratio]) => ratio < 4.5);
        })()"""
    )
    assert weak == []


def test_the_browser_would_tell_of_complaints_and_requests(browser, tmp_path):
    """Lest the silence above mean nothing."""
    page = tmp_path / "loud.html"
    page.write_text(
        "<!doctype html><img src='http://example.invalid/x.png'><script>console.error('loud'); nothing.here()</script>"
    )
    browser.open(page)
    assert len(browser.complaints()) >= 2
    assert "http://example.invalid/x.png" in browser.requests()
