"""A page of exhibits without an examination, such as those of a study or a repair."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eyechart.errors import UsageError
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.notice import Notice
from eyechart.report.exports.static_charts import Kind, draw_charts
from eyechart.report.html.builder import Child, a, bdi, div, element, h2, li, main, nav, p, section, ul
from eyechart.report.html.shell import document, page_header, write_folder
from eyechart.report.sections.probe import Charts, exhibit_figure, plain_table

MARK = ".eyechart-page"


@dataclass(frozen=True)
class Section:
    """A section of the page.

    heading: Its heading.
    sentence: The sentence below the heading.
    exhibits: Its charts and tables.
    """

    heading: str
    sentence: str
    exhibits: tuple[Exhibit, ...]


@dataclass(frozen=True)
class ExhibitPage:
    """The content of a page.

    kicker: The kind of page.
    title: Its title.
    lead: One line about it.
    sections: Its sections.
    notices: Warnings, each with a remedy.
    """

    kicker: str
    title: str
    lead: str
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()


def write_exhibit_page(page: ExhibitPage, place: Path, charts: Sequence[Kind] = ()) -> Path:
    """Write the page into the folder `place`, with its charts as files in place/charts; the path of its index.html.

    A folder with anything but an earlier page is never overwritten.
    """
    if place.exists() and not (place.is_dir() and ((place / MARK).is_file() or not any(place.iterdir()))):
        raise UsageError(f"{place} contains files that are not an Eyechart page; give --out a new or empty folder")
    shown = [PlacedExhibit("", "", "study", e) for part in page.sections for e in part.exhibits]

    def fill(made: Path) -> None:
        (made / MARK).write_text("Eyechart writes a page to this folder, and replaces it.\n", encoding="utf-8")
        (made / "index.html").write_text(exhibit_page(page), encoding="utf-8")
        for kind in dict.fromkeys(charts):
            draw_charts(shown, made / "charts", kind)

    return write_folder(place, fill)


def exhibit_page(page: ExhibitPage) -> str:
    charts = Charts(inline=True)
    parts: list[Child] = []
    for number, part in enumerate(page.sections, start=1):
        figures = [exhibit_figure(PlacedExhibit("", "", "study", e), charts, {}) for e in part.exhibits]
        sentence = p(part.sentence, class_="sentence") if part.sentence else None
        parts.append(
            section(h2(part.heading), sentence, div(*figures, class_="exhibits"), id=f"part-{number}", class_="probe")
        )  # fmt: skip
    links = [li(a(bdi(part.heading), href=f"#part-{number}")) for number, part in enumerate(page.sections, start=1)]
    if page.notices:
        table = pa.Table.from_pylist([{"where": n.where, "what": n.what, "remedy": n.remedy} for n in page.notices])
        parts.append(section(h2("Notices"), plain_table(table, "Notices"), id="notices"))
        links.append(li(a("Notices", href="#notices")))
    return document(
        page.title,
        page_header(page.kicker, bdi(page.title), p(bdi(page.lead), class_="lead")),
        nav(ul(*links), aria_label="Contents"),
        main(element("noscript", p("Charts need JavaScript; the rest of this page works without it.")), *parts),
    )
