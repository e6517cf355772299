"""Charts of the probe `shape_bias`: shape bias by category, all decisions, and pictures decided by texture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals import wilson
from eyechart.notice import counted
from eyechart.probes.shape_bias.cue_conflict import HUMANS, Stimuli
from eyechart.probes.shape_bias.decisions import Decider

PICTURES = 12
# An explicit schema, because the intervals may be missing in every row.
_CATEGORIES = pa.schema(
    [
        ("category", pa.string()), ("who", pa.string()), ("shape bias", pa.float64()), ("low", pa.float64()),
        ("high", pa.float64()), ("decisions", pa.int64()),
    ]
)  # fmt: skip


def category_exhibit(found: Sequence[Finding], with_humans: bool, decider: Decider) -> list[Exhibit]:
    """Shape bias of each category, with that of humans where the categories are those of the experiment."""
    if not found:
        return []
    ordered = sorted(found, key=lambda f: f.value or 0.0)
    rows = [_row(str(f.slice["category"]), "model", f.value, f.low, f.high, f.n) for f in ordered]
    first, last = rows[0], rows[-1]
    sentence = (
        f"Shape bias is lowest for the shape {first['category']} ({percent(first['shape bias'])}) and highest for "
        f"{last['category']} ({percent(last['shape bias'])})."
    )
    if with_humans:
        humans = [_of_humans(str(row["category"])) for row in rows]
        rows += humans
        sentence += f" For humans it is {percent(min(row['shape bias'] for row in humans))} or more in every category."
    return [
        Exhibit(
            f"categories-{decider.title}",
            "Shape bias by category of the shape",
            sentence,
            pa.Table.from_pylist(rows, _CATEGORIES),
            chart=charts.dots_with_intervals(
                category="category", value="shape bias", low="low", high="high", color="who" if with_humans else None, zero=True
            ),
            slice=decider.slice,
        )
    ]


def _of_humans(category: str) -> dict[str, Any]:
    shape, texture = HUMANS[category]
    low, high = wilson(shape, shape + texture)
    return _row(category, "humans", shape / (shape + texture), float(low), float(high), shape + texture)


def _row(category: str, who: str, value: float | None, low: float | None, high: float | None, n: int) -> dict[str, Any]:
    return {"category": category, "who": who, "shape bias": value or 0.0, "low": low, "high": high, "decisions": n}


def decision_exhibit(shape: Flags, texture: Flags, shares: Sequence[Finding], decider: Decider) -> Exhibit:
    """What was decided for; `shares` are the findings for shape, texture and neither."""
    counts = {"shape": int(shape.sum()), "texture": int(texture.sum()), "neither": int((~shape & ~texture).sum())}
    n = sum(counts.values())
    table = pa.table(
        {
            "decision": list(counts),
            "share": [share.value for share in shares],
            "low": pa.array([share.low for share in shares], pa.float64()),
            "high": pa.array([share.high for share in shares], pa.float64()),
            "pictures": list(counts.values()),
        }
    )
    return Exhibit(
        f"decisions-{decider.title}",
        "Decisions",
        f"Of {n:,} pictures, {counts['shape']:,} are predicted as their shape, {counts['texture']:,} as their texture, "
        f"{counts['neither']:,} as another class.",
        table,
        chart=charts.bars(category="decision", value="share", low="low", high="high"),
        slice=decider.slice,
    )


def texture_exhibit(
    texture: Flags, conflict: Stimuli, ids: Sequence[str], titles: Sequence[str], decider: Decider
) -> list[Exhibit]:
    """Pictures that are predicted as their texture, from as many categories as possible."""
    rows = np.flatnonzero(texture)
    if not len(rows):
        return []
    turn = np.empty(len(rows), np.int64)
    for category in np.unique(conflict.shape[rows]):
        own = conflict.shape[rows] == category
        turn[own] = np.arange(own.sum())
    shown = rows[np.lexsort((conflict.shape[rows], turn))][:PICTURES]
    table = pa.table(
        {
            "id": [ids[conflict.rows[i]] for i in shown],
            "shape": [titles[conflict.shape[i]] for i in shown],
            "predicted texture": [titles[conflict.texture[i]] for i in shown],
        }
    )
    sentence = f"{counted(len(rows), 'picture is', 'pictures are')} predicted as {'its' if len(rows) == 1 else 'their'} texture."
    return [
        Exhibit(
            f"by-texture-{decider.title}", "Pictures predicted as their texture", sentence, table, "pictures", slice=decider.slice
        )
    ]
