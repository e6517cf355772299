"""Charts of the probe `attention`: attention and area by size, attention per area, blocks and heads."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import number, percent
from eyechart.probes.tasks.number_words import number_word, size_rank_label

_RATIO = "attention per area, largest / others"


def share_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    rows = []
    for metric, what in (("object_attention", "attention"), ("object_area", "area")):
        for f in _cut(findings, metric, objects, "size_rank"):
            rows.append({"object": _label(f, objects), "share of": what, **_numbers(f, "share")})
    order = [size_rank_label(rank, objects) for rank in range(1, objects + 1)]
    rows.sort(key=lambda row: order.index(str(row["object"])))
    largest, area = (_cut(findings, metric, objects, "size_rank")[0].value for metric in ("object_attention", "object_area"))
    sentence = (
        f"The largest of {number_word(objects)} objects covers {percent(area)} of the picture and gets {percent(largest)} "
        "of the class token's attention."
    )
    chart = charts.bars(
        category="object", value="share", color="share of", low="low", high="high", category_title="", value_title="share"
    )
    return Exhibit(
        "attention-by-size", "Attention of the class token by object size", sentence, pa.Table.from_pylist(rows), chart=chart
    )


def density_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    shown = _cut(findings, "attention_density", objects, "size_rank")
    rows = [{"object": _label(f, objects), **_numbers(f, "attention per area")} for f in shown]
    sentence = (
        f"Per area, the largest of {number_word(objects)} objects gets {number(shown[0].value)} times the average "
        "attention of the "
        f"picture, the smallest {number(shown[-1].value)} times. 1 means: no more than its area explains."
    )
    return Exhibit(
        "attention-per-area",
        "Attention per area",
        sentence,
        pa.Table.from_pylist(rows),
        chart=_dots("object", "attention per area"),
    )


def block_exhibits(findings: Sequence[Finding], objects: int) -> list[Exhibit]:
    """Attention on each object by block, and per area the largest object relative to the others."""
    ratios = _cut(findings, "attention_density_ratio", objects, "block")
    if not ratios:
        return []
    shares = _cut(findings, "object_attention", objects, "block", "size_rank")
    backgrounds = _cut(findings, "background_attention", objects, "block")
    rows = [{"block": f.slice["block"], "attention on": _label(f, objects), **_numbers(f, "share")} for f in shares]
    rows += [{"block": f.slice["block"], "attention on": "background", **_numbers(f, "share")} for f in backgrounds]
    largest = [f for f in shares if f.slice["size_rank"] == 1]
    most = max(largest, key=_value)
    last = largest[-1]
    where = "the last block" if most is last else f"block {most.slice['block']}"
    then = "" if most is last else f", and {percent(last.value)} in the last"
    sums = (
        f"The largest of {number_word(objects)} objects gets most attention in {where}: "
        f"{percent(most.value)} of the class token's attention{then}."
    )
    line = charts.line_with_band(
        x="block", y="share", low="low", high="high", color="attention on", y_title="share of the attention", x_unit="count"
    )
    chart = charts.line_with_band(
        x="block", y="ratio", low="low", high="high", y_title=_RATIO, x_unit="count", unit="", zero=False
    )
    table = pa.Table.from_pylist([{"block": f.slice["block"], **_numbers(f, "ratio")} for f in ratios])
    return [
        Exhibit("attention-by-block", "Attention by block", sums, pa.Table.from_pylist(rows), chart=line),
        Exhibit("ratio-by-block", "Attention per area by block", _significant(ratios, "block"), table, chart=chart),
    ]


def head_exhibits(findings: Sequence[Finding], objects: int) -> list[Exhibit]:
    """Attention on the largest object by head, and per area relative to the others."""
    ratios = _cut(findings, "attention_density_ratio", objects, "head")
    if not ratios:
        return []
    shares = _cut(findings, "object_attention", objects, "head", "size_rank")
    most = max(shares, key=_value)
    sums = (
        f"Head {most.slice['head']} of the last block attends most to the largest object: {percent(most.value)} of its attention."
    )
    exhibits = [
        Exhibit("attention-by-head", "Heads of the last block", sums, _by_head(shares, "share"), chart=_dots("head", "share")),
        Exhibit(
            "ratio-by-head",
            "Attention per area by head",
            _significant(ratios, "head"),
            _by_head(ratios, "ratio"),
            chart=_dots("head", "ratio"),
        ),
    ]
    return [*exhibits, *_grid(_cut(findings, "attention_density_ratio", objects, "block", "head"))]


def _grid(ratios: Sequence[Finding]) -> list[Exhibit]:
    if not ratios:
        return []
    most = max(ratios, key=_value)
    sentence = (
        f"Of {len(ratios)} heads, head {most.slice['head']} of block {most.slice['block']} favors the largest object most: "
        f"{number(most.value)} times the attention per area of the others. The maximum of so many heads is partly chance."
    )
    rows = [{"block": str(f.slice["block"]), "head": str(f.slice["head"]), **_numbers(f, "ratio")} for f in ratios]
    chart = charts.heatmap(x="head", y="block", value="ratio", value_title="largest / others", unit="")
    return [Exhibit("ratio-by-block-and-head", "Every head of every block", sentence, pa.Table.from_pylist(rows), chart=chart)]


def _significant(ratios: Sequence[Finding], of: str) -> str:
    """How many blocks or heads favor the largest object beyond its area, and how many disfavor it."""
    above = sum((f.low or 0.0) > 1 for f in ratios)
    below = sum(f.high is not None and f.high < 1 for f in ratios)
    return (
        f"Attention per area of the largest object relative to the others: above 1 at 95% confidence in {above} of {len(ratios)} "
        f"{of}s, below 1 in {below}."
    )


def _dots(category: str, value: str) -> charts.Spec:
    """Shares as percent from 0; ratios around 1."""
    titles = {"share": "attention on the largest object", "ratio": _RATIO, "attention per area": "attention / area"}
    return charts.dots_with_intervals(
        category=category,
        value=value,
        low="low",
        high="high",
        category_title="head" if category == "head" else "",
        value_title=titles[value],
        unit="fraction" if value == "share" else "",
        zero=value == "share",
        reference=None if value == "share" else 1.0,
    )


def _by_head(shown: Iterable[Finding], value: str) -> pa.Table:
    return pa.Table.from_pylist([{"head": str(f.slice["head"]), **_numbers(f, value)} for f in shown])


def _cut(findings: Sequence[Finding], metric: str, objects: int, *keys: str) -> list[Finding]:
    """Findings of scenes with this number of objects, sliced by these keys only."""
    wanted = {"objects", *keys}
    return [f for f in findings if f.metric == metric and set(f.slice) == wanted and f.slice["objects"] == objects]


def _numbers(finding: Finding, value: str) -> dict[str, object]:
    return {value: finding.value, "low": finding.low, "high": finding.high}


def _value(finding: Finding) -> float:
    return finding.value or 0.0


def _label(finding: Finding, objects: int) -> str:
    return size_rank_label(int(str(finding.slice["size_rank"])), objects)
