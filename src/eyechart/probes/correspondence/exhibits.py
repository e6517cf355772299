"""Charts of the probe `correspondence`: recall by viewpoint change and by tolerance, and the pairs with the lowest recall."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.contract import ProbeInput
from eyechart.probes.correspondence.drawing import draw_pair
from eyechart.probes.correspondence.keypoint_recall import KeypointRecall
from eyechart.probes.correspondence.keypoints import KeypointMatches
from eyechart.probes.correspondence.view_groups import ViewGroup


def view_exhibit(findings: Sequence[Finding], pixels: Sequence[int], views: Sequence[ViewGroup]) -> list[Exhibit]:
    """Recall by viewpoint change at every tolerance."""
    if len(views) < 2:
        return []
    known = {(f.metric, tuple(f.slice.items())): f for f in findings}
    rows = []
    for group in views:
        for tolerance in pixels:
            f = known[f"keypoint_recall_{tolerance}px", tuple(group.slice.items())]
            rows.append({"views": group.title, "within": f"{tolerance} px", "recall": f.value, "low": f.low, "high": f.high})
    nearest, farthest = (known[f"keypoint_recall_{pixels[-1]}px", tuple(group.slice.items())] for group in (views[0], views[-1]))
    sentence = (
        f"Keypoint recall within {pixels[-1]} px is {percent(nearest.value)} at {views[0].title} and "
        f"{percent(farthest.value)} at "
        f"{views[-1].title}."
    )
    chart = charts.dots_with_intervals(
        category="views",
        value="recall",
        low="low",
        high="high",
        color="within",
        category_title="viewpoint change",
        value_title="keypoint recall",
        zero=True,
    )
    return [Exhibit("views", "Keypoint recall by viewpoint change", sentence, pa.Table.from_pylist(rows), chart=chart)]


def curve_exhibit(
    found: KeypointRecall[KeypointMatches], views: Sequence[ViewGroup], tolerances: Sequence[int], shown: Sequence[int]
) -> Exhibit:
    """Recall by tolerance for every range of viewpoints, with chance and the upper bound."""
    groups: list[tuple[str, Flags | None]] = [(group.title, group.members) for group in views] or [("all pairs", None)]
    rows: list[dict[str, object]] = []
    for title, members in groups:
        for pixels in shown:
            f = found.share("recall", found.matches.error <= pixels, members)
            rows.append({"pixels": pixels, "recall": f.value, "low": f.low, "high": f.high, "views": title})
    for title, table in (("chance", found.matches.chance), ("upper bound", found.matches.reachable)):
        for pixels in shown:
            value = float(table[:, list(tolerances).index(pixels)].mean())
            rows.append({"pixels": pixels, "recall": value, "low": value, "high": value, "views": title})
    last = shown[-1]
    recall = found.share("recall", found.matches.error <= last).value
    by_chance = found.matches.chance[:, list(tolerances).index(last)].mean()
    sentence = f"Keypoint recall within {last} px is {percent(recall)} over all pairs; chance is {percent(by_chance)}."
    chart = charts.line_with_band(
        x="pixels", y="recall", low="low", high="high", color="views", x_title="tolerance, px", y_title="keypoint recall",
        x_unit="count", log=True,
    )  # fmt: skip
    return Exhibit("tolerance", "Keypoint recall by tolerance", sentence, pa.Table.from_pylist(rows), chart=chart)


def pair_exhibit(inputs: ProbeInput[Any], found: KeypointRecall[KeypointMatches], pixels: int, shown: int) -> list[Exhibit]:
    """The pairs with the lowest recall, with their keypoints. Pictures that cannot be read are named instead."""
    matches = found.matches
    sizes = np.bincount(matches.pair, minlength=len(found.pairs))
    hits = np.bincount(matches.pair, matches.error <= pixels, len(found.pairs))
    share = np.divide(hits, sizes, out=np.full(len(sizes), np.inf), where=sizes > 0)
    worst = [number for number in np.lexsort((-sizes, share))[:shown] if sizes[number]]
    if not worst:
        return []
    rows: list[dict[str, Any]] = []
    for number in worst:
        drawn = draw_pair(inputs, found, int(number), pixels)
        pair = [found.pairs[number]["id_a"], found.pairs[number]["id_b"]]
        matched = {"matched": int(hits[number]), "of": int(sizes[number])}
        rows.append(
            matched | ({"ids": pair, "drawn": None} if drawn is None else {"pictures": " and ".join(pair), "drawn": drawn})
        )
    if all(row["drawn"] is None for row in rows):
        rows = [{name: value for name, value in row.items() if name != "drawn"} for row in rows]
    sentence = (
        f"In the first pair, {rows[0]['matched']} of {rows[0]['of']} keypoints are matched within {pixels} px. A line leads "
        "from a keypoint to its match: blue where the match is right, orange where it is wrong; a ring is the true position."
    )
    return [Exhibit("worst-pairs", "Pairs with the lowest keypoint recall", sentence, pa.Table.from_pylist(rows), "pictures")]
