"""What corruption has to show: errors as severity grows, every corruption by its mean, every cell, and lost pictures."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.metrics.intervals.mover import Estimate
from eyechart.probes.corruption.table import CorruptionTable

LINES = 3  # corruptions drawn by severity: the worst, beside the mean of all
PICTURES = 12

Slice = dict[str, str]


def corruption_exhibits(table: CorruptionTable, at: Slice) -> list[Exhibit]:
    order = sorted(range(len(table.found.names)), key=lambda c: -table.errors[c].value)
    tag = "-".join(str(value) for value in at.values())
    exhibits = [_by_severity(table, order, tag, at), _by_corruption(table, order, tag, at)]
    if len(table.cells) > len(order):
        exhibits.append(_cells(table, order, tag, at))
    lost = _lost(table, order[0], tag, at)
    return [*exhibits, *([lost] if lost else [])]


def _by_severity(table: CorruptionTable, order: Sequence[int], tag: str, at: Slice) -> Exhibit:
    levels = sorted({severity for _, severity, _ in table.cells})
    clean = None if table.clean is None else _complement(table.clean.estimate)
    lines = {table.found.names[c]: [(s, table.error(c, s).estimate) for s in table.severities(c)] for c in order[:LINES]}
    if len(order) > 1:
        lines = {"mean of all": [(s, table.mean_at(s)) for s in levels], **lines}
    start_at = [] if clean is None else [(0, clean)]
    rows = [{"corruption": name, "severity": s, **_estimate(e)} for name, line in lines.items() for s, e in [*start_at, *line]]
    worst = table.found.names[order[0]]
    first, last = table.error(order[0], table.severities(order[0])[0]), table.error(order[0], table.severities(order[0])[-1])
    start = "" if clean is None else f"As they are, {clean.value:.1%} of the pictures are misjudged; "
    sentence = f"{start}under {worst}, {first.value:.1%} at the least severity and {last.value:.1%} at the greatest."
    return Exhibit(
        f"errors-by-severity-{tag}",
        "Errors as severity grows",
        sentence[0].upper() + sentence[1:],
        pa.Table.from_pylist(rows),
        chart=charts.line_with_band(x="severity", y="error", low="low", high="high", color="corruption", x_unit="count"),
        slice=at,
    )


def _by_corruption(table: CorruptionTable, order: Sequence[int], tag: str, at: Slice) -> Exhibit:
    rows = [{"corruption": table.found.names[c], **_estimate(table.errors[c].estimate)} for c in order]
    worst, least = order[0], order[-1]
    names = table.found.names
    return Exhibit(
        f"errors-by-corruption-{tag}",
        "Errors under each corruption, mean over severities",
        f"Most go wrong under {names[worst]} ({table.errors[worst].value:.1%}), fewest under {names[least]} "
        f"({table.errors[least].value:.1%}).",
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="corruption", value="error", low="low", high="high", zero=True),
        slice=at,
    )


def _cells(table: CorruptionTable, order: Sequence[int], tag: str, at: Slice) -> Exhibit:
    rows = [
        {"corruption": table.found.names[c], "severity": str(s), "error": table.error(c, s).value}
        for c in order
        for s in table.severities(c)
    ]
    return Exhibit(
        f"errors-by-cell-{tag}",
        "Errors under every corruption at every severity",
        "Rows are sorted by their mean; one that is dark at the left does harm in small doses.",
        pa.Table.from_pylist(rows),
        chart=charts.heatmap(x="severity", y="corruption", value="error"),
        slice=at,
    )


def _lost(table: CorruptionTable, worst: int, tag: str, at: Slice) -> Exhibit | None:
    """Pictures of the examined dataset itself that the worst corruption turns wrong at its least severity that does so."""
    contrast = table.found.contrast
    if contrast.shifted.dataset.role != "exam" or not contrast.shifted.dataset.has("attr.source_id"):
        return None
    ids, sources = contrast.shifted.dataset.ids(), contrast.shifted.dataset.table.column("attr.source_id").to_pylist()
    right = {ids[row] for row, hit in zip(contrast.source_rows, table.clean_right, strict=True) if hit}
    rows = np.concatenate([rows for c, _, rows in table.cells if c == worst])
    lost: dict[str, tuple[str, int]] = {}
    for i in rows:
        source = str(sources[contrast.rows[i]])
        if source in right and not table.right[i]:
            lost.setdefault(source, (ids[contrast.rows[i]], int(table.found.severity[i])))
    if not lost:
        return None
    shown = [{"severity": severity, "ids": [source, id]} for source, (id, severity) in list(lost.items())[:PICTURES]]
    name = table.found.names[worst]
    return Exhibit(
        f"lost-pictures-{tag}",
        f"Right as they are, wrong under {name}",
        f"{len(lost)} pictures are recognised as they are and not under {name} at some severity; the least such is shown.",
        pa.Table.from_pylist(shown),
        "pictures",
        slice={**at, "corruption": name},
    )


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"error": estimate.value, "low": estimate.low, "high": estimate.high}


def _complement(estimate: Estimate) -> Estimate:
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)
