"""The documentation that ships with the package: find a page, read it in the terminal, write it as HTML that opens offline."""

from typing import TYPE_CHECKING

from eyechart.exports import lazy_exports

if TYPE_CHECKING:
    from eyechart.docs.html import html_of, write_pages
    from eyechart.docs.topics import DocsPage, all_pages, find_page, page_of, page_of_probe, see

_HOMES = {
    "DocsPage": "topics",
    "all_pages": "topics",
    "find_page": "topics",
    "html_of": "html",
    "page_of": "topics",
    "page_of_probe": "topics",
    "see": "topics",
    "write_pages": "html",
}
__all__ = ["DocsPage", "all_pages", "find_page", "html_of", "page_of", "page_of_probe", "see", "write_pages"]

__getattr__, __dir__ = lazy_exports(__name__, {name: f"eyechart.docs.{home}" for name, home in _HOMES.items()})
