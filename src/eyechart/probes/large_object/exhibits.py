"""What large_object has to show: shares by size and by place, both crossed, dose and response, and scenes where a small thing
won."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.large_object.shares import Looked
from eyechart.probes.large_object.size_doses import Dose
from eyechart.probes.large_object.targets import PICTURES

_ORDINALS = ("first", "second", "third")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_AMONG = {"pictures": "pictures of single things", "names": "names"}


def in_words(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def ordinal(rank: int) -> str:
    return _ORDINALS[rank - 1] if rank <= len(_ORDINALS) else f"{rank}th"


def size_exhibit(findings: Sequence[Finding], metric: str, objects: int) -> Exhibit:
    """`metric`: "nearest_kept" or, where too few scenes are kept, "nearest"."""
    shown = _slots(findings, metric, objects, "size_rank")
    first, last = _value(shown, "size_rank", 1), _value(shown, "size_rank", objects)
    sentence = (
        f"{_which(metric, objects)}, the nearest of all {_AMONG[str(shown[0].slice['against'])]} is the largest thing's in "
        f"{first:.1%} and the smallest's in {last:.1%}{_blind(metric, objects, 'size')}."
    )
    titles = {k: "largest" if k == 1 else "smallest" if k == objects else f"{ordinal(k)} largest" for k in range(1, objects + 1)}
    return _bars("by-size", f"Which of {in_words(objects)} things is seen first: by size", sentence, shown, "size_rank", titles)


def place_exhibit(findings: Sequence[Finding], metric: str, objects: int) -> Exhibit:
    shown = _slots(findings, metric, objects, "place")
    mine = [f for f in shown if f.slice["against"] == shown[0].slice["against"]]
    most = max(mine, key=lambda f: f.value or 0.0)
    sentence = (
        f"{_which(metric, objects)}, the nearest is most often the {ordinal(int(str(most.slice['place'])))} thing from the left, "
        f"in {most.value:.1%}{_blind(metric, objects, 'place')}."
    )
    titles = {k: f"{ordinal(k)} from the left" for k in range(1, objects + 1)}
    return _bars("by-place", f"Which of {in_words(objects)} things is seen first: by place", sentence, shown, "place", titles)


def crossed_exhibit(looked: Looked) -> Exhibit:
    """How often a thing of each size in each place is the nearest: a row that is dark says size, a column says place."""
    scenes, count = looked.scenes, looked.scenes.count
    rows: list[dict[str, Any]] = []
    for rank in range(count):
        place, hit = scenes.by_size[:, rank], looked.by_size.top[:, rank]
        for at in range(count):
            there = place == at
            if there.any():
                size = "largest" if rank == 0 else f"{ordinal(rank + 1)} largest"
                rows.append({"size": size, "place": f"{at + 1}", "share": float(hit[there].mean()), "n": int(there.sum())})
    largest = [row for row in rows if row["size"] == "largest"]
    low, high = min(row["share"] for row in largest), max(row["share"] for row in largest)
    sentence = (
        f"The largest of {in_words(count)} things is the nearest in {low:.0%} to {high:.0%} of scenes, by where it stands. "
        "Lines that differ speak of size, columns that differ of place."
    )
    chart = charts.heatmap(x="place", y="size", value="share", x_title="place, from the left", value_title="is nearest")
    return Exhibit("size-and-place", "Size and place, told apart", sentence, pa.Table.from_pylist(rows), chart=chart)


def dose_exhibit(found: Sequence[Dose]) -> list[Exhibit]:
    """For every number of things with three doses or more; with one such number, the other things have a line too."""
    counts = [n for n in dict.fromkeys(dose.objects for dose in found) if len([d for d in found if d.objects == n]) >= 3]
    if not counts:
        return []
    lines: list[dict[str, object]] = []
    for count in counts:
        for dose in [d for d in found if d.objects == count]:
            several = f"{in_words(count)} things: " if len(counts) > 1 else ""
            lines.append({"ratio": dose.ratio, "which": f"{several}the largest", **_numbers(dose.largest)})
            if len(counts) == 1:
                lines.append({"ratio": dose.ratio, "which": "any other", **_numbers(dose.others)})
    mine = max(([d for d in found if d.objects == count] for count in counts), key=len)
    low, high = mine[0], mine[-1]
    sentence = (
        f"Of {in_words(low.objects)} things the largest is the nearest in {low.largest.value:.0%} of scenes where it is "
        f"{low.ratio:g} times as large as the others, and in {high.largest.value:.0%} where it is {high.ratio:g} times."
    )
    chart = charts.line_with_band(
        x="ratio",
        y="share",
        low="low",
        high="high",
        color="which",
        x_title="area of the largest, over the mean of the others",
        y_title="nearest, of all scenes",
        log=True,
    )
    return [Exhibit("dose", "How large must it be?", sentence, pa.Table.from_pylist(lines), chart=chart)]


def overlooked_exhibit(looked: Looked, names: Sequence[str], ids: Sequence[str], shown: int) -> list[Exhibit]:
    """Scenes whose nearest target is a small thing's, the most unequal first."""
    scenes = looked.scenes
    won = looked.by_size.top[:, 1:].max(axis=1, initial=0.0) == 1.0
    order = [int(i) for i in np.argsort(-scenes.ratios, kind="stable") if won[i]][:shown]
    rows = []
    for i in order:
        largest, winner = (names[scenes.objects[i, place]] for place in (scenes.by_size[i, 0], looked.by_place.top[i].argmax()))
        rows.append(
            {"id": ids[scenes.rows[i]], "object_share": winner, "largest": largest, "times as large": f"{scenes.ratios[i]:.1f}"}
        )
    if not rows:
        return []
    one = rows[0]
    sentence = (
        f"In the first, the {one['largest']} is {one['times as large']} times as large as the other things, "
        f"and the {one['nearest']} is nearer."
    )
    return [Exhibit("overlooked", "Scenes in which a small thing won", sentence, pa.Table.from_pylist(rows), "pictures")]


