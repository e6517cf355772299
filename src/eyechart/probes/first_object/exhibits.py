"""Charts of the probe `first_object`: shares by position, the lead of the first object by length, and changed rankings."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals import FEW
from eyechart.probes.tasks.caption_recall import CaptionRetrieval, position_summary
from eyechart.probes.tasks.name_lists import NameList
from eyechart.probes.tasks.number_words import ORDINALS
from eyechart.probes.tasks.template_captions import BARE, REAL, SUM


def position_exhibit(focus: CaptionRetrieval, names: NameList) -> Exhibit:
    """The share of each position in the captions of the headline."""
    count = focus.captions.count
    rows = [(ORDINALS[k], of, f) for k in range(count) for of, f in _all_and_conditional(focus, k)]
    first, last = focus.shares[0], focus.shares[-1]
    captions = "the dataset's captions" if focus.style == REAL else "captions"
    shares = f"The first of {count} objects is nearest to {percent(first.value)} of {captions}, the last to {percent(last.value)}"
    return Exhibit(
        "positions",
        f"First-object share (TOR): {count} objects by position",
        f"{shares}: {position_summary(focus.shares, focus.lead, 'retrieved')}. {_null_result(focus)} Names: {names.title}.",
        _table(rows, ("position", "captions")),
        chart=charts.bars(
            category="position",
            value="share",
            low="low",
            high="high",
            color="captions",
            value_title="share of captions nearest to this object",
            reference=1 / count,
        ),
    )


def _null_result(retrieved: CaptionRetrieval) -> str:
    """What the chart shows where order has no effect."""
    if retrieved.style == REAL:
        return "Real captions do not have every object at every position, so the shares depend on the objects too."
    return "If order had no effect, all positions would have the same share (the line, where all are retrieved)."


def _significant(above: int, below: int, lengths: int, style: str) -> str:
    """How many caption lengths have an interval that excludes 0."""
    of = f"of the {lengths} lengths of {style} captions"
    if not above and not below:
        return f"For none {of} does its 95% interval exclude 0."
    parts = [f"above 0 for {above}" if above else "", f"below 0 for {below}" if below else ""]
    return f"Its 95% interval is {' and '.join(filter(None, parts))} {of}."


def count_exhibit(retrieved: Sequence[CaptionRetrieval]) -> list[Exhibit]:
    """The lead of the first object by the number of objects, a line for each wording."""
    rows = sorted(((r.style, r.captions.count, r.lead) for r in retrieved), key=lambda row: (row[0], row[1]))
    if len({count for _, count, _ in rows}) < 2:
        return []
    table = pa.table(
        {
            "captions": [style for style, _, _ in rows],
            "objects": [count for _, count, _ in rows],
            "lead": [f.value for _, _, f in rows],
            "low": [f.low for _, _, f in rows],
            "high": [f.high for _, _, f in rows],
            "n": [f.n for _, _, f in rows],
        }
    )
    style = BARE if any(r.style == BARE for r in retrieved) else rows[0][0]
    leads = [f for of, _, f in rows if of == style]
    above, below = sum((f.low or 0.0) > 0 for f in leads), sum((f.high or 0.0) < 0 for f in leads)
    control = " The sum of names is a control without order: its line is at 0." if any(r.style == SUM for r in retrieved) else ""
    return [
        Exhibit(
            "counts",
            "Lead of the first object by caption length",
            f"First-object share minus the mean share of the others. {_significant(above, below, len(leads), style)}{control}",
            table,
            chart=charts.line_with_band(
                x="objects",
                y="lead",
                low="low",
                high="high",
                color="captions",
                x_title="objects in the caption",
                y_title="lead of the first object",
                x_unit="count",
                zero=False,
            ),
        )
    ]


def flip_exhibit(focus: CaptionRetrieval, names: NameList, shown: int) -> list[Exhibit]:
    """Sets of objects whose nearest name changes with the order. Not for real captions, which differ in more than the order."""
    sets, top, objects = focus.captions.sets, focus.ranks.top, focus.captions.objects
    whole = top.max(axis=1) > 0.99
    nearest = np.where(whole, np.take_along_axis(objects, top.argmax(axis=1)[:, None], axis=1)[:, 0], -1)
    flips = [of for of in np.unique(sets) if len(set(nearest[sets == of]) - {-1}) > 1]
    if not flips or not shown or focus.style == REAL:
        return []
    flips.sort(key=lambda of: -len(set(nearest[sets == of]) - {-1}))
    rows = [row for of in flips for row in np.flatnonzero((sets == of) & whole)][:shown]
    table = pa.table(
        {
            "caption": [focus.captions.texts[row] for row in rows],
            "nearest": [names.names[nearest[row]] for row in rows],
            "position": [ORDINALS[int(top[row].argmax())] for row in rows],
        }
    )
    sentence = (
        f"For {len(flips)} of {len(np.unique(sets))} sets of objects, the nearest name changes with their order in the caption."
    )
    return [Exhibit("flips", "Same objects, other order, other nearest name", sentence, table, "table")]


def _all_and_conditional(retrieved: CaptionRetrieval, position: int) -> list[tuple[str, Finding]]:
    both = [("all", retrieved.shares[position]), ("all objects retrieved", retrieved.shares_conditional[position])]
    return [(of, finding) for of, finding in both if finding.n >= FEW]


def _table(rows: Sequence[tuple[str, str, Finding]], columns: tuple[str, str]) -> pa.Table:
    return pa.table(
        {
            columns[0]: [row[0] for row in rows],
            columns[1]: [row[1] for row in rows],
            "share": [f.value for _, _, f in rows],
            "low": [f.low for _, _, f in rows],
            "high": [f.high for _, _, f in rows],
            "n": [f.n for _, _, f in rows],
        }
    )
