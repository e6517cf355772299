"""Charts of the probe `large_object`: shares by size, by place and by both, by size ratio, and scenes won by a small object."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.large_object.shares import SceneRetrieval
from eyechart.probes.large_object.size_ratios import RatioBin
from eyechart.probes.large_object.targets import PICTURES
from eyechart.probes.tasks.number_words import number_word, ordinal, size_rank_label

_TARGETS = {"pictures": "single-object pictures", "names": "names"}


def size_exhibit(findings: Sequence[Finding], metric: str, objects: int) -> Exhibit:
    """The share of each size rank. `metric`: "object_share", or "object_share_conditional" where there are enough scenes."""
    shown = _slots(findings, metric, objects, "size_rank")
    first, last = _value(shown, "size_rank", 1), _value(shown, "size_rank", objects)
    sentence = (
        f"{_scenes(metric, objects)}, the nearest of all {_TARGETS[str(shown[0].slice['against'])]} is the largest object in "
        f"{percent(first)} and the smallest in {percent(last)}{_chance(metric, objects)}."
    )
    titles = {k: size_rank_label(k, objects) for k in range(1, objects + 1)}
    return _bars(
        "by-size", f"Large-object share (IOR): {number_word(objects)} objects by size", sentence, shown, "size_rank", titles
    )


def place_exhibit(findings: Sequence[Finding], metric: str, objects: int) -> Exhibit:
    """The share of each place from the left."""
    shown = _slots(findings, metric, objects, "place")
    mine = [f for f in shown if f.slice["against"] == shown[0].slice["against"]]
    most = max(mine, key=lambda f: f.value or 0.0)
    sentence = (
        f"{_scenes(metric, objects)}, the nearest target is most often the {ordinal(int(str(most.slice['place'])))} object from "
        f"the left, in {percent(most.value)}{_chance(metric, objects)}."
    )
    titles = {k: f"{ordinal(k)} from the left" for k in range(1, objects + 1)}
    return _bars("by-place", f"Nearest of {number_word(objects)} objects, by place", sentence, shown, "place", titles)


def size_and_place_exhibit(retrieved: SceneRetrieval) -> Exhibit:
    """How often the object of each size rank at each place is the nearest."""
    scenes, count = retrieved.scenes, retrieved.scenes.count
    rows: list[dict[str, Any]] = []
    for rank in range(count):
        place, hit = scenes.by_size[:, rank], retrieved.by_size.top[:, rank]
        for at in range(count):
            there = place == at
            if there.any():
                size = "largest" if rank == 0 else f"{ordinal(rank + 1)} largest"
                rows.append({"size": size, "place": f"{at + 1}", "share": float(hit[there].mean()), "n": int(there.sum())})
    largest = [row for row in rows if row["size"] == "largest"]
    low, high = min(row["share"] for row in largest), max(row["share"] for row in largest)
    sentence = (
        f"The largest of {number_word(count)} objects is the nearest in {percent(low)} to {percent(high)} of scenes, "
        "depending on its place. Differences between rows are effects of size, differences between columns are effects of place."
    )
    chart = charts.heatmap(x="place", y="size", value="share", x_title="place, from the left", value_title="nearest")
    return Exhibit("size-and-place", "Nearest object by size and place", sentence, pa.Table.from_pylist(rows), chart=chart)


def ratio_exhibit(found: Sequence[RatioBin]) -> list[Exhibit]:
    """A line for every number of objects with three size ratios or more; with one number, also a line for smaller objects."""
    counts = [n for n in dict.fromkeys(bin.objects for bin in found) if len([b for b in found if b.objects == n]) >= 3]
    if not counts:
        return []
    lines: list[dict[str, object]] = []
    for count in counts:
        for bin in [b for b in found if b.objects == count]:
            several = f"{number_word(count)} objects: " if len(counts) > 1 else ""
            lines.append({"ratio": bin.ratio, "nearest": f"{several}the largest", **_numbers(bin.largest)})
            if len(counts) == 1:
                lines.append({"ratio": bin.ratio, "nearest": "a smaller one", **_numbers(bin.others)})
    mine = max(([b for b in found if b.objects == count] for count in counts), key=len)
    low, high = mine[0], mine[-1]
    sentence = (
        f"Of {number_word(low.objects)} objects, the largest is the nearest in {percent(low.largest.value)} of "
        "scenes where it is "
        f"{low.ratio:g} times as large as the others, and in {percent(high.largest.value)} where it is "
        f"{high.ratio:g} times as large."
    )
    chart = charts.line_with_band(
        x="ratio",
        y="share",
        low="low",
        high="high",
        color="nearest",
        x_title="area of the largest object / mean area of the others",
        y_title="share of all scenes",
        log=True,
    )
    return [Exhibit("size-ratio", "Large-object share (IOR) by size ratio", sentence, pa.Table.from_pylist(lines), chart=chart)]


def small_winner_exhibit(retrieved: SceneRetrieval, names: Sequence[str], ids: Sequence[str], shown: int) -> list[Exhibit]:
    """Scenes whose nearest target is a smaller object, those with the largest size ratio first."""
    scenes = retrieved.scenes
    won = retrieved.by_size.top[:, 1:].max(axis=1, initial=0.0) == 1.0
    order = [int(i) for i in np.argsort(-scenes.ratios, kind="stable") if won[i]][:shown]
    rows = []
    for i in order:
        places = (scenes.by_size[i, 0], retrieved.by_place.top[i].argmax())
        largest, winner = (names[scenes.objects[i, place]] for place in places)
        rows.append(
            {"id": ids[scenes.rows[i]], "nearest": winner, "largest": largest, "times as large": f"{scenes.ratios[i]:.1f}"}
        )
    if not rows:
        return []
    one = rows[0]
    sentence = (
        f"In the first scene, the {one['largest']} is {one['times as large']} times as large as the other objects, "
        f"but the {one['nearest']} is nearer."
    )
    return [Exhibit("small-object-nearest", "Scenes nearest to a small object", sentence, pa.Table.from_pylist(rows), "pictures")]


def _slots(findings: Sequence[Finding], metric: str, objects: int, key: str) -> list[Finding]:
    """Findings by size rank or place only, those against pictures first."""
    wanted = {"against", "objects", key}
    found = [f for f in findings if f.metric == metric and set(f.slice) == wanted and f.slice["objects"] == objects]
    return sorted(found, key=lambda f: f.slice["against"] != PICTURES)


def _value(shown: Sequence[Finding], key: str, slot: int) -> float:
    return next(f.value or 0.0 for f in shown if f.slice[key] == slot)


def _scenes(metric: str, objects: int) -> str:
    if metric == "object_share":
        return f"In scenes of {number_word(objects)} objects"
    return f"In scenes of {number_word(objects)} objects that are all retrieved"


def _chance(metric: str, objects: int) -> str:
    return f"; chance is {percent(1 / objects)} (the line)" if metric == "object_share_conditional" else ""


def _numbers(finding: Finding) -> dict[str, object]:
    return {"share": finding.value, "low": finding.low, "high": finding.high, "n": finding.n}


def _bars(name: str, title: str, sentence: str, shown: Sequence[Finding], key: str, titles: Mapping[int, str]) -> Exhibit:
    several = len({f.slice["against"] for f in shown}) > 1
    rows = [
        {"object": titles[int(str(f.slice[key]))], "targets": _TARGETS[str(f.slice["against"])], **_numbers(f)} for f in shown
    ]
    rows.sort(key=lambda row: list(titles.values()).index(str(row["object"])))
    conditional = shown[0].metric == "object_share_conditional"
    chart = charts.bars(
        category="object",
        value="share",
        low="low",
        high="high",
        color="targets" if several else None,
        category_title="",
        value_title="nearest, where all are retrieved" if conditional else "nearest, all scenes",
        reference=1 / len(titles) if conditional else None,
    )
    return Exhibit(name, title, sentence, pa.Table.from_pylist(rows), chart=chart)
