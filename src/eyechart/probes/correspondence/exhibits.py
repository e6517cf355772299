"""What correspondence has to show: recall by viewpoint change and by tolerance, and the pairs in which spots are lost."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.correspondence.keypoint_recall import Found
from eyechart.probes.correspondence.view_groups import ViewGroup


def view_exhibit(findings: Sequence[Finding], pixels: Sequence[int], views: Sequence[ViewGroup]) -> list[Exhibit]:
    """Recall of every range of views at every tolerance."""
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
        f"Within {pixels[-1]} px, {nearest.value:.1%} of the spots are found again at {views[0].title} and "
        f"{farthest.value:.1%} at {views[-1].title}."
    )
    chart = charts.dots_with_intervals(
        category="views", value="recall", low="low", high="high", color="within", value_title="spots found again", zero=True
    )
    return [Exhibit("views", "Spots found again, by the change of view", sentence, pa.Table.from_pylist(rows), chart=chart)]


def curve_exhibit(found: Found, views: Sequence[ViewGroup], tolerances: Sequence[int], shown: Sequence[int]) -> Exhibit:
    """Recall as the tolerance grows, for every range of views, beside guessing and what is best possible."""
    groups: list[tuple[str, Flags | None]] = [(group.title, group.members) for group in views] or [("all pairs", None)]
    rows: list[dict[str, object]] = []
    for title, members in groups:
        for pixels in shown:
            f = found.share("recall", found.spots.off <= pixels, members)
            rows.append({"pixels": pixels, "recall": f.value, "low": f.low, "high": f.high, "views": title})
    for title, table in (("guessing", found.spots.guessed), ("best possible", found.spots.best)):
        for pixels in shown:
            value = float(table[:, list(tolerances).index(pixels)].mean())
            rows.append({"pixels": pixels, "recall": value, "low": value, "high": value, "views": title})
    last = shown[-1]
    all_found = found.share("recall", found.spots.off <= last).value
    by_chance = found.spots.guessed[:, list(tolerances).index(last)].mean()
    sentence = f"Of all spots, {all_found:.1%} are found within {last} px of their place; guessing would find {by_chance:.1%}."
    chart = charts.line_with_band(
        x="pixels", y="recall", low="low", high="high", color="views", x_title="tolerance, px", y_title="spots found again",
        x_unit="count", log=True,
    )  # fmt: skip
    return Exhibit("tolerance", "Spots found again as the tolerance grows", sentence, pa.Table.from_pylist(rows), chart=chart)


def pair_exhibit(found: Found, pixels: int, shown: int) -> list[Exhibit]:
    """The pairs in which the fewest spots are found again."""
    spots = found.spots
    sizes = np.bincount(spots.pair, minlength=len(found.pairs))
    hits = np.bincount(spots.pair, spots.off <= pixels, len(found.pairs))
    share = np.divide(hits, sizes, out=np.full(len(sizes), np.inf), where=sizes > 0)
    worst = [number for number in np.lexsort((-sizes, share))[:shown] if sizes[number]]
    if not worst:
        return []
    rows = [
        {
            "found": int(hits[number]),
            "of": int(sizes[number]),
            "ids": [found.pairs[number]["id_a"], found.pairs[number]["id_b"]],
        }
        for number in worst
    ]
    sentence = f"In the first of these pairs, {rows[0]['found']} of {rows[0]['of']} spots are found again within {pixels} px."
    return [Exhibit("lost-pairs", "Pairs in which spots are lost", sentence, pa.Table.from_pylist(rows), "pictures")]
