"""The model and its CLIP tower on the same questions: who is right, over all pictures and where one of them is weak.

The selection trap: among pictures that a model got wrong, that model scores 0, and any other seems to gain. So hard classes are
chosen on one half of the pictures and compared on the other, in both directions: where the tower is weak, and where the model is.
Hard pictures are chosen by the errors of a third model alone. Options are a selection too: against the class that the tower
confuses most, the tower scores low, and a model with other confusions seems to gain. Against the confusions of a third model the
gain is that of whichever side happens to share fewer of them, for all pictures of a class at once. Such choices are not compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.notice import Notice
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


@dataclass(frozen=True, eq=False)
class Compared:
    """Two answerers on the same questions.

    model: [n, k] whether the model is right about a picture, once for each of k questions.
    tower: [n] whether the tower is right.
    truth: The true class of every picture.
    clusters: Equal numbers mark rows that are not independent: copies of a picture, and versions of one.
    half: Which half of the pictures a row belongs to.
    baseline: What the gain is taken against: the tower with its prompt set.
    """

    model: Flags
    tower: Flags
    truth: Indices
    clusters: Indices
    half: Flags
    baseline: str = "tower"


def hard_rows(right: Doubles, truth: Indices, half: Flags, share: float) -> Flags:
    """Rows of the classes that are hard by the accuracy on the *other* half: the lowest `share` of the classes, at least one.

    Of equal accuracies the earlier class counts as harder; classes without pictures in the other half are not hard.
    """
    hard = np.zeros(len(truth), np.bool_)
    for side in (False, True):
        other = half != side
        labels = np.unique(truth[other])
        if not len(labels):
            continue
        accuracy = np.array([right[other & (truth == label)].mean() for label in labels])
        count = max(1, round(share * len(labels)))
        chosen = labels[np.argsort(accuracy, kind="stable")[:count]]
        hard |= (half == side) & np.isin(truth, chosen)
    return hard


def compare(way: str, of: Compared, share: float, selected: Flags | None) -> list[Finding]:
    """All findings of the comparison: over all pictures, on hard and other classes as either side finds them hard, and on the
    pictures that a third model gets wrong and right (`selected`)."""
    every = np.ones(len(of.truth), np.bool_)
    found = _findings(way, of, every, {})
    for by, right in (("tower", of.tower.astype(float)), ("model", of.model.mean(axis=1))):
        hard = hard_rows(right, of.truth, of.half, share)
        found += _findings(way, of, hard, {"classes": "hard", "chosen_by": by})
        found += _findings(way, of, ~hard, {"classes": "other", "chosen_by": by})
    if selected is not None:
        found += _findings(way, of, selected, {"pictures": "hard", "chosen_by": "selector"})
        found += _findings(way, of, ~selected, {"pictures": "other", "chosen_by": "selector"})
    return found


def options_notice(where: str, by: str) -> Notice:
    why = {
        "tower": "the tower's own errors, which lowers its accuracy",
        "selector": "the errors of a third model, and either side may happen to share them for whole classes",
    }[by]
    what = f"choices are not compared with the tower: their wrong options were chosen by {why}"
    return Notice(where, what, "for choice_gain, set distractors to random")


def _findings(way: str, of: Compared, rows: Flags, slice: Mapping[str, object]) -> list[Finding]:
    if not rows.any():
        return []
    asked = of.model.shape[1]
    units = np.repeat(np.unique(of.clusters[rows], return_inverse=True)[1], asked)
    model = of.model[rows].ravel()
    tower = np.repeat(of.tower[rows], asked)

    def share(hits: Flags) -> ClusteredShare:
        return clustered_share(hits, units)

    n = int(rows.sum())
    return [
        *([share_finding(f"{way}_accuracy", share(model), slice, n=n)] if slice else []),
        share_finding(f"{way}_tower_accuracy", share(tower), slice, n=n),
        difference_finding(f"{way}_gain", share(model), share(tower), slice, n=n, baseline=of.baseline),
        share_finding(f"{way}_both_right", share(model & tower), slice, n=n),
        share_finding(f"{way}_only_model_right", share(model & ~tower), slice, n=n),
        share_finding(f"{way}_only_tower_right", share(~model & tower), slice, n=n),
        share_finding(f"{way}_both_wrong", share(~model & ~tower), slice, n=n),
    ]
