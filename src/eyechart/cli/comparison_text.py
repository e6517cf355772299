"""A comparison as lines for the terminal: models are columns, and what cannot be separated is called inseparable."""

import json
from collections.abc import Sequence
from textwrap import wrap

from eyechart.comparison.compare import Comparison, DatasetComparison
from eyechart.comparison.pairs import ModelPair, PairedDifference
from eyechart.comparison.thresholds import ThresholdCheck
from eyechart.comparison.unpaired import UnpairedDifference
from eyechart.findings.numbers import format_estimate, format_interval, format_value, slice_text
from eyechart.notice import counted, one_line

WIDTH = 100
MOST_ROWS = 9  # of the table
MOST_MODELS = 12
MOST_CLASSES = 3
MOST_NOTES = 4


def comparison_lines(comparison: Comparison) -> list[str]:
    """About 25 lines: accuracies and headline metrics by model, then what differs in the leading dataset."""
    leading = comparison.datasets[0]
    if len(comparison.models) == 2:
        second = comparison.models[1]
        lines = [
            *_pair_lines(leading, leading.pairs[0]),
            *_unpaired_lines("probes", "headline metric", comparison.probes[second]),
            *_unpaired_lines("groups", "group", comparison.groups[second]),
        ]
    else:
        lines = _ranking_lines(comparison, leading)
    notes = [f"note: {notice}" for notice in comparison.notices]
    more = [f"note: {len(notes) - MOST_NOTES} more; --json has all"] if len(notes) > MOST_NOTES else []
    wrapped = [part for line in [*lines, *notes[:MOST_NOTES], *more] for part in _wrapped(one_line(line))]
    return [*_table(comparison), "", *wrapped]


