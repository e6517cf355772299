"""A comparison as lines for the terminal: the decision, then a table with models as columns, then what differs.

What cannot be separated is called inseparable. An arrow says which direction of a number is better.
"""

import json
from collections.abc import Sequence
from textwrap import wrap

from eyechart.comparison.compare import Comparison, DatasetComparison
from eyechart.comparison.decision import decision, outcome, points, signed
from eyechart.comparison.metric_differences import MetricDifference
from eyechart.comparison.pairs import ModelPair
from eyechart.comparison.thresholds import ThresholdCheck
from eyechart.findings.numbers import format_estimate, format_interval, format_value, slice_text
from eyechart.notice import counted, one_line

WIDTH = 100
MOST_ROWS = 9  # of the table
MOST_MODELS = 12
MOST_CLASSES = 3
MOST_NOTES = 4
MOST_DECISIONS = 3  # of datasets
ARROWS = {True: "↑ ", False: "↓ ", None: "  "}
WORDS = {"inseparable": "–"}  # of the last column


def comparison_lines(comparison: Comparison) -> list[str]:
    """About 25 lines: the decision, accuracies and headline metrics by model, then what differs in the leading dataset."""
    leading = comparison.datasets[0]
    if len(comparison.models) == 2:
        second = comparison.models[1]
        lines = [
            *_pair_lines(leading, leading.pairs[0]),
            *_metric_lines("probes", "headline metric", comparison.probes[second]),
            *_metric_lines("groups", "group", comparison.groups[second]),
        ]
    else:
        lines = _ranking_lines(comparison, leading)
    notes = [f"note: {notice}" for notice in comparison.notices]
    more = [f"note: {len(notes) - MOST_NOTES} more; --json has all"] if len(notes) > MOST_NOTES else []
    wrapped = [part for line in [*lines, *notes[:MOST_NOTES], *more] for part in _wrapped(one_line(line))]
    decisions = [part for line in _decisions(comparison) for part in _wrapped(one_line(line))]
    return [*decisions, "", *_table(comparison), "", *wrapped]


def _decisions(comparison: Comparison) -> list[str]:
    """A sentence for each of the first datasets."""
    shown = comparison.datasets[:MOST_DECISIONS]
    left = len(comparison.datasets) - len(shown)
    lines = [decision(comparison.models, d) for d in shown]
    return [*lines, *([f"… {counted(left, 'more dataset')} in the table"] if left else [])]


