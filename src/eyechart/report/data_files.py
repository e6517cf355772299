"""Data that the page loads when it is needed.

A page that was opened from the file system may not fetch anything, but it may run scripts of its own folder. So a piece of data
is a script with one statement, `eyechart.receive(name, content)`, which the page's loader adds to the document.
"""

import re
from pathlib import Path
from typing import Any

from eyechart.report.html.builder import embedded_json

FOLDER = "data"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class DataFiles:
    """The data folder of a page.

    Args:
        page: The folder of the page.
    """

    def __init__(self, page: Path) -> None:
        self._folder = page / FOLDER
        self.names: list[str] = []

    def write(self, name: str, content: Any) -> str:
        """Write one piece; its name, by which the page asks for it.

        Args:
            name: Lowercase letters, digits and hyphens: never a text of a user.
            content: Anything that JSON can hold.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"data file {name!r}: the name has characters that are not allowed")
        self._folder.mkdir(exist_ok=True)
        text = f"eyechart.receive({embedded_json(name)},{embedded_json(content)});\n"
        (self._folder / f"{name}.js").write_text(text, encoding="utf-8")
        self.names.append(name)
        return name
