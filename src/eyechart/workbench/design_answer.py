"""What the screen shows of a class list: accuracy, harm, shares by group, the confusion matrix and the pictures that moved."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.class_name_checks import check_name
from eyechart.metrics.intervals import wilson
from eyechart.metrics.intervals.clustered_shares import effective_counts
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.workbench.design_desk import DesignDesk, Half, finding_json
from eyechart.workbench.group_shares import KindShares, accuracy_share, kind_shares
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.live_outcome import LiveOutcome

MOST_FLOWS = 14
PICTURES_PER_FLOW = 12
MOST_CONFUSED = 200


def design_answer(desk: DesignDesk, design: LiveDesign) -> dict[str, Any]:
    """All numbers of a design on the half that is explored."""
    half = desk.half_of(desk.explore, design)
    change, after = desk.changes(half, design, [])  # changes by group are measured on the other half
    before = desk.base_outcome.take(half.rows).called_as_in(design)
    answer: dict[str, Any] = {
        "n": len(half.rows),
        "held_out": len(desk.held_out.rows),
        "changes": [finding_json(f) for f in change.findings(after)],
        "harm": finding_json(change.harm(after)) if after.live.harmful else None,
        "harm_before": finding_json(change.harm(before)) if before.live.harmful else None,
        "classes": _classes(after),
        "warnings": _warnings(desk.base, design),
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


def _warnings(base: LiveDesign, design: LiveDesign) -> dict[str, str]:
    """Class → what looks wrong about a name that the run's own list does not have, as `eyechart lint` says it."""
    known = {name for c in base.classes for name in c.names}
    names = [name for c in design.classes for name in c.names]
    found = {c.name: [check_name(name, names) for name in c.names if name not in known] for c in design.classes}
    said = {name: "; ".join(str(issue) for issue in issues if issue is not None) for name, issues in found.items()}
    return {name: text for name, text in said.items() if text}


def _accuracy(desk: DesignDesk, half: Half, after: LiveOutcome, before: LiveOutcome) -> dict[str, Any]:
    """Accuracy over pictures with a label, by class and by group, and the confusion matrix; nothing without labels."""
    if half.labels is None or desk.labels(after.live) is None:
        return {"accuracy": None, "confusion": None, "by_label": [], "group_accuracy": []}
    labeled = half.labels >= 0
    correct = after.correct(half.labels)

    def share(hits: Any, rows: Any) -> Mapping[str, Any]:
        return finding_json(share_finding("top1", accuracy_share(hits[rows], half.units[rows])))

    was = share(before.correct(half.labels), labeled) if desk.labels(before.live) is not None else None
    single = [(s.title, rows[labeled[rows]]) for s, rows in zip(half.people, half.members, strict=True) if not s.crossed]
    single = [(title, rows) for title, rows in single if len(rows)]
    by_group = kind_shares(correct.astype(np.int64), 2, [rows for _, rows in single], half.units, distinct=half.distinct)
    titles = [{"group": title, **_share_json(by_group, place, 1)} for place, (title, _) in enumerate(single)]
    return {
        "accuracy": share(correct, labeled),
        "accuracy_before": was,
        "group_accuracy": titles,
        **_confusion(desk, half, after, correct),
    }


def _confusion(desk: DesignDesk, half: Half, after: LiveOutcome, correct: Any) -> dict[str, Any]:
    """Counts of true label × predicted class, the recall of every label, and the most confused pairs."""
    assert half.labels is not None
    names = _in_class_order(desk.label_names, after.live)
    place = np.full(max((desk.vocabulary.number(n) for n in names), default=0) + 2, -1, np.int64)
    for row, name in enumerate(names):
        place[desk.vocabulary.number(name)] = row
    truth, width = place[half.labels], len(after.live.classes)
    known = truth >= 0
    counts = np.bincount(truth[known] * width + after.predicted[known], minlength=len(names) * width).reshape(-1, width)
    hits = np.bincount(truth[known], correct[known], minlength=len(names))
    sizes = counts.sum(axis=1)
    recall = _recall(half, truth, correct, np.asarray(hits, np.float64), sizes)
    by_label = [
        {"label": name, "n": int(sizes[row]), **({"value": None, "low": None, "high": None} if not sizes[row] else recall[row])}
        for row, name in enumerate(names)
    ]
    accepts = [[label in c.labels for c in after.live.classes] for label in names]
    wrong = np.where(np.array(accepts, bool).reshape(counts.shape), 0, counts)
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]
    pairs = [(int(w // width), int(w % width), int(wrong.flat[w])) for w in worst if wrong.flat[w]]
    whole = counts.tolist() if counts.size <= 60 * 60 else None
    confused = {"labels": names, "counts": whole, "pairs": pairs, "pair_count": int(np.count_nonzero(wrong))}
    return {"by_label": by_label, "confusion": confused}


def _in_class_order(labels: tuple[str, ...], design: LiveDesign) -> list[str]:
    """Labels in the order of the classes that are right for them, so that correct predictions are on the diagonal."""
    first: dict[str, int] = {}
    for place, c in enumerate(design.classes):
        for label in c.labels:
            first.setdefault(label, place)
    return sorted(labels, key=lambda label: first.get(label, len(design.classes)))


def _recall(half: Half, truth: Indices, correct: Flags, hits: Doubles, sizes: Indices) -> list[dict[str, Any]]:
    """The share of correct predictions of every label, with the interval of `class_accuracy` in the probe `zero_shot`."""
    known = truth >= 0
    n = sizes if half.distinct else effective_counts(correct[known], truth[known], half.units[known], len(sizes))
    values = hits / np.maximum(sizes, 1)
    low, high = wilson(values * n, n)
    return [{"value": v, "low": a, "high": b} for v, a, b in zip(values.tolist(), low.tolist(), high.tolist(), strict=True)]


def _share_json(shares: KindShares, group: int, kind: int) -> dict[str, Any]:
    value, low, high = (float(part[group, kind]) for part in (shares.value, shares.low, shares.high))
    return {"value": value, "low": low, "high": high, "n": int(shares.n[group])}


def _groups(half: Half, after: LiveOutcome) -> dict[str, Any] | None:
    """The share of every kind of classes in every group of people; None for a list without kinds."""
    if after.live.of_dataset:
        return None
    kinds = list(after.design.groups)
    everyone = np.arange(len(half.rows))
    single = [(s.title, rows) for s, rows in zip(half.people, half.members, strict=True) if not s.crossed]
    members = [everyone, *(rows for _, rows in single)]
    found = kind_shares(after.kinds, len(kinds), members, half.units, distinct=half.distinct)
    titles = ["all pictures", *(title for title, _ in single)]
    rows = [
        {
            "group": title,
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