def _wrapped(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _table(comparison: Comparison) -> list[str]:
    """Top-1 accuracy on every dataset, then headline metrics; with the difference where there are two models."""
    two = len(comparison.models) == 2
    rows = [["", *comparison.models, *(["difference (95%)"] if two else [])]]
    for d in comparison.datasets:
        values = [format_value(a.value, "fraction") for a in d.accuracies]
        if two:
            rows.append([_accuracy_title(d), *values, _points(d.pairs[0].top1)])
        else:
            rows.append([_accuracy_title(d), *(f"{v} {c}" for v, c in zip(values, d.letters, strict=True))])
    by_place = [{_place(u): u for u in comparison.probes[model]} for model in comparison.models[1:]]
    for place in [place for place in by_place[0] if all(place in of for of in by_place)]:
        same = [of[place] for of in by_place]
        unit = same[0].metric.shown_unit
        values = [format_value(e.value, unit) for e in (same[0].first, *(u.second for u in same))]
        title = _row_title(same[0], several=len({u.dataset for of in by_place for u in of.values()}) > 1)
        rows.append([title, *values, *([f"{_difference_text(same[0])} *"] if two else [])])
    shown, left = rows[: MOST_ROWS + 1], len(rows) - MOST_ROWS - 1
    notes = [f"… {counted(left, 'more row')} in --json"] if left > 0 else []
    notes += (
        ["* unpaired: wider than need be, since both models saw the same pictures"] if any("*" in r[-1] for r in shown) else []
    )
    return [*(one_line(line) for line in _aligned(shown)), *notes]


def _place(u: UnpairedDifference) -> tuple[str, str, str, str]:
    return u.dataset, u.probe, u.metric.name, u.slice


def _accuracy_title(d: DatasetComparison) -> str:
    shared = d.prompts[:1] if len(set(d.prompts)) == 1 and d.prompts[0] is not None else ()
    return ", ".join([f"top-1, {d.dataset}", f"n = {d.n:,}", *(str(p) for p in shared)])


def _pair_lines(d: DatasetComparison, pair: ModelPair) -> list[str]:
    lines = [f"{d.dataset}: {_verdict(pair)}"]
    flips = pair.flips
    share = format_estimate(*flips.share, "fraction")
    lines.append(
        f"changed predictions: {flips.count:,} of {flips.n:,}, {share}: {pair.top1.gained:,} gained, {pair.top1.lost:,} lost, "
        f"{flips.both_wrong:,} wrong both times"
    )
    if flips.classes:
        most = ", ".join(f"{a} → {b} ({n:,})" for a, b, n in flips.classes[:MOST_CLASSES])
        lines.append(f"most frequent changes: {most}")
    return [*lines, *_class_lines(pair), *(f"threshold: {_threshold(check, pair)}" for check in pair.thresholds)]


def _verdict(pair: ModelPair) -> str:
    top1 = pair.top1
    if pair.flips.count == 0:
        return f"inseparable: {pair.second} and {pair.first} predict the same class for all {pair.flips.n:,} pictures"
    p = f"exact McNemar p {_p(top1.p)}"
    if not top1.separable:
        return f"inseparable: the difference of {_points(top1)} may be chance ({p})"
    return f"{pair.second} is {'better' if top1.value > 0 else 'worse'} than {pair.first}: {_points(top1)}, {p}"


def _class_lines(pair: ModelPair) -> list[str]:
    different = [(name, d) for name, d in pair.classes.items() if d.separable]
    tested = f"of {counted(len(pair.classes), 'class', 'classes')}, {len(different)} differ (Benjamini–Hochberg, 5%)"
    if not different:
        return [f"classes: {tested}"]
    different.sort(key=lambda item: item[1].value)
    named = [f"{name} {_points(d)}" for name, d in different[:MOST_CLASSES]]
    return [f"classes: {tested}: {'; '.join(named)}" + ("; …" if len(different) > MOST_CLASSES else "")]


def _threshold(check: ThresholdCheck, pair: ModelPair) -> str:
    if check.threshold is None or check.first is None or check.coverage is None:
        return f"no confidence gives {pair.first} a precision of 95%"
    second = "accepts no picture" if check.second is None else format_estimate(*check.second, "fraction")
    if check.kind == "precision":
        covered = " and ".join(format_value(share, "fraction") for share in check.coverage)
        rule = f"confidence ≥ {check.threshold:.3g} (95% precision of {pair.first})"
        return f"{check.outcome}: {rule} gives {pair.second} {second}; accepted: {covered}"
    rule = f"OOD score ≥ {check.threshold:.4g} (accepts 95% with {pair.first})"
    return f"{check.outcome}: {rule} accepts {second} with {pair.second}"


def _unpaired_lines(title: str, what: str, differences: Sequence[UnpairedDifference]) -> list[str]:
    """Which of these differ; nothing where there are none."""
    if not differences:
        return []
    different = [d for d in differences if d.separable]
    named = [f"{_name(d)} {_difference_text(d)}" for d in different[:MOST_CLASSES]]
    listed = f": {'; '.join(named)}{'; …' if len(different) > MOST_CLASSES else ''}" if named else ""
    return [f"{title}: of {counted(len(differences), what)}, {len(different)} differ (unpaired, Benjamini–Hochberg, 5%){listed}"]


def _row_title(d: UnpairedDifference, *, several: bool) -> str:
    """A short title that no other row has: with its slice, and with its dataset where there are several."""
    where = {key: value for key, value in json.loads(d.slice).items() if key != "prompts"}
    about = [slice_text(json.dumps(where))] if where else []
    about += [d.dataset] if several else []
    return (d.metric.short or d.metric.title) + (f" ({', '.join(about)})" if about else "")


def _name(d: UnpairedDifference) -> str:
    where = {key: value for key, value in json.loads(d.slice).items() if key != "prompts"}
    return f"{d.metric.title} on {d.dataset}" + (f" ({slice_text(json.dumps(where))})" if where else "")


def _ranking_lines(comparison: Comparison, d: DatasetComparison) -> list[str]:
    """The models by accuracy with their letters, and which of them are inseparable at the top."""
    order = sorted(range(len(comparison.models)), key=lambda i: -d.accuracies[i].value)
    lines = [f"{d.dataset}: models that share a letter are inseparable (exact McNemar, Holm over {len(d.pairs)} pairs)"]
    rows = [[d.letters[i], comparison.models[i], format_estimate(*d.accuracies[i], "fraction")] for i in order[:MOST_MODELS]]
    lines += _aligned(rows, least=1)
    best = [comparison.models[i] for i in order if "a" in d.letters[i]]
    lines.append(f"inseparable at the top: {', '.join(best)}" if len(best) > 1 else f"{best[0]} is the best")
    return lines


def _points(d: PairedDifference) -> str:
    return f"{_signed(d.value, 'points')} ({format_interval(d.low, d.high, 'points')})"


def _difference_text(d: UnpairedDifference) -> str:
    unit = "points" if d.metric.unit == "fraction" else d.metric.shown_unit
    return f"{_signed(d.value, unit)} ({format_interval(d.low, d.high, unit)})"


def _signed(value: float, unit: str) -> str:
    text = format_value(value, unit)
    return f"+{text}" if value > 0 and any(digit in text for digit in "123456789") else text


def _p(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"


def _aligned(rows: Sequence[Sequence[str]], least: int = 20) -> list[str]:
    """Columns as wide as their longest cell; the first one gives way where the line would be too long."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    room = WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(room, least))
    return ["  ".join(_fitted(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _fitted(cell: str, width: int) -> str:
    return (cell if len(cell) <= width else cell[: width - 1] + "…").ljust(width)
