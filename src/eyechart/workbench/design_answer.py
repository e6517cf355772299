"""What the screen shows of a class list: accuracy, harm, shares by group, the confusion matrix and the pictures that moved."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.workbench.design_desk import DesignDesk, Half, finding_json
from eyechart.workbench.group_shares import kind_shares
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.live_outcome import LiveOutcome

MOST_FLOWS = 14
PICTURES_PER_FLOW = 12
MOST_CONFUSED = 40


def design_answer(desk: DesignDesk, design: LiveDesign) -> dict[str, Any]:
    """All numbers of a design on the half that is explored."""
    half = desk.explore
    change, after = desk.changes(half, design)
    before = desk.base_outcome.take(half.rows)
    answer: dict[str, Any] = {
        "n": len(half.rows),
        "held_out": len(desk.held_out.rows),
        "changes": [finding_json(f) for f in change.findings(after)],
        "harm": finding_json(change.harm(after)) if after.live.harmful else None,
        "harm_before": finding_json(change.harm(before)) if before.live.harmful else None,
        "classes": _classes(after),
        **_accuracy(desk, half, after, before),
        "groups": _groups(half, after),
        "flows": _flows(half, before, after),
    }
    return answer


def _classes(after: LiveOutcome) -> list[dict[str, Any]]:
    counts = np.bincount(after.predicted, minlength=len(after.live.classes))
    return [
        {"name": c.name, "group": c.group, "labels": list(c.labels), "predicted": int(n)}
        for c, n in zip(after.live.classes, counts, strict=True)
    ]


def _accuracy(desk: DesignDesk, half: Half, after: LiveOutcome, before: LiveOutcome) -> dict[str, Any]:
    """Accuracy over pictures with a label, by class and by group, and the confusion matrix; nothing without labels."""
    if half.labels is None or desk.labels(after.live) is None:
        return {"accuracy": None, "confusion": None, "by_label": [], "group_accuracy": []}
    labeled = half.labels >= 0
    correct = after.correct(half.labels)

    def share(hits: Any, rows: Any) -> Mapping[str, Any]:
        return finding_json(share_finding("top1", clustered_share(hits[rows], half.units[rows])))

    was = share(before.correct(half.labels), labeled) if desk.labels(before.live) is not None else None
    titles = [{"group": s.title, **share(correct, s.members & labeled)} for s in half.people if (s.members & labeled).any()]
    return {
        "accuracy": share(correct, labeled),
        "accuracy_before": was,
        "group_accuracy": titles,
        **_confusion(desk, half, after, correct),
    }


def _confusion(desk: DesignDesk, half: Half, after: LiveOutcome, correct: Any) -> dict[str, Any]:
    """Counts of true label × predicted class, the recall of every label, and the most confused pairs."""
    assert half.labels is not None
    names = desk.label_names
    place = np.full(max((desk.vocabulary.number(n) for n in names), default=0) + 2, -1, np.int64)
    for row, name in enumerate(names):
        place[desk.vocabulary.number(name)] = row
    truth, width = place[half.labels], len(after.live.classes)
    known = truth >= 0
    counts = np.bincount(truth[known] * width + after.predicted[known], minlength=len(names) * width).reshape(-1, width)
    hits = np.bincount(truth[known], correct[known], minlength=len(names))
    sizes = counts.sum(axis=1)
    recall = (
        kind_shares(
            correct.astype(np.int64),
            2,
            [np.flatnonzero(truth == row) for row in range(len(names))],
            half.units,
            distinct=half.distinct,
        )
        if len(names) <= 200
        else None
    )
    by_label = [
        {
            "label": name,
            "n": int(sizes[row]),
            "value": float(hits[row] / sizes[row]) if sizes[row] else None,
            "low": None if recall is None or not sizes[row] else float(recall.low[row, 1]),
            "high": None if recall is None or not sizes[row] else float(recall.high[row, 1]),
        }
        for row, name in enumerate(names)
    ]  # fmt: skip
    accepts = [[label in c.labels for c in after.live.classes] for label in names]
    wrong = np.where(np.array(accepts, bool).reshape(counts.shape), 0, counts)
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]
    pairs = [(int(w // width), int(w % width), int(wrong.flat[w])) for w in worst if wrong.flat[w]]
    whole = counts.tolist() if counts.size <= 60 * 60 else None
    return {"by_label": by_label, "confusion": {"labels": list(names), "counts": whole, "pairs": pairs}}


def _groups(half: Half, after: LiveOutcome) -> dict[str, Any] | None:
    """The share of every kind of classes in every group of people; None for a list without kinds."""
    if after.live.of_dataset:
        return None
    kinds = list(after.design.groups)
    everyone = np.arange(len(half.rows))
    found = kind_shares(after.kinds, len(kinds), [everyone, *half.members], half.units, distinct=half.distinct)
    titles = ["all pictures", *(s.title for s in half.people)]
    rows = [
        {
            "group": title,
            "crossed": place > 0 and half.people[place - 1].crossed,
            "n": int(found.n[place]),
            "value": found.value[place].tolist(),
            "low": found.low[place].tolist(),
            "high": found.high[place].tolist(),
        }
        for place, title in enumerate(titles)
    ]
    return {"kinds": kinds, "harmful": [k for k in kinds if k in after.live.harmful], "rows": rows}


def _flows(half: Half, before: LiveOutcome, after: LiveOutcome) -> dict[str, Any]:
    """Pictures with another predicted class: from which to which, and some of them."""
    moved = np.flatnonzero(before.names != after.names)
    width = len(after.live.classes)
    pairs = before.predicted[moved].astype(np.int64) * width + after.predicted[moved]
    found, counts = np.unique(pairs, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_FLOWS]
    flows = [
        {
            "from": before.live.classes[int(found[place]) // width].name,
            "to": after.live.classes[int(found[place]) % width].name,
            "count": int(counts[place]),
            "rows": _some(half.rows[moved[pairs == found[place]]]),
        }
        for place in order
    ]
    return {"moved": len(moved), "flows": flows}


def _some(rows: Indices) -> list[int]:
    return [int(row) for row in rows[:PICTURES_PER_FLOW]]
