"""The frame of every page: head, content security policy, scripts; and its folder, which is replaced atomically."""

import shutil
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from eyechart.files.atomic import atomic_folder
from eyechart.report.html.builder import Child, Markup, button, data_script, div, element, footer, h1, header, p
from eyechart.report.html.drawing import theme
from eyechart.report.html.eye_chart import eye_chart

# Nothing is fetched, no inline script runs, nothing is evaluated. Some browsers need 'file:' in place of 'self' for local files.
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
_SCRIPTS = ("loader.js", "labels.js", "charts.js", "lightbox.js")


def write_folder(place: Path, fill: Callable[[Path], None]) -> Path:
    """Replace the folder `place` by assets and what `fill` writes into the folder it is given; the path of its index.html.

    The old folder is kept until the new one is complete.
    """
    with atomic_folder(place) as made:
        _copy_assets(made / "assets")
        fill(made)
    return place / "index.html"


def document(title: str, *body: Child, made_by: str = "Eyechart", scripts: tuple[str, ...] = ()) -> str:
    """A whole page: the body, the footer, the scripts that every page has, and further `scripts`."""
    parts = [
        *body,
        footer(p(f"Made by {made_by}. This page works offline and fetches nothing.")),
        data_script("theme", theme()),
        *(element("script", src=f"assets/{name}", defer=True) for name in (*_SCRIPTS, *scripts)),
    ]
    return f"<!doctype html>\n{element('html', _head(title), element('body', *parts), lang='en').text}\n"


def page_header(kicker: str, title: Child, *below: Child) -> Markup:
    """The header of a page: its kind, title, lines below, the eye chart, and the switch between light and dark."""
    return header(
        div(p(kicker, class_="kicker"), h1(title), *below),
        eye_chart(),
        button("Dark", type="button", id="theme-toggle", hidden=True),
        class_="top",
    )


def _head(title: str) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        *(element("link", rel="stylesheet", href=f"assets/{name}") for name in ("report.css", "page.css")),
        # In the head, before anything is painted, so that the theme does not flash.
        element("script", src="assets/theme.js"),
    )


def _copy_assets(place: Path) -> None:
    place.mkdir()
    for folder in ("assets", "runtime"):
        with as_file(files("eyechart.report") / folder) as source:
            for path in sorted(source.iterdir()):
                if path.suffix in {".js", ".css", ".txt"}:
                    shutil.copyfile(path, place / path.name)
