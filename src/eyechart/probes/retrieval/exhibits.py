"""Charts of the probe `retrieval`: recall by k, recall by part of the dataset, and captions that retrieve another picture."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.retrieval.queries import Direction
from eyechart.probes.tasks.captions import Captions

READABLE = 40  # rows of one chart
_LENGTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)


def recall_exhibit(text: Direction, picture: Direction, *, seed: int, resamples: int) -> Exhibit:
    """R@k in both directions, for k up to 100."""
    rows = []
    for one in (text, picture):
        for k in [k for k in _LENGTHS if k < one.candidates]:
            at = one.recall(k, seed=seed, resamples=resamples)
            rows.append({"k": k, "recall": at.value, "low": at.low, "high": at.high, "direction": one.title})
    ten = min(10, text.candidates)
    sentence = (
        f"Text to image, R@1 is {percent((text.ranks < 1).mean())} and R@{ten} is {percent((text.ranks < ten).mean())}; "
        f"image to text, R@1 is {percent((picture.ranks < 1).mean())}."
    )
    chart = charts.line_with_band(
        x="k",
        y="recall",
        low="low",
        high="high",
        color="direction",
        x_title="k",
        x_unit="count",
        log=True,
        y_title="R@k",
    )
    return Exhibit("recall", "Recall at k", sentence, pa.Table.from_pylist(rows), chart=chart)


def part_exhibit(findings: Sequence[Finding], titles: Sequence[str]) -> list[Exhibit]:
    """Text-to-image R@1 on every part of the dataset, the lowest first."""
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
            "Text-to-image recall by part of the dataset",
            f"Text-to-image R@1 is {percent(worst.value)} for {name} and {percent(best.value)} for {other}.",
            table,
            chart=charts.dots_with_intervals(
                category="part", value="recall", low="low", high="high", value_title="R@1, text → image", zero=True
            ),
        )
    ]


def worst_exhibit(
    text: Direction, captions: Captions, found: npt.NDArray[np.int64], ids: Sequence[str], shown: int
) -> list[Exhibit]:
    """The captions whose picture has the lowest rank, one for each picture, with the picture that ranks first."""
    rows: list[dict[str, object]] = []
    pictures: set[int] = set()
    for caption in np.argsort(-text.ranks, kind="stable"):
        own, first = int(captions.rows[caption]), int(found[caption])
        if text.ranks[caption] == 0 or len(rows) == shown:
            break
        if own not in pictures and own != first:
            pictures.add(own)
            rank = int(text.ranks[caption]) + 1
            rows.append({"caption": captions.texts[caption], "rank": rank, "ids": [ids[own], ids[first]]})
    if not rows:
        return []
    sentence = (
        f"For “{rows[0]['caption']}”, its own picture (left) has rank {rows[0]['rank']}; the picture on the right ranks first."
    )
    return [Exhibit("worst-captions", "Captions that retrieve another picture", sentence, pa.Table.from_pylist(rows), "pictures")]
