"""Thresholds live: temperature, abstention and OOD rejection, with their effect overall and in every group."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.errors import EyechartError, UsageError
from eyechart.metrics.calibration.ece import gaps
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.selective import aurc, risk_coverage
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.ranking.auroc import auroc, fpr95, roc_curve
from eyechart.metrics.ranking.ood_scores import SCORES, ood_scores
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.ood_rows import id_rows, ood_rows
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.repair.classifier_outcome import ClassifierOutcome, predict, predict_by_scores
from eyechart.repair.evaluation import HeldOut, abstention_findings
from eyechart.workbench.design_desk import DesignDesk, Half, finding_json
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.saved_classifier import live_classifier, own_label

BINS = 40  # of the histogram of an OOD score
MOST_POINTS = 120  # of a curve


@dataclass(frozen=True)
class Thresholds:
    """Where the sliders stand.

    temperature: What logits are divided by.
    abstain: The least probability of an answer.
    score: The OOD score.
    reject: The least score of a picture that is taken for in-distribution; None for no rejection.
    """

    temperature: float = 1.0
    abstain: float = 0.0
    score: str = "mcm"
    reject: float | None = None

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise UsageError(f"the OOD score must be one of {', '.join(SCORES)}")
        if not all(np.isfinite(v) for v in (self.temperature, self.abstain, self.reject or 0.0)):
            raise UsageError("a threshold is not a number")


@dataclass(frozen=True, eq=False)
class _OodPictures:
    """Scores of in-distribution and out-of-distribution pictures, by name.

    inside: Scores of all pictures of the dataset.
    known: Which of them are in-distribution.
    outside: Scores of the others.
    units: Equal numbers mark copies among the others.
    sets: The names of their sets.
    """

    inside: dict[str, Doubles]
    known: Flags
    outside: dict[str, Doubles]
    units: Indices
    sets: list[str]


class ThresholdDesk:
    """The thresholds of one class list.

    Args:
        desk: The model and dataset.
        design: The class list.
    """

    def __init__(self, desk: DesignDesk, design: LiveDesign) -> None:
        self._desk, self.design = desk, design
        self._outcomes: dict[tuple[str, float], ClassifierOutcome] = {}
        self.notices: list[str] = []
        self._ood = self._score_ood()

    def answer(self, half: Half, at: Thresholds) -> dict[str, Any]:
        """Everything that the sliders change, on one half of the pictures."""
        outcome = self._outcome(half, at)
        accepted = None if at.reject is None else self._ood.inside[at.score][half.rows] >= at.reject
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
        answer: dict[str, Any] = {"n": len(half.rows), "labeled": int(labeled.sum()), "ood": self._rejection(half, at)}
        if labeled.any():
            answer |= self._selective(half, outcome, kept, labeled)
        return answer

    def accepted_outside(self, score: str, least: float) -> Mapping[str, Any] | None:
        """The share of out-of-distribution pictures with at least this score; None where the run has none.

        Args:
            score: The OOD score.
            least: The threshold.
        """
        if not self._ood.sets or score not in self._ood.outside:
            return None
        return finding_json(share_finding("fpr", clustered_share(self._ood.outside[score] >= least, self._ood.units)))

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

    def _rejection(self, half: Half, at: Thresholds) -> dict[str, Any] | None:
        """TPR and FPR of the OOD threshold, the ROC curve and the histogram; None without out-of-distribution pictures."""
        ood = self._ood
        if not ood.sets or at.score not in ood.inside:
            return None
        mine = half.rows[ood.known[half.rows]]
        inside, outside = ood.inside[at.score][mine], ood.outside[at.score]
        low, high = float(min(inside.min(), outside.min())), float(max(inside.max(), outside.max()))
        edges = np.linspace(low, high, BINS + 1)
        wrong, right = roc_curve(inside, outside, MOST_POINTS)
        units = np.unique(half.units[np.isin(half.rows, mine)], return_inverse=True)[1]
        answer: dict[str, Any] = {
            "sets": ood.sets,
            "range": [low, high],
            "auroc": auroc(inside, outside),
            "fpr95": fpr95(inside, outside),
            "at95": float(np.quantile(inside, 0.05)),
            "n_inside": len(inside),
            "n_outside": len(outside),
            "roc": {"fpr": wrong.tolist(), "tpr": right.tolist()},
            "histogram": {
                "edges": edges.tolist(),
                "inside": (np.histogram(inside, edges)[0] / len(inside)).tolist(),
                "outside": (np.histogram(outside, edges)[0] / len(outside)).tolist(),
            },
        }
        if at.reject is not None:
            answer["tpr"] = finding_json(share_finding("tpr", clustered_share(inside >= at.reject, units)))
            answer["fpr"] = finding_json(share_finding("fpr", clustered_share(outside >= at.reject, ood.units)))
            whole = ood.inside[at.score][half.rows] >= at.reject
            answer["groups"] = [
                {"group": s.title, **finding_json(share_finding("accepted", clustered_share(whole[m], half.units[m])))}
                for s, m in zip(half.people, half.members, strict=True)
                if not s.crossed
            ]
        return answer

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

    def _score_ood(self) -> _OodPictures:
        desk, opened = self._desk, self._desk.opened
        vectors, duplicates = desk.class_vectors(self.design)
        scale = opened.logits[0]
        main = desk.probe_input()
        for name in opened.run.companions:
            facts = opened.run.dataset_facts(name)
            if facts.get("role") == "ood" and facts.get("of") in (None, desk.dataset):
                try:
                    main.companions[name] = desk.probe_input(name)  # type: ignore[index]
                except EyechartError as error:
                    self.notices.append(str(error))

        def scores(of: ProbeInput[Any], rows: Indices) -> dict[str, Doubles]:
            opened.score(of.dataset.name, [c.names for c in self.design.classes], self.design.templates)
            return ood_scores(CosineLogits(of.images, vectors, 1.0, 0.0, duplicates, rows), 1.0, scale).by_name

        groups = ood_rows(main)
        known = np.zeros(len(main.images), np.bool_)
        known[id_rows(main)] = True
        others = [scores(group.of, group.rows) for group in groups]
        inside = scores(main, np.arange(len(main.images)))
        outside = {name: np.concatenate([o[name] for o in others]) if others else np.empty(0) for name in inside}
        units = np.concatenate([group.clusters for group in groups]) if groups else np.empty(0, np.int64)
        return _OodPictures(inside, known, outside, np.unique(units, return_inverse=True)[1], [group.name for group in groups])


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
