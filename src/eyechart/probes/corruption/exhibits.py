"""Charts of the probe `corruption`: error rate by severity, by corruption and by both, and misclassified pictures."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.mover import Estimate
from eyechart.notice import counted
from eyechart.probes.corruption.table import CorruptionTable

LINES = 3  # corruptions with a line by severity: the worst, next to the mean of all
PICTURES = 12
ERRORS = 400  # pictures of a companion

Slice = dict[str, str]


def corruption_exhibits(table: CorruptionTable, at: Slice) -> list[Exhibit]:
    """All exhibits of one table."""
    order = sorted(range(len(table.found.names)), key=lambda c: -table.errors[c].value)
    tag = "-".join(str(value) for value in at.values())
    exhibits = [_by_severity(table, order, tag, at), _by_corruption(table, order, tag, at)]
    if len(table.cells) > len(order):
        exhibits.append(_cells(table, order, tag, at))
    pictures = (_lost(table, order[0], tag, at), _errors(table, order, tag, at))
    return [*exhibits, *(exhibit for exhibit in pictures if exhibit)]


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
    start = "The" if clean is None else f"The error rate is {percent(clean.value)} on clean pictures. Under {worst}, the"
    name = f" under {worst}" if clean is None else ""
    levels_of_worst = table.severities(order[0])
    if len(levels_of_worst) == 1:
        at_levels = f"{percent(first.value)} at severity {levels_of_worst[0]}"
    else:
        at_levels = f"{percent(first.value)} at the lowest severity and {percent(last.value)} at the highest"
    sentence = f"{start} error rate{name} is {at_levels}."
    return Exhibit(
        f"errors-by-severity-{tag}",
        "Error rate by severity",
        sentence,
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
        "Error rate by corruption, mean over severities",
        f"The error rate is highest under {names[worst]} ({percent(table.errors[worst].value)}) and lowest under {names[least]} "
        f"({percent(table.errors[least].value)}).",
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
        "Error rate by corruption and severity",
        "Rows are sorted by their mean. A row that is dark on the left has errors at low severity already.",
        pa.Table.from_pylist(rows),
        chart=charts.heatmap(x="severity", y="corruption", value="error"),
        slice=at,
    )


def _lost(table: CorruptionTable, worst: int, tag: str, at: Slice) -> Exhibit | None:
    """Pictures of the examined dataset that are misclassified under the worst corruption, at the lowest such severity."""
    pair = table.found.pair
    if pair.shifted.dataset.role != "exam" or not pair.shifted.dataset.has("attr.source_id"):
        return None
    ids, sources = pair.shifted.dataset.ids(), pair.shifted.dataset.table.column("attr.source_id").to_pylist()
    correct = {ids[row] for row, hit in zip(pair.source_rows, table.clean_correct, strict=True) if hit}
    rows = np.concatenate([rows for c, _, rows in table.cells if c == worst])
    lost: dict[str, tuple[str, int]] = {}
    for i in rows:
        source = str(sources[pair.rows[i]])
        if source in correct and not table.correct[i]:
            lost.setdefault(source, (ids[pair.rows[i]], int(table.found.severity[i])))
    if not lost:
        return None
    shown = [{"severity": severity, "ids": [source, id]} for source, (id, severity) in list(lost.items())[:PICTURES]]
    name = table.found.names[worst]
    return Exhibit(
        f"lost-pictures-{tag}",
        f"Pictures misclassified only under {name}",
        f"{counted(len(lost), 'picture is', 'pictures are')} correct when clean and misclassified under {name}; the "
        "lowest such severity is shown.",
        pa.Table.from_pylist(shown),
        "pictures",
        slice={**at, "corruption": name},
    )


def _errors(table: CorruptionTable, order: Sequence[int], tag: str, at: Slice) -> Exhibit | None:
    """Misclassified pictures of a companion, spread over corruptions, severities and the order of the dataset."""
    pair = table.found.pair
    dataset = pair.shifted.dataset
    if dataset.role == "exam":
        return None
    ids, labels = dataset.ids(), dataset.table.column("label").to_pylist()
    wrong = {(c, severity): rows[~table.correct[rows]] for c, severity, rows in table.cells}
    most = max(1, ERRORS // len(wrong))
    shown = [
        {
            "corruption": table.found.names[c],
            "severity": severity,
            "class": str(labels[row]),
            "id": ids[row],
            "dataset": dataset.name,
        }
        for c in order
        for severity in table.severities(c)
        for row in pair.rows[_spread(wrong[c, severity], most)]
    ]
    if not shown:
        return None
    total = sum(len(rows) for rows in wrong.values())
    return Exhibit(
        f"errors-{tag}",
        "Misclassified corrupted pictures",
        f"{counted(len(shown), 'error')} of {total:,} on corrupted pictures, the corruption with the most errors first.",
        pa.Table.from_pylist(shown),
        "pictures",
        slice=at,
    )


def _spread(rows: Indices, most: int) -> Indices:
    """At most so many of the rows, at equal distances."""
    return rows if len(rows) <= most else np.asarray(rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)])


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"error": estimate.value, "low": estimate.low, "high": estimate.high}


def _complement(estimate: Estimate) -> Estimate:
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)
