"""All findings: a plain table of the first rows, and all rows as data for the script that sorts and filters them."""

import math
from typing import Any

import pyarrow as pa

from eyechart.report.html import (
    Markup,
    a,
    bdi,
    button,
    data_script,
    div,
    field,
    label,
    p,
    section,
    span,
    table,
    tbody,
    td,
    th,
    thead,
    tr,
)
from eyechart.report.summary import format_interval, format_value, slice_text

WITHOUT_SCRIPT = 200
_NAMED = ("model", "dataset", "probe", "metric", "slice", "protocol")
_HEADS = {
    "model": "model", "dataset": "dataset", "probe": "probe", "metric": "metric", "slice": "slice",
    "value": "value", "interval": "95% interval", "n": "n", "protocol": "protocol",
}  # fmt: skip
_NUMERIC = {"value", "interval", "n"}


def findings_section(findings: pa.Table, heading: Markup, anchors: dict[str, str]) -> Markup:
    data = _data(findings, anchors)
    first = min(WITHOUT_SCRIPT, findings.num_rows)
    head = tr(*(th(button(text, type="button"), scope="col", data_key=key, class_=_class(key)) for key, text in _HEADS.items()))
    filters = div(
        label("Find ", field(type="search", id="findings-find", placeholder="class, metric, prompts …", autocomplete="off")),
        span(id="findings-choices"),
        class_="filters",
        id="findings-filters",
        hidden=True,
    )
    pages = div(
        button("Previous", type="button", id="findings-previous"),
        span(f"{first:,} of {findings.num_rows:,}", id="findings-status", role="status"),
        button("Next", type="button", id="findings-next"),
        class_="pages",
        id="findings-pages",
        hidden=True,
    )
    body = tbody(*(_row(data, i) for i in range(first)))
    return section(
        heading,
        p("Every number of this examination, with its interval, its n and the protocol that gave it.", class_="sentence"),
        filters,
        div(table(thead(head), body, id="findings-table"), class_="scroll", tabindex=0, role="region", aria_label="All findings"),
        pages,
        data_script("findings-data", data),
        id="findings",
    )


def _class(key: str) -> str | None:
    return "num" if key in _NUMERIC else None


def _data(findings: pa.Table, anchors: dict[str, str]) -> dict[str, Any]:
    """Columns; words as codes into the list of distinct ones, since a run says the same few words thousands of times."""
    words, codes = {}, {}
    for name in _NAMED:
        coded = findings.column(name).combine_chunks().dictionary_encode()
        words[name], codes[name] = coded.dictionary.to_pylist(), coded.indices.to_pylist()
    words["slice"] = [slice_text(key) for key in words["slice"]]
    values, lows, highs, units = (findings.column(name).to_pylist() for name in ("value", "low", "high", "unit"))
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
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _row(data: dict[str, Any], i: int) -> Markup:
    named = {name: data["words"][name][data["codes"][name][i]] for name in _NAMED}
    anchor = data["anchors"][data["codes"]["protocol"][i]]
    short = named["protocol"][:8]
    return tr(
        *(td(bdi(named[name])) for name in _NAMED if name != "protocol"),
        td(data["value_text"][i], class_="num"),
        td(data["interval_text"][i], class_="num"),
        td(f"{data['n'][i]:,}", class_="num"),
        td(a(short, href=f"#{anchor}") if anchor else short),
    )
