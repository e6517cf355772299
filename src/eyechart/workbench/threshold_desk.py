"""Thresholds live: temperature, abstention and OOD rejection, with their effect overall and in every group."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.errors import UsageError
from eyechart.metrics.calibration.ece import gaps
from eyechart.metrics.calibration.selective import aurc, risk_coverage
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.repair.classifier_outcome import ClassifierOutcome, predict, predict_by_scores
from eyechart.repair.evaluation import HeldOut, abstention_findings
from eyechart.workbench.design_desk import DesignDesk, Half, finding_json
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.ood_rejection import MOST_POINTS, rejection, score_ood
from eyechart.workbench.saved_classifier import live_classifier, own_label
from eyechart.workbench.thresholds import Thresholds


class ThresholdDesk:
    """The thresholds of one class list.

    Args:
        desk: The model and dataset.
        design: The class list.
    """

    def __init__(self, desk: DesignDesk, design: LiveDesign) -> None:
        self._desk, self.design = desk, design
        self._outcomes: dict[tuple[str, float], ClassifierOutcome] = {}
        self.ood, self.notices = score_ood(desk, design)

    def answer(self, half: Half, at: Thresholds) -> dict[str, Any]:
        """Everything that the sliders change, on one half of the pictures."""
        outcome = self._outcome(half, at)
        accepted = None if at.reject is None else self.ood.inside[at.score][half.rows] >= at.reject
        abstained = outcome.confidence < at.abstain
        kept = ClassifierOutcome(
            outcome.answers,
            outcome.correct,
            outcome.confidence,
            outcome.label_probability,
            abstained if accepted is None else abstained | ~accepted,
            None,
            None,
        )
        labeled = np.zeros(len(half.rows), np.bool_) if half.labels is None else half.labels >= 0
        answer: dict[str, Any] = {"n": len(half.rows), "labeled": int(labeled.sum()), "ood": rejection(self.ood, half, at)}
        if labeled.any():
            answer |= self._selective(half, outcome, kept, labeled)
        return answer

    def accepted_outside(self, score: str, least: float) -> Mapping[str, Any] | None:
        """The share of out-of-distribution pictures with at least this score; None where the run has none.

        Args:
            score: The OOD score.
            least: The threshold.
        """
        if not self.ood.sets or score not in self.ood.outside:
            return None
        return finding_json(share_finding("fpr", clustered_share(self.ood.outside[score] >= least, self.ood.units)))

    def _selective(self, half: Half, outcome: ClassifierOutcome, kept: ClassifierOutcome, labeled: Flags) -> dict[str, Any]:
        """Risk, coverage and calibration over the labeled pictures, with the findings of `repair`."""
        rows = np.flatnonzero(labeled)
        confidence, wrong = outcome.confidence[rows], ~outcome.correct[rows]
        coverage, risk = risk_coverage(confidence, wrong, MOST_POINTS)
        found = gaps(confidence, ~wrong)
        sizes = found.sizes
        confident = np.bincount(found.of_row, confidence, minlength=len(found.bins))
        right = np.bincount(found.of_row, ~wrong, minlength=len(found.bins))
        bins = [
            {"confidence": float(c / n), "accuracy": float(r / n), "n": int(n)}
            for c, r, n in zip(confident, right, sizes, strict=True)
            if n
        ]
        held = HeldOut(np.full(len(half.rows), ""), {}, half.units, half.people, 0, (), 0)
        if not labeled.all():
            held = HeldOut(np.full(len(rows), ""), {}, np.unique(half.units[rows], return_inverse=True)[1], [], 0, (), 0)
            kept = _taken(kept, rows)
        return {
            "risk_coverage": {"coverage": coverage.tolist(), "risk": risk.tolist()},
            "aurc": aurc(confidence, wrong),
            "ece": found.ece,
            "overconfidence": float(confidence.mean() - (~wrong).mean()),
            "reliability": bins,
            "accuracy": float((~wrong).mean()),
            "abstention": [finding_json(f) for f in abstention_findings(kept, held)],
        }

    def _outcome(self, half: Half, at: Thresholds) -> ClassifierOutcome:
        key = (half.name, at.temperature)
        if key not in self._outcomes:
            while len(self._outcomes) > 16:
                self._outcomes.pop(next(iter(self._outcomes)))
            self._outcomes[key] = self._predicted(half, at.temperature)
        return self._outcomes[key]

    def _predicted(self, half: Half, temperature: float) -> ClassifierOutcome:
        labels = self._desk.own_labels(self.design, half)
        if self._desk.opened.names is None:
            classifier = live_classifier(self._desk, self.design, temperature=temperature)
            return predict(classifier, self._desk.pictures.vectors[half.rows], labels)
        if not 0.01 <= temperature <= 100:
            raise UsageError("temperature must be 0.01 to 100")
        scores = np.stack([column[half.rows] for column in self._desk.scores(self.design)], axis=1)
        own = [own_label(c.labels, c.name) for c in self.design.classes]
        return predict_by_scores(scores / temperature, own, labels)


def _taken(outcome: ClassifierOutcome, rows: Indices) -> ClassifierOutcome:
    return ClassifierOutcome(
        outcome.answers[rows],
        outcome.correct[rows],
        outcome.confidence[rows],
        outcome.label_probability[rows],
        outcome.abstained[rows],
        None,
        None,
    )
