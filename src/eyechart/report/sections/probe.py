"""Exhibits on a page: a chart, a gallery or a table, with its title and the sentence that says what to see."""

from typing import Any

import pyarrow as pa

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.finding import slice_key
from eyechart.findings.numbers import slice_text
from eyechart.report.html.builder import (
    Markup,
    bdi,
    button,
    data_script,
    details,
    div,
    figure,
    h4,
    p,
    span,
    summary,
    table,
    tbody,
    td,
    th,
    thead,
    tr,
)
from eyechart.report.html.drawing import cell, chart_height, columns, fields, specification, units_of
from eyechart.report.sections.pictures import gallery
from eyechart.report.thumbnails import Place

TABLE_ROWS = 200


class Charts:
    """The charts of a page or of a part of it; each gets a unique id.

    Args:
        start: How the ids begin.
        inline: Whether the data of the charts stands in the page. Otherwise it is collected in `held`, for a data file.
    """

    def __init__(self, start: str = "chart", *, inline: bool = False) -> None:
        self._start, self._inline, self._count = start, inline, 0
        self.held: dict[str, Any] = {}

    def figure(self, placed: PlacedExhibit) -> Markup:
        self._count += 1
        name = f"{self._start}-{self._count}"
        table = placed.exhibit.table
        data = {"spec": specification(placed), "columns": columns(table), "fields": fields(table), "file": placed.exhibit.name}
        if not self._inline:
            self.held[name] = data
        return div(
            div(class_="chart", id=name, data_height=chart_height(placed)),
            data_script(f"{name}-data", data) if self._inline else None,
            div(
                details(summary("The numbers"), div(class_="numbers"), data_numbers=name),
                button("SVG", type="button", data_save="svg", data_of=name, aria_label=f"Save {placed.exhibit.title} as SVG"),
                button("PNG", type="button", data_save="png", data_of=name, aria_label=f"Save {placed.exhibit.title} as PNG"),
                class_="chart-foot",
            ),
        )


def exhibit_figure(placed: PlacedExhibit, charts: Charts, thumbnails: dict[Place, str]) -> Markup:
    exhibit = placed.exhibit
    body = {
        "chart": lambda: charts.figure(placed),
        "pictures": lambda: gallery(placed, thumbnails),
        "table": lambda: plain_table(exhibit.table, exhibit.title),
    }[exhibit.kind]()
    sliced = slice_text(slice_key(exhibit.slice))
    return figure(
        h4(exhibit.title),
        p(exhibit.sentence, " " if sliced else None, span(bdi(sliced), class_="chip") if sliced else None, class_="sentence"),
        body,
        class_=f"exhibit shows-{exhibit.kind}",
    )


def plain_table(shown: pa.Table, title: str) -> Markup:
    """A table that scrolls in its own frame, also by keyboard."""
    numeric = {f.name: "num" for f in shown.schema if pa.types.is_floating(f.type) or pa.types.is_integer(f.type)}
    head = tr(*(th(bdi(name.replace("_", " ")), scope="col", class_=numeric.get(name)) for name in shown.column_names))
    units = units_of(shown)
    body = [
        tr(*(td(bdi(cell(value, units[name])), class_=numeric.get(name)) for name, value in row.items()))
        for row in shown.slice(0, TABLE_ROWS).to_pylist()
    ]
    more = shown.num_rows - TABLE_ROWS
    return div(
        div(table(thead(head), tbody(*body)), class_="scroll", tabindex=0, role="region", aria_label=title),
        p(f"and {more:,} more rows in the exhibit's file", class_="quiet") if more > 0 else None,
    )
