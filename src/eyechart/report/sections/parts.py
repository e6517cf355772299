"""Parts of tabs: what a probe found for one model on one dataset, in a data file that is loaded when it is opened."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.numbers import format_interval, format_value, slice_text
from eyechart.findings.run import Run
from eyechart.progress import Task
from eyechart.report.data_files import DataFiles
from eyechart.report.html.builder import Child, Markup, bdi, details, div, p, summary, table, tbody, td, th, thead, tr
from eyechart.report.html.drawing import chart_height
from eyechart.report.missed_queries import MISSED
from eyechart.report.picture_details import NEIGHBORS
from eyechart.report.sections.probe import Charts, exhibit_figure
from eyechart.report.thumbnails import SHOWN, Place

NUMBER_ROWS = 20  # findings of a probe without exhibits
_HEADS = {"metric": "of-metric", "slice": "of-slice", "value": "num of-value", "95% interval": "num of-interval", "n": "num of-n"}
_KINDS = ("chart", "pictures", "table")


@dataclass(frozen=True)
class Part:
    """What a probe found for one model on one dataset.

    model: The model.
    dataset: The dataset.
    probe: The probe.
    tab: The tab that it belongs to.
    file: The name of its data file.
    height: About how many pixels it takes.
    """

    model: str
    dataset: str
    probe: str
    tab: str
    file: str
    height: int


PartKey = tuple[str, str, str]  # model, dataset and probe


def part_keys(run: Run) -> list[PartKey]:
    """Models, datasets and probes with results, in the order of the page."""
    rows = run.findings.select(["model", "dataset", "probe"]).group_by(["model", "dataset", "probe"]).aggregate([]).to_pylist()
    found = {(r["model"], r["dataset"], r["probe"]) for r in rows} | {(e.model, e.dataset, e.probe) for e in run.exhibits}
    models, datasets, probes = run.finding_models, run.datasets, run.probes
    return sorted(
        (key for key in found if key[2] in probes),
        key=lambda key: (probes.index(key[2]), _place(key[0], models), _place(key[1], datasets)),
    )


def write_parts(
    run: Run, keys: Sequence[PartKey], tabs: Mapping[str, str], thumbnails: dict[Place, str], files: DataFiles, task: Task
) -> list[Part]:
    """Write one data file for each model, dataset and probe.

    Args:
        run: The run.
        keys: Models, datasets and probes, as `part_keys` has them.
        tabs: Probe → tab.
        thumbnails: Picture → file.
        files: Where to.
        task: Where each of them is reported.
    """
    exhibits: dict[PartKey, list[PlacedExhibit]] = {}
    for placed in run.exhibits:
        exhibits.setdefault((placed.model, placed.dataset, placed.probe), []).append(placed)
    parts = []
    drawn: list[PlacedExhibit] = []
    for number, key in enumerate(keys):
        # The neighbors are shown where a picture is enlarged, and missed queries among the pictures.
        shown = sorted(
            (e for e in exhibits.get(key, []) if not e.exhibit.name.startswith((NEIGHBORS, MISSED)) and not _repeats(e, drawn)),
            key=lambda e: _KINDS.index(e.exhibit.kind),
        )
        drawn += [e for e in shown if e.exhibit.kind == "chart"]
        charts = Charts(start=f"c{number}")
        body = _by_prompts(run, shown, charts, thumbnails) if shown else [_numbers(run, key)]
        file = files.write(f"part-{number}", {"html": div(*body).text, "charts": charts.held})
        parts.append(Part(key[0], key[1], key[2], tabs[key[2]], file, _height(run, shown)))
        task.advance()
    return parts


def _height(run: Run, exhibits: list[PlacedExhibit]) -> int:
    """About how many pixels the exhibits take on a desk, where two charts stand side by side."""
    leading = _leading(run, exhibits)
    shown = [e for e in exhibits if e.exhibit.slice.get("prompts") in {None, leading}]  # the others are folded
    charts = [chart_height(e) for e in shown if e.exhibit.kind == "chart"]
    total = sum(max(charts[i : i + 2]) + 190 for i in range(0, len(charts), 2))
    for e in shown:
        rows = e.exhibit.table.num_rows
        if e.exhibit.kind == "pictures":
            across, card = (5, 190) if "ids" in e.exhibit.table.column_names else (8, 270)
            total += 140 + card * math.ceil(min(rows, SHOWN) / across)
        elif e.exhibit.kind == "table":
            total += 160 + min(33 * rows, 540)
    return total or 200


def _leading(run: Run, exhibits: list[PlacedExhibit]) -> str | None:
    """The first prompt set of the run that has an exhibit."""
    used = {str(prompts) for e in exhibits if (prompts := e.exhibit.slice.get("prompts")) is not None}
    return next((prompts for prompts in run.prompts if prompts in used), None)


def _repeats(placed: PlacedExhibit, drawn: list[PlacedExhibit]) -> bool:
    """Whether another probe showed the same chart of the same model and dataset, as zero_shot and prompts do."""
    mine = placed.exhibit
    return mine.kind == "chart" and any(
        (e.model, e.dataset, e.exhibit.title, e.exhibit.slice) == (placed.model, placed.dataset, mine.title, mine.slice)
        and e.probe != placed.probe
        for e in drawn
    )


def _place(name: str, names: list[str]) -> int:
    return names.index(name) if name in names else len(names)


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


def _numbers(run: Run, key: tuple[str, str, str]) -> Markup:
    """The findings of a probe without exhibits, as a table."""
    findings, (model, dataset, probe) = run.findings, key
    mine = pc.and_(pc.equal(findings["model"], model), pc.equal(findings["dataset"], dataset))
    rows = findings.filter(pc.and_(mine, pc.equal(findings["probe"], probe)))
    head = tr(*(th(text, scope="col", class_=kind) for text, kind in _HEADS.items()))
    more = rows.num_rows - NUMBER_ROWS
    return div(
        div(
            table(thead(head), tbody(*_number_rows(run, rows)), class_="of-findings"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"Findings of {probe} for {model} on {dataset}",
        ),
        p(f"and {more:,} more in All findings", class_="quiet") if more > 0 else None,
    )


def _number_rows(run: Run, rows: pa.Table) -> list[Markup]:
    made = []
    for row in rows.slice(0, NUMBER_ROWS).to_pylist():
        cells = zip(_number_cells(run, row), _HEADS.values(), strict=True)
        made.append(tr(*(td(child, class_=kind) for child, kind in cells)))
    return made


def _number_cells(run: Run, row: dict[str, Any]) -> list[Child]:
    metric = run.metric(row["probe"], row["metric"], row["unit"])
    return [
        bdi(metric.title),
        bdi(slice_text(row["slice"])),
        format_value(row["value"], metric.shown_unit),
        format_interval(row["low"], row["high"], metric.shown_unit),
        f"{row['n']:,}",
    ]