def _wrapped(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _table(comparison: Comparison) -> list[str]:
    """Top-1 accuracy on every dataset, then headline metrics; with the difference where there are two models."""
    two = len(comparison.models) == 2
    rows = [["", *comparison.models, *(["difference (95%)", "second"] if two else [])]]
    for d in comparison.datasets:
        values = [format_value(a.value, "fraction") for a in d.accuracies]
        if two:
            top1 = d.pairs[0].top1
            word = outcome(separable=top1.separable, better=top1.value > 0)
            rows.append([_accuracy_title(d, comparison.datasets), *values, points(top1), WORDS.get(word, word)])
        else:
            rows.append([_accuracy_title(d, comparison.datasets), *(f"{v} {c}" for v, c in zip(values, d.letters, strict=True))])
    by_place = [{_place(u): u for u in comparison.probes[model]} for model in comparison.models[1:]]
    for place in [place for place in by_place[0] if all(place in of for of in by_place)]:
        same = [of[place] for of in by_place]
        unit = same[0].metric.shown_unit
        values = [format_value(e.value, unit) for e in (same[0].first, *(u.second for u in same))]
        title = _row_title(same[0], several=len({u.dataset for of in by_place for u in of.values()}) > 1)
        mine = same[0]
        word = outcome(separable=mine.separable, better=mine.better)
        rows.append(
            [title, *values, *([_difference_text(mine) + ("" if mine.paired else " *"), WORDS.get(word, word)] if two else [])]
        )
    shown, left = rows[: MOST_ROWS + 1], len(rows) - MOST_ROWS - 1
    notes = [f"… {counted(left, 'more row')} in --json"] if left > 0 else []
    second = "; second: what the second model is, – for inseparable" if two else ""
    notes.append(f"↑ higher is better, ↓ lower is better{second}")
    if two and any(row[-2].endswith("*") for row in shown):
        notes.append("* unpaired: wider than need be, since both models saw the same pictures")
    return [*(one_line(line) for line in _aligned(shown)), *notes]


def _place(u: MetricDifference) -> tuple[str, str, str, str]:
    return u.dataset, u.probe, u.metric.name, u.slice


def _accuracy_title(d: DatasetComparison, every: Sequence[DatasetComparison]) -> str:
    """With the prompts where a dataset was compared under several."""
    several = sum(other.dataset == d.dataset for other in every) > 1
    prompts = ", ".join(dict.fromkeys(name for name in d.prompts if name is not None))
    return f"{ARROWS[True]}top-1, {d.dataset}" + (f" ({prompts})" if several and prompts else "")


def _pair_lines(d: DatasetComparison, pair: ModelPair) -> list[str]:
    flips = pair.flips
    share = format_estimate(*flips.share, "fraction")
    changes = f"{pair.top1.gained:,} gained, {pair.top1.lost:,} lost, {flips.both_wrong:,} wrong both times"
    lines = [f"changed predictions on {d.dataset}: {flips.count:,} of {flips.n:,}, {share}: {changes}"]
    if flips.classes:
        most = ", ".join(f"{a} → {b} ({n:,})" for a, b, n in flips.classes[:MOST_CLASSES])
        lines.append(f"most frequent changes: {most}")
    return [*lines, *_class_lines(pair), *(f"threshold: {_threshold(check, pair)}" for check in pair.thresholds)]


def _class_lines(pair: ModelPair) -> list[str]:
    different = [(name, d) for name, d in pair.classes.items() if d.separable]
    tested = f"of {counted(len(pair.classes), 'class', 'classes')}, {_differ(len(different))} (Benjamini–Hochberg, 5%)"
    if not different:
        return [f"classes: {tested}"]
    different.sort(key=lambda item: item[1].value)
    named = [f"{name} {points(d)}" for name, d in different[:MOST_CLASSES]]
    return [f"classes: {tested}: {'; '.join(named)}" + ("; …" if len(different) > MOST_CLASSES else "")]


def _threshold(check: ThresholdCheck, pair: ModelPair) -> str:
    if check.threshold is None or check.first is None or check.coverage is None:
        return f"no confidence gives {pair.first} a precision of 95%"
    second = "no precision" if check.second is None else format_estimate(*check.second, "fraction")
    if check.kind == "precision":
        covered = " and ".join(format_value(share, "fraction") for share in check.coverage)
        rule = f"confidence ≥ {check.threshold:.3g} (95% precision of {pair.first})"
        none = ", since it accepts no picture" if check.second is None else ""
        return f"{check.outcome}: {rule} gives {pair.second} {second}{none}; accepted: {covered}"
    rule = f"OOD score ≥ {check.threshold:.4g} (accepts 95% with {pair.first})"
    return f"{check.outcome}: {rule} accepts {second} with {pair.second}"


def _metric_lines(title: str, what: str, differences: Sequence[MetricDifference]) -> list[str]:
    """Which of these differ; nothing where there are none."""
    if not differences:
        return []
    different = [d for d in differences if d.separable]
    named = [f"{_name(d)} {_difference_text(d)}" for d in different[:MOST_CLASSES]]
    listed = f": {'; '.join(named)}{'; …' if len(different) > MOST_CLASSES else ''}" if named else ""
    return [f"{title}: of {counted(len(differences), what)}, {_differ(len(different))} (Benjamini–Hochberg, 5%){listed}"]


def _differ(count: int) -> str:
    return f"{count} {'differs' if count == 1 else 'differ'}"


def _row_title(d: MetricDifference, *, several: bool) -> str:
    """A short title that no other row has: with its slice, and with its dataset where there are several."""
    where = {key: value for key, value in json.loads(d.slice).items() if key != "prompts"}
    about = [slice_text(json.dumps(where))] if where else []
    about += [d.dataset] if several else []
    title = (d.metric.short or d.metric.title) + (f" ({', '.join(about)})" if about else "")
    return ARROWS[d.metric.higher_is_better] + title


def _name(d: MetricDifference) -> str:
    where = {key: value for key, value in json.loads(d.slice).items() if key != "prompts"}
    return f"{d.metric.title} on {d.dataset}" + (f" ({slice_text(json.dumps(where))})" if where else "")


def _ranking_lines(comparison: Comparison, d: DatasetComparison) -> list[str]:
    """The models by accuracy with their letters."""
    order = sorted(range(len(comparison.models)), key=lambda i: -d.accuracies[i].value)
    lines = [f"{d.dataset}: models that share a letter are inseparable (exact McNemar, Holm over {len(d.pairs)} pairs)"]
    rows = [[d.letters[i], comparison.models[i], format_estimate(*d.accuracies[i], "fraction")] for i in order[:MOST_MODELS]]
    return [*lines, *_aligned(rows, least=1)]


def _difference_text(d: MetricDifference) -> str:
    unit = "points" if d.metric.unit == "fraction" else d.metric.shown_unit
    return f"{signed(d.value, unit)} ({format_interval(d.low, d.high, unit)})"


def _aligned(rows: Sequence[Sequence[str]], least: int = 20) -> list[str]:
    """Columns as wide as their longest cell; where the line would be too long, the first one is wrapped."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    room = WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(room, least))
    lines = []
    for first, *others in rows:
        parts = wrap(first, widths[0], subsequent_indent=" " * min(4, widths[0] - 1), break_on_hyphens=False) or [""]
        cells = [parts[0], *others]
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
        lines += parts[1:]
    return lines
