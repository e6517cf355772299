"""Exhibits of the probe `lint`: pictures with suspected labels, and near-duplicates."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.arrays import Doubles, Indices
from eyechart.findings.exhibit import Exhibit
from eyechart.notice import counted
from eyechart.probes.lint.copies import Copies

SHOWN = 48


def errors_exhibit(titles: Sequence[str], ids: Sequence[str], labels: Indices, other: Indices, margin: Doubles) -> list[Exhibit]:
    """Suspected label errors, the clearest first."""
    if not len(ids):
        return []
    rows = [
        {"id": ids[i], "class": titles[labels[i]], "predicted as": titles[other[i]], "nearer by": float(margin[i])}
        for i in range(min(len(ids), SHOWN))
    ]
    sentence = (
        f"{counted(len(ids), 'picture')} may have the wrong label; the clearest is labeled {rows[0]['class']} and looks like "
        f"{rows[0]['predicted as']}."
    )
    table = pa.Table.from_pylist(rows)
    return [Exhibit("suspected-label-errors", "Suspected label errors", sentence, table, "pictures")]


def copies_exhibit(name: str, title: str, copies: Copies) -> list[Exhibit]:
    """Pairs of near-duplicates."""
    if not copies.pairs:
        return []
    rows = [
        {
            "ids": [p.id, p.other_id] if name == "conflicting-copies" else [p.id],
            "labels": " / ".join(p.labels),
            "other": p.other_id,
        }
        for p in copies.pairs[:SHOWN]
    ]
    sentence = f"{counted(len(copies.pairs), 'pair')} of pictures {'show' if len(copies.pairs) > 1 else 'shows'} almost the same."
    return [Exhibit(name, title, sentence, pa.Table.from_pylist(rows), "pictures")]
