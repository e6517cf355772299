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

LINES = 6  # corruptions that can all have a line by severity: with the mean of all, as many as there are colors
WORST = 3  # of more corruptions, the worst ones have a line; with more lines, bands would cover each other
PICTURES = 12
ERRORS = 400  # pictures of a companion
_GOLDEN = (5**0.5 - 1) / 2  # multiples of it, modulo 1, are spread evenly however many there are

CLEAN, MEAN = "clean pictures", "mean of all"

Slice = dict[str, str]


def corruption_exhibits(table: CorruptionTable, titles: Sequence[str], at: Slice) -> list[Exhibit]:
    """All exhibits of one table.

    Args:
        table: The predictions.
        titles: The titles of the classes.
        at: The slice of the table.
    """
    order = sorted(range(len(table.found.names)), key=lambda c: -table.errors[c].value)
    tag = "-".join(str(value) for value in at.values())
    levels = sorted({severity for _, severity, _ in table.cells})
    if len(levels) == 1:  # a line through one severity would say nothing about others
        exhibits = [_at_one_severity(table, order, levels[0], tag, at)]
    else:
        exhibits = [_by_severity(table, order, levels, tag, at), _by_corruption(table, order, tag, at)]
    if len(table.cells) > len(order):
        exhibits.append(_cells(table, order, tag, at))
    pictures = (_lost(table, order[0], tag, at), _errors(table, order, titles, tag, at))
    return [*exhibits, *(exhibit for exhibit in pictures if exhibit)]


def _at_one_severity(table: CorruptionTable, order: Sequence[int], severity: int, tag: str, at: Slice) -> Exhibit:
    """Clean pictures, the mean over corruptions, and every corruption, each with its interval."""
    clean = [] if table.clean is None else [{"corruption": CLEAN, **_estimate(_complement(table.clean.estimate))}]
    mean = [{"corruption": MEAN, **_estimate(table.mean_at(severity))}] if len(order) > 1 else []
    rows = [{"corruption": table.found.names[c], **_estimate(table.errors[c].estimate)} for c in order]
    return Exhibit(
        f"errors-by-corruption-{tag}",
        f"Error rate by corruption at severity {severity}",
        _extremes(table, order),
        pa.Table.from_pylist([*clean, *mean, *rows]),
        chart=charts.dots_with_intervals(category="corruption", value="error", low="low", high="high", zero=True),
        slice=at,
    )


def _by_severity(table: CorruptionTable, order: Sequence[int], levels: Sequence[int], tag: str, at: Slice) -> Exhibit:
    drawn = order if len(order) <= LINES else order[:WORST]
    clean = None if table.clean is None else _complement(table.clean.estimate)
    lines = {table.found.names[c]: [(s, table.error(c, s).estimate) for s in table.severities(c)] for c in drawn}
    if len(order) > 1:
        lines = {MEAN: [(s, table.mean_at(s)) for s in levels], **lines}
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
    if len(drawn) < len(order):
        sentence += f" Lines are drawn for the {len(drawn)} worst of {len(order)} corruptions; the next chart has all."
    low, high = ("low", "high") if len(drawn) <= WORST else (None, None)
    return Exhibit(
        f"errors-by-severity-{tag}",
        "Error rate by severity",
        sentence,
        pa.Table.from_pylist(rows),
        chart=charts.line_with_band(x="severity", y="error", low=low, high=high, color="corruption", x_unit="count"),
        slice=at,
    )


def _by_corruption(table: CorruptionTable, order: Sequence[int], tag: str, at: Slice) -> Exhibit:
    rows = [{"corruption": table.found.names[c], **_estimate(table.errors[c].estimate)} for c in order]
    return Exhibit(
        f"errors-by-corruption-{tag}",
        "Error rate by corruption, mean over severities",
        _extremes(table, order),
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="corruption", value="error", low="low", high="high", zero=True),
        slice=at,
    )


def _extremes(table: CorruptionTable, order: Sequence[int]) -> str:
    worst, least = order[0], order[-1]
    names = table.found.names
    if worst == least:
        return f"The error rate under {names[worst]} is {percent(table.errors[worst].value)}."
    return (
        f"The error rate is highest under {names[worst]} ({percent(table.errors[worst].value)}) and lowest under {names[least]} "
        f"({percent(table.errors[least].value)})."
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


def _errors(table: CorruptionTable, order: Sequence[int], titles: Sequence[str], tag: str, at: Slice) -> Exhibit | None:
    """Misclassified pictures of a companion, in turn from every corruption and severity, and spread over the dataset."""
    pair = table.found.pair
    dataset = pair.shifted.dataset
    if dataset.role == "exam":
        return None
    wrong = {(c, severity): rows[~table.correct[rows]] for c, severity, rows in table.cells}
    most = max(1, ERRORS // len(wrong))
    places = [(c, s) for c in order for s in table.severities(c)]
    cells = [(*cell, _from_all_parts(_spread(wrong[cell], most), turn / len(places))) for turn, cell in enumerate(places)]
    turns = [(c, s, int(rows[turn])) for turn in range(most) for c, s, rows in cells if turn < len(rows)]
    if not turns:
        return None
    ids, true = dataset.ids(), pair.accepted.argmax(axis=1)[pair.kind]
    shown = [
        {
            "true": titles[true[row]],
            "predicted": titles[table.predicted[row]] if table.predicted[row] >= 0 else "no class of the list",
            "corruption": table.found.names[c],
            "severity": severity,
            "id": ids[pair.rows[row]],
            "dataset": dataset.name,
        }
        for c, severity, row in turns
    ]
    total = sum(len(rows) for rows in wrong.values())
    some = "" if len(shown) == total else f"; {len(shown):,} of them are here"
    return Exhibit(
        f"errors-{tag}",
        "Misclassified corrupted pictures",
        f"{total:,} of {counted(len(pair.rows), 'corrupted picture is', 'corrupted pictures are')} misclassified{some}. "
        "Corruptions take turns, the one with the most errors first.",
        pa.Table.from_pylist(shown),
        "pictures",
        slice=at,
    )


def _from_all_parts(rows: Indices, start: float) -> Indices:
    """The same rows in an order whose beginning already has rows of all parts: datasets are often sorted by class.

    Args:
        rows: The rows.
        start: Between 0 and 1: another one begins with other rows, so that corruptions show different pictures.
    """
    places = np.arange(len(rows))
    return np.asarray(rows[np.argsort((places * _GOLDEN + start) % 1, kind="stable")])


def _spread(rows: Indices, most: int) -> Indices:
    """At most so many of the rows, at equal distances."""
    return rows if len(rows) <= most else np.asarray(rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)])


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"error": estimate.value, "low": estimate.low, "high": estimate.high}


def _complement(estimate: Estimate) -> Estimate:
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)
