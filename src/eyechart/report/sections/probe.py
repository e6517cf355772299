"""A probe on the page: its question as the heading, then its exhibits for each model and dataset."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.finding import slice_key
from eyechart.findings.numbers import format_interval, format_value, slice_text
from eyechart.findings.run import Run
from eyechart.report.html.builder import (
    Child,
    Markup,
    a,
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
from eyechart.report.html.drawing import cell, columns, fields, specification, units_of
from eyechart.report.sections.pictures import Place, gallery

Pair = tuple[str, str]  # model and dataset
OPEN_GROUPS = 4  # models × datasets that are not folded
TABLE_ROWS = 200
NUMBER_ROWS = 20  # findings of a probe without exhibits
_NUMBER_HEADS = {
    "metric": "of-metric", "slice": "of-slice", "value": "num of-value", "95% interval": "num of-interval", "n": "num of-n",
}  # fmt: skip


class Charts:
    """The charts of a page; each gets a unique id."""

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
    shown: dict[Pair, list[PlacedExhibit]] = {pair: [] for pair in _pairs(run, probe)}
    for placed in sorted(run.probe_exhibits(probe), key=_order):
        shown.setdefault((placed.model, placed.dataset), []).append(placed)
    named = len(run.models) > 1 or len(run.datasets) > 1
    parts: list[Child] = []
    for place, (pair, exhibits) in enumerate(shown.items()):
        body = _by_prompts(run, exhibits, charts, thumbnails) if exhibits else [_numbers(run, probe, pair)]
        title: list[Child] = [bdi(pair[0]), span(" on ", class_="quiet"), bdi(pair[1])]
        if place < OPEN_GROUPS:
            parts.append(section(h3(*title) if named else None, *body, class_="group"))
        else:
            parts.append(details(summary(*title), *body, class_="group"))
    version = run.protocol.get("probes", {}).get(probe, {}).get("version")
    about = p(code(probe), f", version {version}" if version is not None else None, class_="quiet")
    return section(h2(run.question(probe)), about, *parts, id=anchor, class_="probe")


def _pairs(run: Run, probe: str) -> list[Pair]:
    """Models and datasets with results of the probe, in the order of the protocol."""
    rows = run.findings.filter(pc.equal(run.findings["probe"], probe)).select(["model", "dataset"]).to_pylist()
    found = {(row["model"], row["dataset"]) for row in rows} | {(e.model, e.dataset) for e in run.probe_exhibits(probe)}
    return sorted(found, key=lambda pair: (_place(pair[0], run.models), _place(pair[1], run.datasets), pair))


def _place(name: str, names: list[str]) -> int:
    return names.index(name) if name in names else len(names)


def _numbers(run: Run, probe: str, pair: Pair) -> Markup:
    """The findings of a probe without exhibits, as a table."""
    findings = run.findings
    mine = pc.and_(pc.equal(findings["model"], pair[0]), pc.equal(findings["dataset"], pair[1]))
    rows = findings.filter(pc.and_(mine, pc.equal(findings["probe"], probe))).to_pylist()
    head = tr(*(th(text, scope="col", class_=kind) for text, kind in _NUMBER_HEADS.items()))
    body = [
        tr(*(td(child, class_=kind) for child, kind in zip(_number_cells(run, row), _NUMBER_HEADS.values(), strict=True)))
        for row in rows[:NUMBER_ROWS]
    ]
    more = len(rows) - NUMBER_ROWS
    return div(
        div(
            table(thead(head), tbody(*body), class_="of-findings"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"Findings of {probe} for {pair[0]} on {pair[1]}",
        ),
        p(f"and {more:,} more ", a("in all findings", href="#findings"), class_="quiet") if more > 0 else None,
    )


def _number_cells(run: Run, row: dict[str, Any]) -> list[Child]:
    metric = run.metric(row["probe"], row["metric"], row["unit"])
    return [
        bdi(metric.title),
        bdi(slice_text(row["slice"])),
        format_value(row["value"], metric.shown_unit),
        format_interval(row["low"], row["high"], metric.shown_unit),
        f"{row['n']:,}",
    ]


def _by_prompts(run: Run, exhibits: list[PlacedExhibit], charts: Charts, thumbnails: dict[Place, str]) -> list[Markup]:
    """Exhibits without prompts and of the leading prompt set are shown; those of other prompt sets are folded."""
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


def _order(placed: PlacedExhibit) -> int:
    """Charts first, then pictures, then tables."""
    return ("chart", "pictures", "table").index(placed.exhibit.kind)


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
