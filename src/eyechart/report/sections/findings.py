"""All findings: the head of the table, and all rows as data for the script that sorts and filters them."""

import math
from collections.abc import Mapping
from typing import Any

from eyechart.findings.group_sizes import OutsideCounts, size_text
from eyechart.findings.numbers import format_interval, format_value, slice_text
from eyechart.findings.run import Run
from eyechart.report.finding_rows import address, counted_rows
from eyechart.report.html.builder import (
    button,
    div,
    field,
    label,
    p,
    span,
    table,
    tbody,
    th,
    thead,
    tr,
)
from eyechart.report.missed_queries import Missed
from eyechart.report.picture_groups import Galleries

_NAMED = ("metric", "slice", "model", "dataset", "probe", "protocol")
# Numbers come early, so that they are visible on a phone.
_HEADS = {
    "metric": "metric", "slice": "slice", "value": "value", "interval": "95% interval", "n": "n",
    "model": "model", "dataset": "dataset", "probe": "probe", "protocol": "protocol",
}  # fmt: skip
_NUMERIC = {"value", "interval", "n"}


def findings_panel(
    run: Run, anchors: dict[str, str], docs: Mapping[str, str], galleries: Galleries, missed: Missed
) -> dict[str, Any]:
    """The table without rows as HTML, and the rows as data, which the script sorts and filters.

    Args:
        run: The run.
        anchors: Protocol hash → its address on the page, without the view.
        docs: Probe → the address of its documentation.
        galleries: The predictions on the page.
        missed: The missed queries on the page.
    """
    data = _data(run, anchors)
    data["docs"] = [docs.get(probe) for probe in data["words"]["probe"]]
    data["pictures"] = _pictures(run, galleries, missed)
    # A column with one value is not shown; the page header has it.
    shown = [key for key in _HEADS if key not in {"model", "dataset"} or len(data["words"][key]) > 1]
    head = tr(*(th(button(_HEADS[key], type="button"), scope="col", data_key=key, class_=_class(key)) for key in shown))
    filters = div(
        label("Find ", field(type="search", id="findings-find", placeholder="class, metric, prompts …", autocomplete="off")),
        span(id="findings-choices"),
        class_="filters",
    )
    pages = div(
        button("Previous", type="button", id="findings-previous"),
        span(id="findings-status", role="status"),
        button("Next", type="button", id="findings-next"),
        class_="pages",
    )
    made = div(
        p(
            "Every number of this examination, with its interval, n and protocol. A value that is a link shows its pictures: of "
            "an accuracy or an error rate, the errors; of R@k, the queries that are missed.",
            class_="sentence",
        ),
        filters,
        div(
            table(thead(head), tbody(), id="findings-table", class_="of-findings"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label="All findings",
        ),
        pages,
    )
    return {"html": made.text, "charts": {}, "findings": data}


def _class(key: str) -> str:
    return f"num of-{key}" if key in _NUMERIC else f"of-{key}"


def _data(run: Run, anchors: dict[str, str]) -> dict[str, Any]:
    """Columns; texts as codes into a list of distinct ones, because a run repeats few texts thousands of times."""
    findings, words, codes = run.findings, {}, {}
    for name in _NAMED:
        coded = findings.column(name).combine_chunks().dictionary_encode()
        words[name], codes[name] = coded.dictionary.to_pylist(), coded.indices.to_pylist()
    words["slice"] = [slice_text(key) for key in words["slice"]]
    values, lows, highs = (findings.column(name).to_pylist() for name in ("value", "low", "high"))
    keys = zip(*(findings.column(name).to_pylist() for name in ("probe", "metric", "unit")), strict=True)
    units = [run.metric(probe, metric, unit).shown_unit for probe, metric, unit in keys]
    bounds = list(zip(lows, highs, strict=True))
    return {
        "words": words,
        "codes": codes,
        "anchors": [anchors.get(protocol) for protocol in words["protocol"]],
        "value": [_finite(v) for v in values],
        "value_text": [format_value(v, u) for v, u in zip(values, units, strict=True)],
        "interval_text": [format_interval(low, high, u) for (low, high), u in zip(bounds, units, strict=True)],
        "width": [None if low is None or high is None else _finite(high - low) for low, high in bounds],
        "n": findings.column("n").to_pylist(),
        "n_text": _sizes(run),
    }


def _sizes(run: Run) -> dict[int, str]:
    """Row of a finding → its sample size as text, where n counts two groups."""
    counts = OutsideCounts(run)
    rows = run.findings.select(["model", "dataset", "probe", "metric", "unit", "slice", "n"]).to_pylist()
    found = ((place, row["n"], counts.of(row)) for place, row in enumerate(rows))
    return {place: size_text(n, outside, short=True) for place, n, outside in found if outside is not None}


def _pictures(run: Run, galleries: Galleries, missed: Missed) -> dict[int, str]:
    """Row of a finding → the address of the pictures that it counts, where the page has them under the same prompts."""
    columns = run.findings.select(["model", "dataset", "probe", "metric", "unit", "slice", "value", "n"]).to_pylist()
    found = ((place, counted_rows(run, galleries, row, missed)) for place, row in enumerate(columns))
    return {place: address(run, counted) for place, counted in found if counted is not None}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
