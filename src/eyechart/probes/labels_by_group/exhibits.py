"""Charts of the probe `labels_by_group`: the most skewed labels, and how they depend on the threshold."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles, Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import level_text, percent
from eyechart.notice import counted

READABLE = 30


def most_skewed_exhibit(findings: Sequence[Finding], threshold: float, shown: int, level: float) -> list[Exhibit]:
    """For every attribute and group, the over-assigned labels with the smallest adjusted p, sorted by their rate."""
    of_threshold = [f for f in findings if f.slice.get("threshold") == threshold and "label" in f.slice]
    p = {_key(f): f.value or 0.0 for f in of_threshold if f.metric == "label_p_value_adjusted"}
    share = {_key(f): f for f in of_threshold if f.metric == "label_rate"}
    gaps = [f for f in of_threshold if f.metric == "label_rate_difference" and (f.value or 0.0) > 0]
    exhibits = []
    for attribute in dict.fromkeys(_attribute(f) for f in gaps):
        groups = {str(f.slice[attribute]): f.slice[attribute] for f in share.values() if _attribute(f) == attribute}
        rows: list[dict[str, object]] = []
        for group in sorted(groups):
            mine = [f for f in gaps if _attribute(f) == attribute and str(f.slice[attribute]) == group]
            worst = sorted(mine, key=lambda f: (p[_key(f)], -(f.value or 0.0)))[:shown]
            for gap in sorted(worst, key=lambda f: -(share[_key(f)].value or 0.0)):
                rows += _beside(gap, share, attribute, groups, p[_key(gap)])
        if not rows:
            continue
        significant = sum(float(str(row["p"])) < level for row in rows[::2])
        sentence = (
            f"Labels that are assigned to one {attribute} more often than to all others, at a threshold of "
            f"{level_text(threshold)};"
            f" {significant} of these {len(rows) // 2} differ at a false discovery rate of {level_text(level)}."
        )
        chart = charts.bars(
            category="label",
            value="label rate",
            color="group",
            low="low",
            high="high",
            category_title="",
            value_title="share of the group's pictures",
        )
        exhibits.append(
            Exhibit(f"labels-{attribute}", f"Label rates by {attribute}", sentence, pa.Table.from_pylist(rows), chart=chart)
        )
    return exhibits


def _beside(
    gap: Finding, share: Mapping[str, Finding], attribute: str, groups: Mapping[str, object], p: float
) -> Iterator[dict[str, object]]:
    """Two bars: the label rate of the group and of all others. With more than two groups, the group's name is in the label."""
    group, own = str(gap.slice[attribute]), share[_key(gap)]
    two = len(groups) == 2
    label = str(gap.slice["label"]) if two else f"{gap.slice['label']} ({group})"
    name = group if two else "the group"
    yield {"label": label, "group": name, "label rate": own.value, "low": own.low, "high": own.high, "p": p}
    rest = next((g for g in groups if g != group), group) if two else "all others"
    other = share.get(_key(replace(gap, slice={**gap.slice, attribute: groups.get(rest)})))
    rate = (own.value or 0.0) - (gap.value or 0.0)
    yield {"label": label, "group": rest, "label rate": rate, "low": other and other.low, "high": other and other.high, "p": p}


def _attribute(finding: Finding) -> str:
    return next(key for key in finding.slice if key not in ("label", "threshold", "prompts"))


def _key(finding: Finding) -> str:
    return json.dumps(finding.slice, sort_keys=True, default=str)


def threshold_exhibit(thresholds: Sequence[float], swept: Sequence[Doubles]) -> Exhibit:
    """The share of skewed labels at each threshold. `swept`: the differences [groups, labels], 0 where not significant."""
    shares = [float((gaps != 0).any(axis=0).mean()) for gaps in swept]
    table = pa.table({"threshold": list(thresholds), "skewed": shares})
    pairs = list(zip(thresholds, shares, strict=True))
    (low, least), (high, most) = min(pairs, key=lambda s: s[1]), max(pairs, key=lambda s: s[1])
    sentence = (
        f"{percent(most)} of the labels differ between groups at a threshold of {level_text(high)} and "
        f"{percent(least)} at {level_text(low)}:"
        " the result depends on the threshold."
        if most > least
        else f"{percent(most)} of the labels differ between groups at every threshold."
    )
    chart = charts.line_with_band(
        x="threshold",
        y="skewed",
        x_title="threshold (probability from which a label is assigned)",
        y_title="labels that differ between groups",
        x_unit="fraction",
        log=True,
    )
    return Exhibit("thresholds", "Skewed labels by threshold", sentence, table, chart=chart)


def which_exhibit(
    thresholds: Sequence[float], swept: Sequence[Doubles], words: Sequence[str], groups: Sequence[str]
) -> list[Exhibit]:
    """Which labels are over-assigned to which group at which threshold; `swept` as above. None where there are none."""
    gaps = np.clip(np.stack(swept), 0.0, None)  # [thresholds, groups, labels]
    times = (gaps > 0).sum(axis=0)
    pairs = [(int(g), int(w)) for g, w in np.argwhere(times > 0)]
    if not pairs:
        return []
    most = sorted(pairs, key=lambda at: (-times[at], -gaps[(slice(None), *at)].max()))[:READABLE]
    shown = sorted(most, key=lambda at: (at[0], int((gaps[(slice(None), *at)] > 0).argmax()), -int(times[at])))
    table = pa.Table.from_pylist(
        [
            {"label": f"{words[w]} ({groups[g]})", "threshold": level_text(t), "difference": float(gaps[i, g, w])}
            for g, w in shown
            for i, t in enumerate(thresholds)
        ]
    )
    always = sum(times[at] == len(thresholds) for at in pairs)
    sentence = (
        f"{counted(len(pairs), 'pair')} of a label and a group {'differs' if len(pairs) == 1 else 'differ'} at some "
        f"threshold and {always} at all {len(thresholds)}. Darker cells"
        " are larger differences from all others; cells without a significant difference are 0."
    )
    chart = charts.heatmap(
        x="threshold", y="label", value="difference", x_title="threshold (probability from which a label is assigned)", y_title=""
    )
    return [Exhibit("which-labels", "Skewed labels at each threshold", sentence, table, chart=chart)]


def one_group_exhibit(words: Sequence[str], by_group: Sequence[tuple[str, Indices]], threshold: float) -> list[Exhibit]:
    """The labels that only one group gets."""
    alone = [(who, found) for who, found in by_group if len(found)]
    if not alone:
        return []
    most, found = max(alone, key=lambda pair: len(pair[1]))
    rows = [{"group": who, "labels": ", ".join(words[int(i)] for i in of), "count": len(of)} for who, of in alone]
    sentence = (
        f"{counted(len(found), 'label')} {'appears' if len(found) == 1 else 'appear'} only for {most}, at a threshold of "
        f"{percent(threshold)}. With few pictures in a group, a label may miss it by chance."
    )
    return [Exhibit("one-group-labels", "Labels that only one group gets", sentence, pa.Table.from_pylist(rows), "table")]
