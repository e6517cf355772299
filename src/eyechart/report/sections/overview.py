"""The headline numbers of a run with many models or datasets, probe by probe."""

from collections.abc import Mapping
from itertools import groupby

from eyechart.findings.metric import Metric
from eyechart.findings.run import Run
from eyechart.report.html.builder import (
    Child,
    Markup,
    a,
    article,
    bdi,
    details,
    div,
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
from eyechart.report.sections.gauge import gauge
from eyechart.report.summary import HeadlineRow

Place = tuple[str, str]  # model and dataset
LISTED = 12  # pairs of model and dataset with a row each; more are shown as a grid


def overview(run: Run, rows: list[HeadlineRow], docs: Mapping[str, str]) -> Markup:
    """For each probe its numbers with the leading prompt set, for every model on every dataset."""
    parts = []
    for probe, of_probe in groupby(sorted(rows, key=lambda r: run.probes.index(r.probe)), key=lambda r: r.probe):
        mine = list(of_probe)
        leading = next((prompts for prompts in run.prompts if any(r.prompts == prompts for r in mine)), None)
        shown = [row for row in mine if row.prompts in {None, leading}]
        if shown:
            parts.append(_question(run, probe, shown, leading, docs.get(probe)))
    return div(*parts, class_="overview")


def _question(run: Run, probe: str, rows: list[HeadlineRow], prompts: str | None, page: str | None) -> Markup:
    metrics = [m for m in run.headline(probe) if any(r.metric == m for r in rows)]
    places = list(dict.fromkeys((r.model, r.dataset) for r in rows))
    found = {((r.model, r.dataset), r.metric): r for r in rows}
    if len(places) <= LISTED:
        body: list[Child] = [_lines(places, [run.metric(probe, m) for m in metrics], found, several=len(run.models) > 1)]
    else:
        body = [_grid(run.metric(probe, metrics[0]), places, found)]
        body += [
            details(summary(capital(run.metric(probe, m).title)), _grid(run.metric(probe, m), places, found), class_="folded")
            for m in metrics[1:]
        ]
    with_prompts = p("with prompts ", bdi(prompts), class_="quiet") if prompts and len(run.prompts) > 1 else None
    return article(h4(a(run.question(probe), href=page) if page else run.question(probe)), with_prompts, *body, class_="card")


def _lines(places: list[Place], metrics: list[Metric], found: dict[tuple[Place, str], HeadlineRow], *, several: bool) -> Markup:
    """A row for each model on each dataset, a column for each number."""
    head = tr(th("", scope="col"), *(th(capital(m.title), scope="col") for m in metrics))
    body = []
    for model, dataset in places:
        cells = [td(_cell(found.get(((model, dataset), m.name)))) for m in metrics]
        name: list[Child] = [bdi(model), " on ", bdi(dataset)] if several else [bdi(dataset)]
        body.append(tr(th(*name, scope="row"), *cells))
    return _framed(table(thead(head), tbody(*body)), "Headline numbers")


def _cell(row: HeadlineRow | None) -> list[Child]:
    if row is None:
        return []
    facts = ", ".join(filter(None, [row.interval_text, f"n = {row.size_text}", row.chance_text]))
    where = span(bdi(row.where), class_="chip") if row.where else None
    return [span(row.value_text, class_="value"), " ", where, gauge(row), " ", span(facts, class_="quiet range")]


def _grid(metric: Metric, places: list[Place], found: dict[tuple[Place, str], HeadlineRow]) -> Markup:
    """Models as rows, datasets as columns."""
    models, datasets = (list(dict.fromkeys(names)) for names in zip(*places, strict=True))
    head = tr(th(capital(metric.title), scope="col"), *(th(bdi(d), scope="col", class_="num") for d in datasets))
    body = []
    for model in models:
        rows = [found.get(((model, dataset), metric.name)) for dataset in datasets]
        cells = [td(*_small(row), class_="num") for row in rows]
        body.append(tr(th(bdi(model), scope="row"), *cells))
    return _framed(table(thead(head), tbody(*body)), metric.title)


def _small(row: HeadlineRow | None) -> list[Child]:
    if row is None:
        return []
    return [span(row.value_text, class_="value"), div(row.interval_text, class_="quiet range")]


def _framed(shown: Markup, title: str) -> Markup:
    return div(shown, class_="scroll", tabindex=0, role="region", aria_label=title)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
