"""The headline numbers of each model on each dataset, with their intervals."""

from itertools import groupby

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.findings.numbers import number_and_unit
from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, article, bdi, details, div, h3, li, p, span, summary, ul
from eyechart.report.sections.exclusions import Exclusions
from eyechart.report.sections.gauge import gauge
from eyechart.report.sections.overview import capital, overview
from eyechart.report.summary import HeadlineRow, headline_rows

MOST_CARDS = 4  # pairs of model and dataset with a card each; for more, the page has an overview
MOST_DOTS = 40  # in a chart of comparison


def numbers(run: Run, excluded: Exclusions, anchors: dict[str, str]) -> Markup:
    """The headline numbers. `anchors`: probe → its anchor on the page."""
    found = headline_rows(run)
    if _many(found):
        return overview(run, found, anchors)
    if found:
        return div(*(_card(list(rows)) for _, rows in groupby(found, key=lambda r: (r.model, r.dataset))), class_="cards")
    if run.probes:
        return p("No probe of this run has a headline number; all findings are listed below.", class_="quiet")
    return _nothing(excluded)


def _many(rows: list[HeadlineRow]) -> bool:
    return len({(row.model, row.dataset) for row in rows}) > MOST_CARDS


def _nothing(excluded: Exclusions) -> Markup:
    """Why a run has no numbers; each reason is given once."""
    pairs: dict[str, list[Child]] = {}
    for skip in excluded.skips:
        known = pairs.setdefault(skip.reason, [])
        known += ["; " if known else None, bdi(skip.probe), " of ", bdi(skip.model), " on ", bdi(skip.dataset)]
    for model, reason in excluded.failed.items():
        pairs.setdefault(reason, []).append(bdi(model))
    if not pairs:
        return p("No probe was run, so there is nothing to report.", class_="nothing")
    reasons = [(bdi(reason), " ", span("(", *names, ")", class_="quiet")) for reason, names in pairs.items()]
    if len(reasons) == 1:
        return p("No probe could be run: ", *reasons, class_="nothing")
    return div(p("No probe could be run. The reasons:"), ul(*map(li, reasons)), class_="nothing")


def _card(rows: list[HeadlineRow]) -> Markup:
    first = rows[0]
    # The first prompt set leads the card; the others get one line each.
    prompts = next((row.prompts for row in rows if row.prompts is not None), None)
    leading = [row for row in rows[1:] if row.prompts in {None, prompts}]
    others = sorted((row for row in rows if row.prompts not in {None, prompts}), key=lambda r: str(r.prompts))
    number, unit = number_and_unit(first.value, first.unit)
    return article(
        div(
            h3(bdi(first.model), span(" on ", bdi(first.dataset), class_="quiet")),
            p(first.title, class_="metric"),
            p(number, span(unit, class_="sign" if unit == "%" else "unit") if unit else None, class_="number"),
            gauge(first),
            p(_sentence(first), class_="sentence"),
        ),
        div(
            ul(*map(_other, leading), class_="others") if leading else None,
            details(summary("With other prompts"), ul(*_by_prompts(others))) if others else None,
        ),
        class_="card",
    )


def _by_prompts(rows: list[HeadlineRow]) -> list[Markup]:
    lines = []
    for prompts, mine in groupby(rows, key=lambda r: r.prompts):
        numbers = [f"{r.title} {r.value_text}" + (f" ({r.interval_text})" if r.interval_text else "") for r in mine]
        lines.append(li(span(bdi(prompts), class_="chip"), " ", "; ".join(numbers)))
    return lines


def _sentence(row: HeadlineRow) -> list[Child]:
    prompts: list[Child] = [", with prompts ", bdi(row.prompts)] if row.prompts else []
    where: list[Child] = [" (", bdi(row.where), ")"] if row.where else []
    chance = f"; {row.chance_text}" if row.chance_text else ""
    if not row.interval_text:
        return [f"{row.value_text} over n = {row.n:,}", *prompts, *where, f"{chance}; no interval was computed."]
    return [f"95% interval {row.interval_text}, n = {row.n:,}", *prompts, *where, f"{chance}."]


def _other(row: HeadlineRow) -> Markup:
    facts = [row.interval_text, f"n = {row.n:,}", row.chance_text]
    name: list[Child] = [row.title]
    if row.where:
        name += [" ", span(bdi(row.where), class_="chip")]
    return li(
        span(*name, class_="name"),
        span(row.value_text, class_="value"),
        gauge(row),
        span(", ".join(filter(None, facts)), class_="quiet range"),
    )


def comparison(run: Run) -> list[PlacedExhibit]:
    """A chart per headline metric, where there are several models or datasets."""
    exhibits = []
    found = headline_rows(run)
    if len(run.models) < 2 and _many(found):
        return []  # the overview compares the datasets of one model already
    rows = [r for r in found if not r.where and r.value is not None]
    for probe, metric in dict.fromkeys((r.probe, r.metric) for r in rows):
        mine = [r for r in rows if (r.probe, r.metric) == (probe, metric)]
        several = len(run.datasets) > 1
        compared = len({(r.model, r.dataset) for r in mine})
        if compared < 2 or len(mine) > MOST_DOTS:
            continue
        table = pa.table(
            {
                "model": [f"{r.model} on {r.dataset}" if several else r.model for r in mine],
                "prompts": [r.prompts or "" for r in mine],
                "value": [r.value for r in mine],
                "low": [r.low for r in mine],
                "high": [r.high for r in mine],
            }
        )
        chart = dots_with_intervals(
            category="model",
            value="value",
            low="low",
            high="high",
            color="prompts" if len({r.prompts for r in mine}) > 1 else None,
            category_title="",
            value_title=mine[0].title,
            unit=mine[0].unit,
        )
        sentence = "A dot is the value, the line its 95% interval; do not rank where intervals overlap widely."
        exhibit = Exhibit(f"comparison-{metric}", capital(mine[0].title), sentence, table, chart=chart)
        exhibits.append(PlacedExhibit("", "", probe, exhibit))
    return exhibits
