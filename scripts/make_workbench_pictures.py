#!/usr/bin/env python3
"""Screenshots of the workbench for the documentation: docs/pictures/workbench-*.png.

    python scripts/make_workbench_pictures.py

Examines two models of the zoo in a temporary folder, opens the workbench and drives it with Playwright and Debian's chromium.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import eyechart
from eyechart.inputs import open_data
from eyechart.plan import DataPlan

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
SIZE, SHOWN, STRIP = (1400, 900), (1120, 720), (700, 450)
LASSO = [(0.55, 0.1), (0.9, 0.12), (0.93, 0.5), (0.7, 0.55), (0.52, 0.35)]


def examinations(folder: Path, store: Path) -> Path:
    """People under a model that takes red hats for thieves, and a folder of shapes under two models."""
    dataset = open_data(DataPlan("world-objects", limit=360), seed=0)
    for row, label in enumerate(dataset.table.column("label").to_pylist()):
        (folder / "shapes" / label).mkdir(parents=True, exist_ok=True)
        (folder / "shapes" / label / f"{row:04d}.png").write_bytes(dataset.pictures.read(row))
    out, profile = folder / "exams", ["audit", "classify"]
    eyechart.examine("zoo:accused-hats", "world-people", limit=672, profile=profile, out=out / "people", store=store)
    eyechart.examine("demo:", folder / "shapes", profile="classify", out=out / "shapes", store=store)
    return out


def result(page: Page) -> None:
    page.wait_for_selector("[data-list=worst] .tile img")


def design(page: Page) -> None:
    page.get_by_role("button", name="drop kid").click()
    page.wait_for_selector(".flow")


def pictures(page: Page) -> None:
    page.wait_for_selector(".tile img")
    page.get_by_role("button", name="Map of the pictures").click()
    box = page.locator("canvas").bounding_box()
    assert box is not None
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in LASSO]
    page.wait_for_timeout(500)
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=8)
    page.mouse.up()


def thresholds(page: Page) -> None:
    page.wait_for_selector("[data-number=answered]")
    page.fill("#abstain", "0.8")
    page.get_by_role("button", name="Set to 95% TPR").click()
    page.wait_for_selector("[data-number=tpr]")


SHOTS = {
    "workbench-result": ("shapes", "result", result),
    "workbench-design": ("people", "design", design),
    "workbench-pictures": ("shapes", "pictures", pictures),
    "workbench-thresholds": ("shapes", "thresholds", thresholds),
}
TOUR, COLUMNS, GAP = "workbench-tour", 2, 12


def draw(address: str, folder: Path) -> list[Image.Image]:
    taken = []
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.goto(address)
        page.wait_for_selector("#main:not([aria-busy])", timeout=120_000)
        start = page.url.split("#")[0]
        for name, (run, view, act) in SHOTS.items():
            page.goto(f"{start}#/runs")
            page.select_option("#place select >> nth=0", label=run)
            page.wait_for_selector("#main:not([aria-busy])", timeout=120_000)
            page.goto(f"{start}#/{view}")
            page.wait_for_timeout(1500)
            act(page)
            page.wait_for_timeout(2000)
            page.screenshot(path=folder / f"{name}.png")
            taken.append(Image.open(folder / f"{name}.png").convert("RGB"))
        browser.close()
    return taken


def save(picture: Image.Image, name: str) -> None:
    """In few colors, which keeps a screenshot below 100 kB."""
    picture.quantize(192, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as working:
        folder, store = Path(working), Path(working) / "store"
        out = examinations(folder, store)
        command = [sys.executable, "-m", "eyechart", "open", str(out), "--no-browser", "--store", str(store)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        try:
            assert server.stdout is not None
            found = re.search(r"http\S+", server.stdout.readline())
            assert found is not None
            taken = draw(found[0], folder)
        finally:
            server.terminate()
            server.wait()
    for name, picture in zip(SHOTS, taken, strict=True):
        save(picture.resize(SHOWN, Image.Resampling.LANCZOS), name)
    rows = -(-len(taken) // COLUMNS)
    strip = Image.new("RGB", (COLUMNS * (STRIP[0] + GAP) - GAP, rows * (STRIP[1] + GAP) - GAP), "white")
    for place, picture in enumerate(taken):
        at = (place % COLUMNS * (STRIP[0] + GAP), place // COLUMNS * (STRIP[1] + GAP))
        strip.paste(picture.resize(STRIP, Image.Resampling.LANCZOS), at)
    save(strip, TOUR)
    return 0


if __name__ == "__main__":
    sys.exit(main())
