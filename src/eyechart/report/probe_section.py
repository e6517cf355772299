"""A probe on the page: its question as heading, then what it exhibits for each model and dataset."""

from collections.abc import Callable
from itertools import groupby

import pyarrow as pa

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.finding import slice_key
from eyechart.findings.run import Run
from eyechart.report.drawing import cell, columns, fields, specification, units_of
from eyechart.report.html import (
    Child,
    Markup,
    bdi,
    button,
    code,
    data_script,
    details,
    div,
    figure,
    h2,
    h3,
    h4,
    p,
    section,
    span,
    summary,
    table,
    tbody,
    td,
    th,
    thead,
    tr,
)
from eyechart.report.pictures import Place, gallery
from eyechart.report.summary import slice_text

OPEN_GROUPS = 4  # models × datasets that are seen without opening anything
TABLE_ROWS = 200


class Charts:
    """Gives every chart of the page a name of its own, and keeps their data together for the end of the page."""

    def __init__(self) -> None:
        self._count = 0

    def figure(self, placed: PlacedExhibit) -> Markup:
        self._count += 1
        name = f"chart-{self._count}"
        table = placed.exhibit.table
        data = {"spec": specification(placed), "columns": columns(table), "fields": fields(table), "file": placed.exhibit.name}
        return div(
            div(class_="chart", id=name, data_chart=f"{name}-data"),
            data_script(f"{name}-data", data),
            div(
                details(summary("The numbers"), div(class_="numbers"), data_numbers=f"{name}-data"),
                button("SVG", type="button", data_save="svg", data_of=name, aria_label=f"Save {placed.exhibit.title} as SVG"),
                button("PNG", type="button", data_save="png", data_of=name, aria_label=f"Save {placed.exhibit.title} as PNG"),
                class_="chart-foot",
            ),
        )


def probe_section(run: Run, probe: str, charts: Charts, thumbnails: dict[Place, str], anchor: str) -> Markup:
    groups = [
        (model, dataset, list(placed))
        for (model, dataset), placed in groupby(sorted(run.of_probe(probe), key=_order(run)), key=lambda e: (e.model, e.dataset))
    ]
    named = len(run.models) > 1 or len(run.datasets) > 1
    parts: list[Child] = []
    for place, (model, dataset, exhibits) in enumerate(groups):
        body = _by_prompts(run, exhibits, charts, thumbnails)
        title: list[Child] = [bdi(model), span(" on ", class_="quiet"), bdi(dataset)]
        if place < OPEN_GROUPS:
            parts.append(section(h3(*title) if named else None, *body, class_="group"))
        else:
            parts.append(details(summary(*title), *body, class_="group"))
    if not groups:
        parts.append(p("This probe exhibits nothing; its numbers are among the findings below.", class_="quiet"))
    version = run.protocol.get("probes", {}).get(probe, {}).get("version")
    about = p(code(probe), f", version {version}" if version is not None else None, class_="quiet")
    return section(h2(run.question(probe)), about, *parts, id=anchor, class_="probe")


def _by_prompts(run: Run, exhibits: list[PlacedExhibit], charts: Charts, thumbnails: dict[Place, str]) -> list[Markup]:
    """What needs no prompts and what the leading prompt set gave stand open; the same for further prompt sets is folded."""
    sets: dict[str | None, list[PlacedExhibit]] = {prompts: [] for prompts in (None, *run.prompts)}
    for placed in exhibits:
        prompts = placed.exhibit.slice.get("prompts")
        sets.setdefault(None if prompts is None else str(prompts), []).append(placed)
    leading = next((prompts for prompts, mine in sets.items() if mine and prompts is not None), None)
    parts = []
    for prompts, mine in sets.items():
        body = div(*(exhibit_figure(e, charts, thumbnails) for e in mine), class_="exhibits")
        if mine and prompts in {None, leading}:
            parts.append(body)
        elif mine:
            parts.append(details(summary("The same with prompts ", bdi(prompts)), body, class_="folded"))
    return parts


def _order(run: Run) -> Callable[[PlacedExhibit], tuple[int, int, int]]:
    """By model and dataset as the protocol lists them; charts first, then pictures, then tables; else as the files are named."""
    models, datasets, kinds = run.models, run.datasets, ("chart", "pictures", "table")

    def order(placed: PlacedExhibit) -> tuple[int, int, int]:
        model = models.index(placed.model) if placed.model in models else len(models)
        dataset = datasets.index(placed.dataset) if placed.dataset in datasets else len(datasets)
        return model, dataset, kinds.index(placed.exhibit.kind)

    return order


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
    """A table that scrolls within itself, and can be scrolled by keyboard."""
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
