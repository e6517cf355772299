"""Models with exactly known answers, written as vectors, and examined like any other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import eyechart

SCALE = 100.0


@dataclass(frozen=True)
class Pictures:
    """Pictures of one dataset, and what the model answers.

    each: Pictures of each class.
    right: The share that is correct: one for all classes, or one for each.
    confidence: The probability of the predicted class: one number, a pair (correct, wrong), or "calibrated".
    wrong: What errors are predicted as: "any" other class, or always this one.
    groups: Group → share that is correct; `right` is not used then.
    labels: Whether the pictures have labels.
    last: Whether the first pictures of a class are the errors; else the last ones are.
    """

    each: int | tuple[int, ...]
    right: float | tuple[float, ...] = 1.0
    confidence: float | tuple[float, float] | str = "calibrated"
    wrong: str | int = "any"
    groups: Mapping[str, float] = field(default_factory=dict)
    labels: bool = True
    last: bool = False


def examine(folder, pictures, classes, *, store, shift=None, ood=None, targets=None, names=("photos", "other", "unknown")):
    """Write the datasets and the vectors, and examine them."""
    ids, vectors = [], []
    for name, part in zip(names, (pictures, shift, ood), strict=True):
        if part is not None:
            rows, found = _rows(name, part, classes)
            (folder / f"{name}.csv").write_text("\n".join([_header(part), *rows]) + "\n")
            ids += [row.split(",")[0] for row in rows]
            vectors.append(found)
    axes = np.eye(classes, classes + 1, dtype=np.float32)
    np.savez(
        folder / "model.npz",
        image_ids=np.array(ids),
        image_vectors=np.concatenate(vectors),
        texts=np.array([f"class {c}" for c in range(classes)]),
        text_vectors=axes,
        logit_scale=np.float32(SCALE),
    )
    listed = folder / "classes.txt"
    listed.write_text("".join(f"class {c}\n" for c in range(classes)))
    return eyechart.examine(
        f"vectors:{folder / 'model.npz'}",
        folder / "photos.csv",
        classes=listed,
        shifts=[folder / "other.csv"] if shift else [],
        ood=[folder / "unknown.csv"] if ood else [],
        targets=targets,
        probes=["zero_shot", "worst", "calibration", "class_count", "skew", "shift", "ood"],
        out=folder / "out",
        store=store,
    )


def _header(part):
    return ",".join(["path", *(["label"] if part.labels else []), *(["attr.group"] if part.groups else [])])


def _rows(name, part, classes):
    rng = np.random.default_rng(0)
    each = np.broadcast_to(part.each, classes)
    truth = np.repeat(np.arange(classes), each)
    groups = list(part.groups) or [""]
    group = np.arange(len(truth)) % len(groups)
    correct = np.zeros(len(truth), bool)
    for c in range(classes):
        for g, _ in enumerate(groups):
            mine = np.flatnonzero((truth == c) & (group == g))
            share = part.groups[groups[g]] if part.groups else np.broadcast_to(part.right, classes)[c]
            ordered = mine[::-1] if part.last else mine
            correct[ordered[: round(share * len(mine))]] = True
    confidence = _confidence(part.confidence, correct, classes, rng)
    others = rng.integers(0, max(classes - 1, 1), len(truth))
    wrong = (truth + 1 + others) % classes if part.wrong == "any" else np.full(len(truth), part.wrong)
    predicted = np.where(correct, truth, wrong)
    rows = []
    for i in range(len(truth)):
        cells = [f"{name}-{i}.png"]
        if part.labels:
            cells.append(f"class {truth[i]}")
        if part.groups:
            cells.append(groups[group[i]])
        rows.append(",".join(cells))
    return rows, _vectors(predicted, confidence, classes)


def _confidence(wanted, correct, classes, rng):
    if isinstance(wanted, tuple):
        return np.where(correct, *wanted)
    if wanted != "calibrated":
        return np.full(len(correct), wanted)
    # Among answers of probability q a share q must be correct: draw probabilities q from a Beta distribution whose mean is the
    # accuracy, call each correct with probability q, and give every answer a probability from those with its own correctness.
    mean = np.clip(correct.mean(), 0.02, 0.98)
    draws = np.sort(np.clip(rng.beta(4 * mean, 4 * (1 - mean), 4 * len(correct)), 1.001 / classes, 0.999))
    hit = rng.random(len(draws)) < draws
    pools = {True: draws[hit], False: draws[~hit]}
    return np.array([rng.choice(pools[bool(c)]) if len(pools[bool(c)]) else mean for c in correct])


def _vectors(predicted, confidence, classes):
    """Unit vectors with these predictions and, at the logit scale, these probabilities; the others share the rest equally."""
    lead = np.log(np.maximum(confidence * (classes - 1) / (1 - confidence), 1.0001)) / SCALE
    found = np.zeros((len(predicted), classes + 1), np.float32)
    found[np.arange(len(predicted)), predicted] = lead
    found[:, -1] = np.sqrt(1 - lead**2)
    return found
