"""The first thing a reader sees: for each model on each dataset, its headline numbers, large, with their intervals."""

from itertools import groupby

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.findings.numbers import number_and_unit
from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, article, bdi, details, div, h3, li, p, span, summary, ul
from eyechart.report.sections.gauge import gauge
from eyechart.report.sections.left_out import LeftOut
from eyechart.report.sections.overview import capital, overview
from eyechart.report.summary import HeadlineRow, headline_rows

MOST_CARDS = 4  # models on datasets that get a card each; of more, the page gives an overview
MOST_DOTS = 40  # in a chart of comparison


def numbers(run: Run, missing: LeftOut, anchors: dict[str, str]) -> Markup:
    """`anchors`: where on the page each probe answers."""
    found = headline_rows(run)
    if _many(found):
        return overview(run, found, anchors)
    if found:
        return div(*(_card(list(rows)) for _, rows in groupby(found, key=lambda r: (r.model, r.dataset))), class_="cards")
    if run.probes:
        return p("No probe of this run has a headline number; all its findings are listed below.", class_="quiet")
    return _nothing(missing)


def _many(rows: list[HeadlineRow]) -> bool:
    return len({(row.model, row.dataset) for row in rows}) > MOST_CARDS


def _nothing(missing: LeftOut) -> Markup:
    """Why a run has no number at all; a reason that holds for several questions is given once."""
    questions: dict[str, list[Child]] = {}
    for skip in missing.skips:
        known = questions.setdefault(skip.reason, [])
        known += ["; " if known else None, bdi(skip.probe), " of ", bdi(skip.model), " on ", bdi(skip.dataset)]
    for model, reason in missing.failed.items():
        questions.setdefault(reason, []).append(bdi(model))
    if not questions:
        return p("Nothing was asked in this run, so there is nothing to report.", class_="nothing")
    reasons = [(bdi(reason), " ", span("(", *whose, ")", class_="quiet")) for reason, whose in questions.items()]
    if len(reasons) == 1:
        return p("Nothing could be asked: ", *reasons, class_="nothing")
    return div(p("Nothing could be asked, and this is why:"), ul(*map(li, reasons)), class_="nothing")


def _card(rows: list[HeadlineRow]) -> Markup:
    first = rows[0]
    # One prompt set leads the card; what the others gave is a line each, or the card would say everything thrice.
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
    """Where several models or datasets stand side by side: one chart per headline metric of theirs."""
    exhibits = []
    found = headline_rows(run)
    if len(run.models) < 2 and _many(found):
        return []  # one model's datasets stand side by side in the overview already
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
            unit=mine[0].record.unit,
        )
        sentence = "A dot is the measured value, the line its 95% interval; where lines overlap widely, do not rank."
        exhibit = Exhibit(f"comparison-{metric}", capital(mine[0].title), sentence, table, chart=chart)
        exhibits.append(PlacedExhibit("", "", probe, exhibit))
    return exhibits
