"""What retrieval has to show: recall as the list grows, parts of the dataset beside each other, and what was found instead."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.retrieval.queries import Direction
from eyechart.probes.tasks.captions import Captions

READABLE = 40  # lines of one chart
_LENGTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)


def recall_exhibit(text: Direction, picture: Direction, *, seed: int, resamples: int) -> Exhibit:
    """The share of queries whose answer is among the first k, for k up to a hundred."""
    rows = []
    for one in (text, picture):
        for k in [k for k in _LENGTHS if k < one.candidates]:
            at = one.recall(k, seed=seed, resamples=resamples)
            rows.append({"k": k, "recall": at.value, "low": at.low, "high": at.high, "direction": one.title})
    ten = min(10, text.candidates)
    sentence = (
        f"A caption finds its picture first in {(text.ranks < 1).mean():.1%} of cases and among the first {ten} in "
        f"{(text.ranks < ten).mean():.1%}; a picture finds a caption of its own first in {(picture.ranks < 1).mean():.1%}."
    )
    chart = charts.line_with_band(
        x="k",
        y="recall",
        low="low",
        high="high",
        color="direction",
        x_title="length of the list, k",
        x_unit="count",
        log=True,
        y_title="right answer among the first k",
    )
    return Exhibit("recall", "Recall as the list grows", sentence, pa.Table.from_pylist(rows), chart=chart)


def part_exhibit(findings: Sequence[Finding], titles: Sequence[str]) -> list[Exhibit]:
    """R@1 of captions on every part of the dataset, the weakest first."""
    shown = [(f, title) for f, title in zip(findings, titles, strict=True) if f.metric == "text_to_image_r1"]
    if not shown:
        return []
    shown.sort(key=lambda one: one[0].value or 0.0)
    (worst, name), (best, other) = shown[0], shown[-1]
    table = pa.table(
        {
            "part": [title for _, title in shown[:READABLE]],
            "recall": [f.value for f, _ in shown[:READABLE]],
            "low": [f.low for f, _ in shown[:READABLE]],
            "high": [f.high for f, _ in shown[:READABLE]],
            "captions": [f.n for f, _ in shown[:READABLE]],
        }
    )
    return [
        Exhibit(
            "parts",
            "Which pictures are found by their captions",
            f"Captions find their picture first in {worst.value:.1%} of cases for {name} and in {best.value:.1%} for {other}.",
            table,
            chart=charts.dots_with_intervals(
                category="part", value="recall", low="low", high="high", value_title="R@1, text → image", zero=True
            ),
        )
    ]


def worst_exhibit(
    text: Direction, captions: Captions, found: npt.NDArray[np.int64], ids: Sequence[str], shown: int
) -> list[Exhibit]:
    """The captions whose picture comes last, one a picture, each with its own picture and the one that was found instead."""
    rows: list[dict[str, object]] = []
    pictures: set[int] = set()
    for caption in np.argsort(-text.ranks, kind="stable"):
        own, instead = int(captions.rows[caption]), int(found[caption])
        if text.ranks[caption] == 0 or len(rows) == shown:
            break
        if own not in pictures and own != instead:
            pictures.add(own)
            said = captions.said[caption]
            rows.append({"caption": said, "rank": int(text.ranks[caption]) + 1, "ids": [ids[own], ids[instead]]})
    if not rows:
        return []
    sentence = f"“{rows[0]['caption']}”: its own picture (left) comes at place {rows[0]['rank']}; the other one was found."
    return [Exhibit("worst-captions", "Captions that find another picture", sentence, pa.Table.from_pylist(rows), "pictures")]
