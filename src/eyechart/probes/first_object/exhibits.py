"""What first_object has to show: shares by position, the first name's lead as captions grow, and captions that flip."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import FEW
from eyechart.notice import counted
from eyechart.probes.tasks.caption_recall import ORDINALS, Heard, standing
from eyechart.probes.tasks.name_lists import NameList
from eyechart.probes.tasks.template_captions import BARE, REAL, SUM


def position_exhibit(focus: Heard, names: NameList) -> Exhibit:
    count = focus.captions.count
    rows = [(ORDINALS[k], of, f) for k in range(count) for of, f in _both(focus, k)]
    first, last = focus.shares[0], focus.shares[-1]
    told = (
        f"The first of {count} names is the nearest to {first.value:.0%} of {_captions(focus)} and the last to {last.value:.0%}"
    )
    return Exhibit(
        "positions",
        f"Which of {count} names is heard best",
        f"{told}: {standing(focus.shares, focus.lead, 'heard')}. {_without_order(focus)} Names: {names.title}.",
        _table(rows, ("position", "of")),
        chart=charts.bars(
            category="position",
            value="object_share",
            low="low",
            high="high",
            color="of",
            value_title="share of captions that it is nearest to",
            reference=1 / count,
        ),
    )


def _captions(heard: Heard) -> str:
    return "the dataset's own captions" if heard.style == REAL else "captions"


def _without_order(heard: Heard) -> str:
    if heard.style == REAL:
        return "These captions do not say the same names in every order, so a name that is strong anyway may favour a position."
    return "Without an effect of order every position would have the same share (among kept captions the line)."


def count_exhibit(heard: Sequence[Heard]) -> list[Exhibit]:
    """The first name's lead over the others against the number of names, a line for each wording."""
    rows = sorted(((h.style, h.captions.count, h.lead) for h in heard), key=lambda row: (row[0], row[1]))
    if len({count for _, count, _ in rows}) < 2:
        return []
    table = pa.table(
        {
            "captions": [style for style, _, _ in rows],
            "names": [count for _, count, _ in rows],
            "lead": [f.value for _, _, f in rows],
            "low": [f.low for _, _, f in rows],
            "high": [f.high for _, _, f in rows],
            "n": [f.n for _, _, f in rows],
        }
    )
    style = BARE if any(h.style == BARE for h in heard) else rows[0][0]
    leads = [f for of, _, f in rows if of == style]
    above, below = sum((f.low or 0.0) > 0 for f in leads), sum((f.high or 0.0) < 0 for f in leads)
    control = " The sum of names has no order, so its line lies at 0." if any(h.style == SUM for h in heard) else ""
    return [
        Exhibit(
            "counts",
            "The lead of the first name as captions grow",
            f"The share of the first name less the mean share of the others: of {counted(len(leads), 'length')} of {style} "
            f"captions surely above 0 for {above} and surely below for {below}.{control}",
            table,
            chart=charts.line_with_band(
                x="names",
                y="lead",
                low="low",
                high="high",
                color="captions",
                x_title="names in the caption",
                y_title="lead of the first",
                x_unit="count",
                zero=False,
            ),
        )
    ]


def flip_exhibit(focus: Heard, names: NameList, shown: int) -> list[Exhibit]:
    """Sets of names of which another one is heard whenever another one comes first. A dataset's own captions make no such sets:
    they differ in more than their order."""
    sets, top, objects = focus.captions.sets, focus.ranks.top, focus.captions.objects
    whole = top.max(axis=1) > 0.99
    heard = np.where(whole, np.take_along_axis(objects, top.argmax(axis=1)[:, None], axis=1)[:, 0], -1)
    flips = [of for of in np.unique(sets) if len(set(heard[sets == of]) - {-1}) > 1]
    if not flips or not shown or focus.style == REAL:
        return []
    flips.sort(key=lambda of: -len(set(heard[sets == of]) - {-1}))
    rows = [row for of in flips for row in np.flatnonzero((sets == of) & whole)][:shown]
    table = pa.table(
        {
            "caption": [focus.captions.said[row] for row in rows],
            "heard": [names.names[heard[row]] for row in rows],
            "position": [ORDINALS[int(top[row].argmax())] for row in rows],
        }
    )
    seen = f"{len(flips)} of {len(np.unique(sets))} sets of names sound like another of their names when said in another order."
    return [Exhibit("flips", "The same names, another order, another answer", seen, table, "table")]


def _both(heard: Heard, position: int) -> list[tuple[str, Finding]]:
    both = [("all captions", heard.shares[position]), ("kept captions", heard.shares_kept[position])]
    return [(of, finding) for of, finding in both if finding.n >= FEW]


def _table(rows: Sequence[tuple[str, str, Finding]], columns: tuple[str, str]) -> pa.Table:
    return pa.table(
        {
            columns[0]: [row[0] for row in rows],
            columns[1]: [row[1] for row in rows],
            "object_share": [f.value for _, _, f in rows],
            "low": [f.low for _, _, f in rows],
            "high": [f.high for _, _, f in rows],
            "captions": [f.n for _, _, f in rows],
        }
    )
