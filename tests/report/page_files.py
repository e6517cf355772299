"""Read a page as a browser would: its elements, and the data files that it loads later."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


class Seen(HTMLParser):
    """The elements and the text of a page, or of a piece of one."""

    def __init__(self, source: Path | str) -> None:
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(source.read_text("utf-8") if isinstance(source, Path) else source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


def data_of(page: Path, name: str) -> Any:
    """The content of a data file: what `eyechart.receive` is called with."""
    text = (page.parent / "data" / f"{name}.js").read_text("utf-8")
    start, end = f'eyechart.receive("{name}",', ");\n"
    assert text.startswith(start) and text.endswith(end) and text.count("\n") == 1
    return json.loads(text[len(start) : -len(end)])


def names_of(page: Path) -> list[str]:
    return sorted(path.stem for path in (page.parent / "data").iterdir())


def pieces_of(page: Path) -> dict[str, Seen]:
    """The page and every piece of HTML in its data files."""
    found = {"index": Seen(page)}
    for name in names_of(page):
        content = data_of(page, name)
        if isinstance(content, dict) and isinstance(content.get("html"), str):
            found[name] = Seen(content["html"])
    return found


def text_of(page: Path) -> str:
    return "\n".join(piece.text for piece in pieces_of(page).values())
