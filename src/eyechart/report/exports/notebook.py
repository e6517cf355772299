"""An examination in a notebook: the decision, a tile for each main area, and the most confident errors as pictures.

One fragment of HTML with its own styles and pictures: notebooks show it offline and without scripts.
"""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.findings.numbers import format_interval, format_value, percent
from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, bdi, div, element, h3, img, p, render, span
from eyechart.report.thumbnails import picture_ids, source
from eyechart.report.worst_class import WorstClass, worst_class
from eyechart.verdict.not_tested import HOW_TO_TEST
from eyechart.verdict.ruling import Outcome, Ruling
from eyechart.verdict.verdict import Verdict, verdicts

MOST_MODELS = 3  # with tiles; the page shows all
MOST_PICTURES = 6
GALLERIES = ("confident-errors", "confused-pairs")  # exhibits whose pictures are errors, the most telling first

# Constant text; everything of the user goes through the builder, which escapes it. Colors suit a light and a dark page.
STYLE = """<style>
.eyechart h3, .eyechart p { margin: 4px 0 }
.eyechart-row { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 }
.eyechart-tile { border: 1px solid #8888; border-top: 4px solid #777; border-radius: 4px; padding: 6px 10px }
.eyechart-tile { width: 140px; box-sizing: border-box }
.eyechart-tile.good { border-top-color: #2e7d4f } .eyechart-tile.bad { border-top-color: #b3402a }
.eyechart-tile.inconclusive { border-top-color: #b58a1b }
.eyechart-tile b { display: block } .eyechart-small { font-size: 80%; overflow-wrap: anywhere }
.eyechart-error { width: 150px } .eyechart-error img { display: block; height: 112px; max-width: 150px; object-fit: contain }
</style>"""


def notebook_html(run: Run, page: Path) -> str:
    """The fragment for one examination."""
    made = verdicts(run)
    parts: list[Child] = [part for verdict in made[:MOST_MODELS] for part in _model(run, verdict)]
    if len(made) > MOST_MODELS:
        parts.append(p(f"and {counted(len(made) - MOST_MODELS, 'more model')} on the page"))
    skipped = counted(run.skips.num_rows, "skipped probe")
    parts.append(p(f"{counted(run.findings.num_rows, 'finding')}, {skipped}. Page: ", bdi(str(page))))
    return STYLE + render([div(*parts, class_="eyechart")])


def _model(run: Run, verdict: Verdict) -> list[Child]:
    exams = [name for name in run.datasets if name not in run.companions]
    worst = worst_class(run, verdict.model, verdict)
    tiles = [_tile(area, [r for r in verdict.rulings if r.area == area], worst) for area in HOW_TO_TEST]
    errors = _errors(run, verdict.model)
    return [
        h3(bdi(verdict.model), " on ", bdi(", ".join(exams))),
        p(verdict.decision),
        div(*tiles, class_="eyechart-row"),
        div(*errors, class_="eyechart-row") if errors else None,
    ]


def _tile(area: str, rulings: Sequence[Ruling], worst: WorstClass | None) -> Markup:
    """The outcome of an area, with the first figure of its worst ruling; where that is of one class, with its name."""
    outcome: Outcome = rulings[0].outcome if rulings else "not tested"
    figure = rulings[0].figures[0] if rulings and rulings[0].figures else None
    not_judged = bool(rulings) and rulings[0].not_judged
    lines: list[Child] = [div(area, class_="eyechart-small"), element("b", "not judged" if not_judged else outcome)]
    if figure is not None and not not_judged:
        lines.append(div(format_value(figure.value, figure.unit), " ", span(figure.short, class_="eyechart-small")))
        interval = format_interval(figure.low, figure.high, figure.unit)
        n = f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{figure.n:,}"
        lines.append(div(", ".join(filter(None, [interval, n])), class_="eyechart-small"))
        if worst is not None and (figure.dataset, figure.where.get("class")) == (worst.dataset, worst.name):
            lines.append(div(bdi(worst.name), worst.ties_text, class_="eyechart-small"))
    kind = f"eyechart-tile {outcome.replace(' ', '-')}"
    return div(*lines, class_=kind, title=rulings[0].sentence if rulings else None)


def _errors(run: Run, model: str) -> list[Markup]:
    """Pictures that the model gets wrong: from the first gallery of errors that the run has."""
    for name in GALLERIES:
        for placed in run.exhibits:
            if placed.model == model and placed.exhibit.kind == "pictures" and placed.exhibit.name.startswith(name):
                rows = placed.exhibit.table.slice(0, MOST_PICTURES).to_pylist()
                shown = [(row, source(row, placed), picture_ids(row)[:1]) for row in rows]
                return [_error(row, _jpeg(run, dataset, ids[0])) for row, dataset, ids in shown if ids]
    return []


def _error(row: dict[str, Any], jpeg: bytes | None) -> Markup:
    data = None if jpeg is None else f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"
    confidence = row.get("confidence")
    said = f"{row.get('class', '')} → {row.get('predicted as', '')}"
    return div(
        img(src=data, alt=said) if data else span("no thumbnail"),
        div(bdi(said), f", {percent(confidence)}" if confidence is not None else None, class_="eyechart-small"),
        class_="eyechart-error",
    )


def _jpeg(run: Run, dataset: str, identity: str) -> bytes | None:
    for placed in run.exam_exhibits("pictures"):
        table = placed.exhibit.table
        for row_dataset, row_id, jpeg in zip(*(table[c].to_pylist() for c in ("dataset", "id", "jpeg")), strict=True):
            if (row_dataset, row_id) == (dataset, identity):
                return bytes(jpeg) if jpeg else None
    return None
