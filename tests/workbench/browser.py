"""What tests of the workbench in a browser share: its views, and waiting until something is shown."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

VIEWS = ["result", "design", "pictures", "thresholds", "compare", "try", "runs"]


def until(page, expression, seconds=60):
    """Wait until an expression is true. (Playwright's own way evaluates text in the page, which the policy forbids.)"""
    end = time.monotonic() + seconds
    while not page.evaluate(f"() => Boolean({expression})"):
        assert time.monotonic() < end, f"waited in vain for {expression}"
        page.wait_for_timeout(40)


def view_of(page):
    """The name of the open view, from the address."""
    return page.evaluate("location.hash.replace(/^#\\/?/, '').split('?')[0]")


def place_of(page):
    """The run, model and dataset that are chosen."""
    return page.locator("#place select").evaluate_all("all => all.map((x) => x.value)")


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


def run_apart(coroutine):
    """Run a coroutine in a thread of its own: Playwright's loop runs in the thread of the tests, once a browser was started."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
