"""What attention has to show in charts: shares by size beside areas, attention per area, blocks and heads."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.large_object.exhibits import in_words, ordinal

_LEAD = "largest over others, per area"


def share_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    rows = []
    for metric, what in (("object_attention", "attention"), ("object_area", "area")):
        for f in _cut(findings, metric, objects, "size_rank"):
            rows.append({"which": _which(f, objects), "of the picture": what, **_numbers(f, "share")})
    order = [_named(rank, objects) for rank in range(1, objects + 1)]
    rows.sort(key=lambda row: order.index(str(row["which"])))
    largest, area = (_cut(findings, metric, objects, "size_rank")[0].value for metric in ("object_attention", "object_area"))
    sentence = (
        f"The largest of {in_words(objects)} things covers {area:.1%} of the picture and gets {largest:.1%} "
        "of the class token's attention."
    )
    chart = charts.bars(
        category="which", value="share", color="of the picture", low="low", high="high", category_title="", value_title="share"
    )
    return Exhibit("attention-by-size", "Where the class token looks", sentence, pa.Table.from_pylist(rows), chart=chart)


def density_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    shown = _cut(findings, "attention_density", objects, "size_rank")
    rows = [{"which": _which(f, objects), **_numbers(f, "attention_density")} for f in shown]
    sentence = (
        f"For its area, the largest of {in_words(objects)} things gets {shown[0].value:.2f} times the attention of an average "
        f"spot, and the smallest {shown[-1].value:.2f} times: what is left when area is taken out."
    )
    return Exhibit(
        "attention-per-area",
        "Attention per area",
        sentence,
        pa.Table.from_pylist(rows),
        chart=_dots("which", "attention_density"),
    )


def block_exhibits(findings: Sequence[Finding], objects: int) -> list[Exhibit]:
    """From the first block to the last, where it was asked for: the sums, and the largest against the others per area."""
    leads = _cut(findings, "attention_density_difference", objects, "block")
    if not leads:
        return []
    shares = _cut(findings, "object_attention", objects, "block", "size_rank")
    grounds = _cut(findings, "background_attention", objects, "block")
    rows = [{"block": f.slice["block"], "lies on": _which(f, objects), **_numbers(f, "share")} for f in shares]
    rows += [{"block": f.slice["block"], "lies on": "the ground", **_numbers(f, "share")} for f in grounds]
    largest = [f for f in shares if f.slice["size_rank"] == 1]
    most = max(largest, key=_value)
    last = largest[-1]
    where = "the last block" if most is last else f"block {most.slice['block']}"
    then = "" if most is last else f", and {last.value:.1%} in the last"
    sums = (
        f"The largest of {in_words(objects)} things gets most in {where}: {most.value:.1%} of the class token's attention{then}."
    )
    line = charts.line_with_band(
        x="block", y="share", low="low", high="high", color="lies on", y_title="of the attention", x_unit="count"
    )
    ratio = charts.line_with_band(x="block", y="lead", low="low", high="high", y_title=_LEAD, x_unit="count", unit="", zero=False)
    table = pa.Table.from_pylist([{"block": f.slice["block"], **_numbers(f, "lead")} for f in leads])
    return [
        Exhibit("attention-by-block", "Attention from block to block", sums, pa.Table.from_pylist(rows), chart=line),
        Exhibit("lead-by-block", "The same per area", _beyond(leads, "block"), table, chart=ratio),
    ]


def head_exhibits(findings: Sequence[Finding], objects: int) -> list[Exhibit]:
    """Which heads favour large things, and which beyond their area, where it was asked for."""
    leads = _cut(findings, "attention_density_difference", objects, "head")
    if not leads:
        return []
    shares = _cut(findings, "object_attention", objects, "head", "size_rank")
    most = max(shares, key=_value)
    sums = f"Head {most.slice['head']} of the last block gives the largest thing most: {most.value:.1%} of its attention."
    exhibits = [
        Exhibit("attention-by-head", "Heads of the last block", sums, _by_head(shares, "share"), chart=_dots("head", "share")),
        Exhibit(
            "lead-by-head", "The same per area", _beyond(leads, "head"), _by_head(leads, "lead"), chart=_dots("head", "lead")
        ),
    ]
    return [*exhibits, *_grid(_cut(findings, "attention_density_difference", objects, "block", "head"))]


def _grid(leads: Sequence[Finding]) -> list[Exhibit]:
    if not leads:
        return []
    most = max(leads, key=_value)
    sentence = (
        f"Of {len(leads)} heads, head {most.slice['head']} of block {most.slice['block']} favours the largest thing most: "
        f"{most.value:.2f} times the attention per area of the others. Of so many the most extreme is partly luck."
    )
    rows = [{"block": str(f.slice["block"]), "head": str(f.slice["head"]), **_numbers(f, "lead")} for f in leads]
    chart = charts.heatmap(x="head", y="block", value="lead", value_title="largest over others", unit="")
    return [Exhibit("lead-by-block-and-head", "Every head of every block", sentence, pa.Table.from_pylist(rows), chart=chart)]


def _beyond(leads: Sequence[Finding], of: str) -> str:
    """How many favour the largest thing beyond its area, and how many disfavour it."""
    above = sum((f.low or 0.0) > 1 for f in leads)
    below = sum(f.high is not None and f.high < 1 for f in leads)
    return (
        f"Attention per area of the largest thing over that of the others: surely above 1 in {above} of {len(leads)} {of}s, "
        f"surely below in {below}."
    )


def _dots(category: str, value: str) -> charts.Spec:
    """Shares as percent from 0; ratios around 1."""
    titles = {"share": "on the largest thing", "lead": _LEAD, "attention_density": "attention over area"}
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
    """Findings of scenes of so many things, by these keys and no other."""
    wanted = {"objects", *keys}
    return [f for f in findings if f.metric == metric and set(f.slice) == wanted and f.slice["objects"] == objects]


def _numbers(finding: Finding, value: str) -> dict[str, object]:
    return {value: finding.value, "low": finding.low, "high": finding.high}


def _value(finding: Finding) -> float:
    return finding.value or 0.0


def _which(finding: Finding, objects: int) -> str:
    return _named(int(str(finding.slice["size_rank"])), objects)


def _named(rank: int, objects: int) -> str:
    return "largest" if rank == 1 else "smallest" if rank == objects else f"{ordinal(rank)} largest"
