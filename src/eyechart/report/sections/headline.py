"""The headline numbers of all models and datasets beside each other, and the reasons where a run has none."""

from collections.abc import Mapping

import pyarrow as pa

from eyechart.findings.charts import dots_with_intervals
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, bdi, div, h3, li, p, span, ul
from eyechart.report.sections.exclusions import Exclusions
from eyechart.report.sections.overview import capital, overview
from eyechart.report.summary import HeadlineRow, headline_rows

MOST_PAIRS = 4  # of model and dataset; for more, the overview is enough
MOST_DOTS = 40  # in a chart of comparison


def overview_of(run: Run, docs: Mapping[str, str]) -> Markup | None:
    """The headline numbers of all models and datasets; None where there is one model on one dataset.

    Args:
        run: The run.
        docs: Probe → documentation page.
    """
    found = headline_rows(run)
    if len({(row.model, row.dataset) for row in found}) < 2:
        return None
    return div(h3("Headline numbers of all models and datasets"), overview(run, found, docs))


def nothing(excluded: Exclusions) -> Markup:
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


def _many(rows: list[HeadlineRow]) -> bool:
    return len({(row.model, row.dataset) for row in rows}) > MOST_PAIRS


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
