"""Pages as HTML: complete, safe, and with links that lead somewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from eyechart.docs import DocsPage, all_pages, html_of, page_of, write_pages


class Reader(HTMLParser):
    """Elements, links, anchors and text of a document, as an HTML parser sees them."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags, self.links, self.anchors, self.sources, self.text = [], [], set(), [], ""
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.links += [given["href"]] if "href" in given else []
        self.sources += [given["src"]] if "src" in given else []
        self.anchors |= {given["id"]} if "id" in given else set()

    def handle_data(self, data):
        self.text += data


def made(tmp_path: Path, text: str) -> DocsPage:
    file = tmp_path / "page.md"
    file.write_text(text, encoding="utf-8")
    return DocsPage("page", file)


def test_a_page_keeps_headings_tables_code_and_pictures():
    read = Reader(html_of(page_of("ood")))
    assert {"h1", "h2", "table", "th", "td", "pre", "code", "ul", "li", "strong", "img"} <= set(read.tags)
    assert "citation" in read.anchors and "three-conventions-of-fpr95" in read.anchors
    assert all(source.startswith("data:image/png;base64,") for source in read.sources) and len(read.sources) == 2
    assert "<!-- metrics -->" not in read.text


def test_without_pictures_their_description_is_shown():
    read = Reader(html_of(page_of("ood"), pictures=False))
    assert "img" not in read.tags and "[picture: AUROC of every score on world-ood]" in read.text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        '![" onerror="alert(1)](none.png)',
        '[x](" onmouseover="alert(1))',
        "# <b onclick=alert(1)>x</b>",
        "`<script>`",
        "[x](</../<script>.md>)",
    ],
)
def test_markup_in_a_page_is_shown_as_text(tmp_path, text):
    document = html_of(made(tmp_path, f"# t\n\n{text}\n"))
    read = Reader(document.split("<body>")[1])
    assert not {"script", "img", "b"} & set(read.tags)
    assert not re.search(r"<[^>]* on\w+=", document) and not [link for link in read.links if ":" in link]


def test_links_to_pages_that_are_not_written_name_the_command():
    read = Reader(html_of(page_of("ood"), linked=["probes/ood"]))
    assert "../intervals.html" not in read.links and "intervals (eyechart docs intervals)" in read.text
    assert "../intervals.html" in Reader(html_of(page_of("ood"), linked=["probes/ood", "intervals"])).links


def test_every_link_of_the_written_guide_leads_to_a_file_and_an_anchor(tmp_path):
    files = write_pages(tmp_path, pictures=False)
    assert len(files) == len(all_pages())
    read = {file.resolve(): Reader(file.read_text(encoding="utf-8")) for file in files.values()}
    followed = 0
    for file, page in read.items():
        for link in page.links:
            if link.startswith(("http://", "https://")):
                continue
            target, _, anchor = link.partition("#")
            other = read[(file.parent / target).resolve() if target else file]
            assert not anchor or anchor in other.anchors, f"{file.name} points to {link}"
            followed += 1
    assert followed > 100


def test_only_the_wanted_pages_are_written(tmp_path):
    files = write_pages(tmp_path / "docs", ["ood", "probes/prompts", "a-probe-of-another-package"])
    assert set(files) == {"probes/ood", "probes/prompts"}
    written = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert written == {"docs/probes/ood.html", "docs/probes/prompts.html"}


def test_a_page_asks_the_network_for_nothing():
    for page in all_pages():
        document = html_of(page)
        assert "default-src 'none'" in document
        assert not [source for source in Reader(document).sources if not source.startswith("data:image/png;base64,")]


def test_a_page_beside_a_report_leads_back_to_it_and_takes_its_script(tmp_path):
    (file,) = write_pages(tmp_path / "report" / "docs", ["ood"], pictures=False, report=tmp_path / "report").values()
    read = Reader(file.read_text(encoding="utf-8"))
    assert (file.parent / read.links[0]).resolve() == (tmp_path / "report" / "index.html").resolve()
    (script,) = read.sources
    assert (file.parent / script).resolve() == (tmp_path / "report" / "assets" / "theme.js").resolve()
    assert "theme-toggle" in read.anchors  # what the script needs


def test_a_page_alone_has_no_script_and_pages_together_lead_to_their_list(tmp_path):
    alone = Reader(html_of(page_of("ood"), pictures=False))
    assert "script" not in alone.tags and "theme-toggle" not in alone.anchors and "nav" not in alone.tags
    files = write_pages(tmp_path, pictures=False)
    for topic, file in files.items():
        first = Reader(file.read_text(encoding="utf-8")).links[0]
        assert topic == "index" or (file.parent / first).resolve() == (tmp_path / "index.html").resolve()
