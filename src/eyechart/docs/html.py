"""Pages of documentation as HTML that needs no other file: no script, no request, pictures inside.

Beside a report, a page leads back to it, and takes the report's script for light and dark, so that the reader's choice holds.
"""

import base64
import os
import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from eyechart.docs.topics import DocsPage, all_pages, page_of
from eyechart.files.atomic import remove_abandoned, write_text

_COMMENT = re.compile(r"^<!--.*?-->\n?", re.M | re.S)
INDEX = "index"  # the topic of the list of pages
_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def html_of(page: DocsPage, *, linked: Collection[str] = (), pictures: bool = True, report: str | None = None) -> str:
    """A page as one HTML document.

    Args:
        page: The page.
        linked: Topics that are written as HTML too, in the same tree of folders (`write_pages`); links to others become text
            that names the command to read them.
        pictures: Whether pictures are put inside. Without, or where the installation has none, their description is shown.
        report: The address of the folder of the report that the page is written beside, such as `../..`; None for a page alone.
    """
    body = _body(page, frozenset(linked), pictures)
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    theme = ""
    if report is not None:
        policy += "; script-src 'self' file:"
        theme = f'<script src="{escape(report)}/assets/theme.js"></script>'
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(page.title)} · Eyechart</title><style>{_STYLE}</style>{theme}</head>\n<body>\n"
        f"{_way_back(page, linked, report)}<main>\n{body}</main></body></html>\n"
    )


def _way_back(page: DocsPage, linked: Collection[str], report: str | None) -> str:
    """Links to the report that the page belongs to, and to the list of pages where it is written too."""
    links = [] if report is None else [f'<a href="{escape(report)}/index.html">← Back to the report</a>']
    if INDEX in linked and page.topic != INDEX:
        links.append(f'<a href="{"../" * page.topic.count("/")}{INDEX}.html">All pages</a>')
    switch = "" if report is None else '<button type="button" id="theme-toggle" hidden>Dark</button>'
    return f"<nav>{' '.join(links)}{switch}</nav>\n" if links else ""


def write_pages(
    folder: Path, topics: Iterable[str] | None = None, *, pictures: bool = True, report: Path | None = None
) -> dict[str, Path]:
    """Write pages as HTML files that link to each other.

    Args:
        folder: Where to; `probes/ood` becomes `FOLDER/probes/ood.html`.
        topics: Which pages, by topic or short name; unknown ones are left out. None: all pages.
        pictures: Whether pictures are put inside.
        report: The folder of the report that the pages belong to; None for pages alone.

    Returns:
        The file of each topic.
    """
    chosen = all_pages() if topics is None else [page for page in map(page_of, topics) if page is not None]
    files = {page.topic: folder / f"{page.topic}.html" for page in chosen}
    for page in chosen:
        files[page.topic].parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(files[page.topic].parent, below=False)
        home = None if report is None else Path(os.path.relpath(report, files[page.topic].parent)).as_posix()
        write_text(files[page.topic], html_of(page, linked=files, pictures=pictures, report=home))
    return files


@lru_cache(maxsize=128)  # the same pages go beside every report that a process writes
def _body(page: DocsPage, linked: frozenset[str], pictures: bool) -> str:
    from markdown_it import MarkdownIt

    # Raw HTML in a page is shown as text; the comments that mark generated tables are the only ones our pages have.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(_COMMENT.sub("", page.text))
    for token in tokens:
        _adapt(token.children or [], page, linked, pictures)
    _anchor_headings(tokens)
    rendered: str = parser.renderer.render(tokens, parser.options, {})
    return rendered.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def _adapt(tokens: list[Any], page: DocsPage, linked: frozenset[str], pictures: bool) -> None:
    """Point links of a line to what exists, and put its pictures inside."""
    closing: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            closing.append(_adapt_link(token, page, linked))
        elif token.type == "link_close" and (note := closing.pop()):
            token.type, token.content, token.tag = "html_inline", note, ""
        elif token.type == "image":
            _adapt_picture(token, page, pictures)


def _adapt_link(token: Any, page: DocsPage, linked: frozenset[str]) -> str:
    """Adapt the start of a link. What replaces its end is returned: nothing where it stays a link."""
    target, _, part = token.attrs["href"].partition("#")
    if target.startswith(("https://", "http://")):
        token.attrs["rel"] = "noreferrer"
        return ""
    if not target:
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page.topic), target))
    other = page_of(path.removesuffix(".md")) if path.endswith(".md") else None
    if other is not None and other.topic in linked:
        token.attrs["href"] = target.removesuffix(".md") + ".html" + (f"#{part}" if part else "")
        return ""
    token.type, token.tag, token.content = "html_inline", "", '<span class="elsewhere">'
    note = f" (eyechart docs {other.name})" if other is not None else f" ({path.removeprefix('../')})"
    return f"{escape(note)}</span>"


def _adapt_picture(token: Any, page: DocsPage, pictures: bool) -> None:
    file = page.path.parent / token.attrs["src"]
    if pictures and file.is_file() and file.suffix == ".png":
        token.attrs["src"] = "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()
    else:
        token.type, token.content = "html_inline", f'<span class="missing">[picture: {escape(token.content)}]</span>'


def _anchor_headings(tokens: Sequence[Any]) -> None:
    """Headings get the anchors that GitHub and the site give them."""
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            token.attrs["id"] = heading_anchor("".join(child.content for child in inline.children or []))


def heading_anchor(text: str) -> str:
    """The anchor of a heading: lower case, spaces as hyphens, no punctuation.

    Example:
        >>> heading_anchor("What moves models off the trend?")
        'what-moves-models-off-the-trend'
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
