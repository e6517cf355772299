"""The first thing a reader sees: for each model on each dataset, its headline numbers, large, with their intervals."""

import math
from itertools import groupby

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.findings.run import Run
from eyechart.report.html import Child, Markup, article, bdi, details, div, element, h3, li, p, span, summary, ul
from eyechart.report.summary import HeadlineRow, headline_rows, metric_name


def cards(run: Run) -> Markup:
    made = [_card(list(rows)) for _, rows in groupby(headline_rows(run), key=lambda r: (r.model, r.dataset))]
    if not made:
        return p("No probe of this run has a headline number; all its findings are listed below.", class_="quiet")
    return div(*made, class_="cards")


def _card(rows: list[HeadlineRow]) -> Markup:
    first = rows[0]
    # One prompt set leads the card; what the others gave is a line each, or the card would say everything thrice.
    leading = [row for row in rows[1:] if row.prompts in {None, first.prompts}]
    others = sorted((row for row in rows if row.prompts not in {None, first.prompts}), key=lambda r: str(r.prompts))
    value, sign = (first.value_text[:-1], "%") if first.value_text.endswith("%") else (first.value_text, "")
    return article(
        div(
            h3(bdi(first.model)),
            p("on ", bdi(first.dataset), class_="quiet"),
            p(metric_name(first.metric), class_="metric"),
            p(value, span(sign, class_="sign") if sign else None, class_="number"),
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
        numbers = [f"{metric_name(r.metric)} {r.value_text}" + (f" ({r.interval_text})" if r.interval_text else "") for r in mine]
        lines.append(li(span(bdi(prompts), class_="chip"), " ", "; ".join(numbers)))
    return lines


def _sentence(row: HeadlineRow) -> list[Child]:
    prompts: list[Child] = [", with prompts ", bdi(row.prompts)] if row.prompts else []
    where: list[Child] = [" (", bdi(row.where), ")"] if row.where else []
    if not row.interval_text:
        return [f"{row.value_text} over n = {row.n:,}", *prompts, *where, "; no interval was computed."]
    return [f"95% interval {row.interval_text}, n = {row.n:,}", *prompts, *where, "."]


def _other(row: HeadlineRow) -> Markup:
    interval = f"{row.interval_text}, " if row.interval_text else ""
    name: list[Child] = [metric_name(row.metric)]
    if row.where:
        name += [" ", span(bdi(row.where), class_="chip")]
    return li(
        span(*name, class_="name"),
        span(row.value_text, class_="value"),
        gauge(row),
        span(f"{interval}n = {row.n:,}", class_="quiet range"),
    )


def gauge(row: HeadlineRow) -> Markup | None:
    """A line from 0 to 100% with the interval as a bar and the value as a tick; nothing for what is not a fraction."""
    if row.unit != "fraction" or row.value is None or not math.isfinite(row.value) or not 0 <= row.value <= 1:
        return None
    low = row.value if row.low is None else max(row.low, 0.0)
    high = row.value if row.high is None else min(row.high, 1.0)
    return element(
        "svg",
        element("rect", class_="track", x="0", y="6", width="100%", height="2"),
        element("rect", class_="span", x=f"{100 * low:.2f}%", y="3", width=f"{100 * max(high - low, 0.0):.2f}%", height="8"),
        element("rect", class_="tick", x=f"{99.3 * row.value:.2f}%", y="0", width="3", height="14"),
        class_="gauge",
        height="14",
        role="img",
        aria_label=f"{row.value_text} on a line from 0 to 100%",
    )


def comparison(run: Run) -> list[PlacedExhibit]:
    """Where several models or datasets stand side by side: one chart per headline metric of theirs."""
    exhibits = []
    rows = [r for r in headline_rows(run) if not r.where and r.value is not None]
    for probe, metric in dict.fromkeys((r.probe, r.metric) for r in rows):
        mine = [r for r in rows if (r.probe, r.metric) == (probe, metric)]
        if len({(r.model, r.dataset) for r in mine}) < 2:
            continue
        several = len(run.datasets) > 1
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
            value_title=metric_name(metric),
            unit=mine[0].unit,
        )
        sentence = "A dot is the measured value, the line its 95% interval; where lines overlap widely, do not rank."
        exhibit = Exhibit(f"comparison-{metric}", metric_name(metric).capitalize(), sentence, table, chart=chart)
        exhibits.append(PlacedExhibit("", "", probe, exhibit))
    return exhibits
