"""Thresholds that were chosen on one model and are applied to another: an accepted share or a precision of 95%."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from eyechart.arrays import Flags, Floats, Indices
from eyechart.comparison.pairing import PairedPictures
from eyechart.findings.ood_score_kind import ood_score_kind
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.metrics.intervals.mover import Estimate

Outcome = Literal["holds", "breaks", "inconclusive"]
TARGET = 0.95
TOLERANCE = 0.02  # a threshold holds where, at 95% confidence, it moves the share by no more than this


@dataclass(frozen=True)
class ThresholdCheck:
    """A threshold of the first model, applied to the second.

    kind: "precision": of the answers with at least this confidence, 95% are correct; "tpr": of the in-distribution pictures, 95%
        have at least this OOD score.
    threshold: The threshold; None where the first model reaches the target with none.
    first: What it gives on the first model: precision or accepted share.
    second: The same on the second model; None where no answer is accepted.
    coverage: The accepted share of each model.
    outcome: At 95% confidence, "breaks" where the precision of the second model is below 95%, or its accepted share is not that
        of the first model; "holds" where it stays within 2 points; else "inconclusive". None without a threshold.
    """

    kind: Literal["precision", "tpr"]
    threshold: float | None
    first: Estimate | None
    second: Estimate | None
    coverage: tuple[float, float] | None
    outcome: Outcome | None


def check_thresholds(paired: PairedPictures, first: int, second: int) -> list[ThresholdCheck]:
    """Both checks on the labelled pictures: a precision only where both models have probabilities, an accepted share only where
    both OOD scores are of one kind (`ood_score_kind`)."""
    rows = paired.labelled
    found = []
    if np.isfinite(paired.confidence[[first, second]][:, rows]).all():
        found.append(_precision(paired, rows, first, second))
    scored = bool(np.isfinite(paired.ood_score[[first, second]][:, rows]).all())  # a file of labels alone has no scores
    one, two = (ood_score_kind(paired.prompts[model]) for model in (first, second))
    if scored and one is not None and one == two:
        found.append(_accepted_share(paired, rows, first, second))
    return found


def _precision(paired: PairedPictures, rows: Indices, first: int, second: int) -> ThresholdCheck:
    threshold = precision_threshold(paired.confidence[first, rows], paired.correct[first, rows])
    if threshold is None:
        return ThresholdCheck("precision", None, None, None, None, None)
    units = np.unique(paired.clusters[rows], return_inverse=True)[1]
    accepted = [paired.confidence[model, rows] >= threshold for model in (first, second)]
    coverage = (float(accepted[0].mean()), float(accepted[1].mean()))
    one = clustered_share(paired.correct[first, rows][accepted[0]], units[accepted[0]])
    if not accepted[1].any():
        return ThresholdCheck("precision", threshold, one.estimate, None, coverage, "inconclusive")
    two = clustered_share(paired.correct[second, rows][accepted[1]], units[accepted[1]])
    outcome: Outcome = "inconclusive"
    if two.estimate.high < TARGET:
        outcome = "breaks"
    elif max(two.estimate.low - TARGET, share_difference(two, one).low) >= -TOLERANCE:
        outcome = "holds"
    return ThresholdCheck("precision", threshold, one.estimate, two.estimate, coverage, outcome)


def _accepted_share(paired: PairedPictures, rows: Indices, first: int, second: int) -> ThresholdCheck:
    threshold = float(np.quantile(paired.ood_score[first, rows], 1 - TARGET))
    units = np.unique(paired.clusters[rows], return_inverse=True)[1]
    one, two = (clustered_share(paired.ood_score[model, rows] >= threshold, units) for model in (first, second))
    low, high = share_difference(two, one)
    outcome: Outcome = "inconclusive"
    if low > 0 or high < 0:
        outcome = "breaks"
    elif low >= -TOLERANCE and high <= TOLERANCE:
        outcome = "holds"
    return ThresholdCheck("tpr", threshold, one.estimate, two.estimate, (one.value, two.value), outcome)


def precision_threshold(confidence: Floats, correct: Flags, target: float = TARGET) -> float | None:
    """The lowest threshold at which at least the target share of accepted answers is correct; None where there is none.

    >>> precision_threshold(np.float32([0.9, 0.8, 0.7, 0.6]), np.array([True, True, False, True]), target=0.75)
    0.6000000238418579
    """
    order = np.argsort(-confidence, kind="stable")
    ranked = confidence[order]
    precision = np.cumsum(correct[order]) / np.arange(1, len(order) + 1)
    last = np.append(ranked[1:] != ranked[:-1], True)  # answers of one confidence are accepted together
    fitting = np.flatnonzero(last & (precision >= target))
    return float(ranked[fitting[-1]]) if len(fitting) else None