def _slots(findings: Sequence[Finding], metric: str, objects: int, key: str) -> list[Finding]:
    """Findings by rank or place alone, those against pictures first."""
    wanted = {"against", "objects", key}
    found = [f for f in findings if f.metric == metric and set(f.slice) == wanted and f.slice["objects"] == objects]
    return sorted(found, key=lambda f: f.slice["against"] != PICTURES)


def _value(shown: Sequence[Finding], key: str, slot: int) -> float:
    return next(f.value or 0.0 for f in shown if f.slice[key] == slot)


def _which(metric: str, objects: int) -> str:
    if metric == "object_share":
        return f"Of all scenes of {in_words(objects)} things"
    return f"Of scenes whose {in_words(objects)} nearest are exactly their {in_words(objects)} things"


def _blind(metric: str, objects: int, to: str) -> str:
    return f"; a model to which {to} meant nothing would give {1 / objects:.0%}" if metric == "object_share_conditional" else ""


def _numbers(finding: Finding) -> dict[str, object]:
    return {"share": finding.value, "low": finding.low, "high": finding.high, "n": finding.n}


def _bars(name: str, title: str, sentence: str, shown: Sequence[Finding], key: str, titles: Mapping[int, str]) -> Exhibit:
    several = len({f.slice["against"] for f in shown}) > 1
    rows = [{"which": titles[int(str(f.slice[key]))], "among": _AMONG[str(f.slice["against"])], **_numbers(f)} for f in shown]
    rows.sort(key=lambda row: list(titles.values()).index(str(row["which"])))
    kept = shown[0].metric == "object_share_conditional"
    chart = charts.bars(
        category="which",
        value="share",
        low="low",
        high="high",
        color="among" if several else None,
        category_title="",
        value_title="nearest, of kept scenes" if kept else "nearest, of all scenes",
        reference=1 / len(titles) if kept else None,
    )
    return Exhibit(name, title, sentence, pa.Table.from_pylist(rows), chart=chart)
