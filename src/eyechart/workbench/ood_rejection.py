"""Rejecting out-of-distribution pictures by a score: TPR and FPR of a threshold on each half of the pictures."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.errors import EyechartError
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.ranking.auroc import auroc, fpr95, roc_curve
from eyechart.metrics.ranking.ood_scores import ood_scores
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.ood_rows import OodRows, id_rows, ood_rows
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.workbench.design_desk import SEED, DesignDesk, Half, finding_json
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.thresholds import Thresholds

BINS = 40  # of the histogram of an OOD score
MOST_POINTS = 120  # of a curve
TPR = 0.95


@dataclass(frozen=True, eq=False)
class OodPictures:
    """Scores of in-distribution and out-of-distribution pictures, by name.

    inside: Scores of all pictures of the dataset.
    known: Which of them are in-distribution.
    outside: Scores of the others.
    units: Equal numbers mark copies among the others.
    explored: Which of the others belong to the explored half.
    sets: The names of their sets.
    """

    inside: dict[str, Doubles]
    known: Flags
    outside: dict[str, Doubles]
    units: Indices
    explored: Flags
    sets: list[str]

    def outside_rows(self, half: Half) -> Indices:
        """The out-of-distribution pictures of a half."""
        if half.name == "whole":
            return np.arange(len(self.units))
        return np.flatnonzero(self.explored if half.name == "explored" else ~self.explored)


def threshold_at_tpr(inside: npt.ArrayLike, least: float = TPR) -> float:
    """The highest threshold that at least this share of the scores reaches: of all such thresholds the one with the nearest TPR.

    >>> threshold_at_tpr([1, 2, 3, 4, 5], least=0.7)  # 4 of 5 reach 2; only 3 of 5 reach 3
    2.0
    """
    falling = np.sort(np.asarray(inside, np.float64))[::-1]
    reached = np.arange(1, len(falling) + 1) / len(falling)
    return float(falling[int(np.argmax(reached >= least - 1e-12))])


def rejection(ood: OodPictures, half: Half, at: Thresholds) -> dict[str, Any] | None:
    """TPR and FPR of the OOD threshold on a half, the ROC curve and the histogram; None without out-of-distribution pictures."""
    if not ood.sets or at.score not in ood.inside:
        return None
    mine, others = half.rows[ood.known[half.rows]], ood.outside_rows(half)
    if not len(mine) or not len(others):
        what = "out-of-distribution" if len(mine) else "in-distribution"
        return {"sets": ood.sets, "lacking": f"The {half.name} half has no {what} pictures: there are too few to divide."}
    inside, outside = ood.inside[at.score][mine], ood.outside[at.score][others]
    low, high = float(min(inside.min(), outside.min())), float(max(inside.max(), outside.max()))
    edges = np.linspace(low, high, BINS + 1)
    wrong, right = roc_curve(inside, outside, MOST_POINTS)
    answer: dict[str, Any] = {
        "sets": ood.sets,
        "range": [low, high],
        "auroc": auroc(inside, outside),
        "fpr95": fpr95(inside, outside),
        "at95": threshold_at_tpr(inside),
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
        units = half.units[np.isin(half.rows, mine)]
        answer["tpr"] = finding_json(share_finding("tpr", clustered_share(inside >= at.reject, _counted(units))))
        answer["fpr"] = finding_json(share_finding("fpr", clustered_share(outside >= at.reject, _counted(ood.units[others]))))
        whole = ood.inside[at.score][half.rows] >= at.reject
        answer["groups"] = [
            {"group": s.title, **finding_json(share_finding("accepted", clustered_share(whole[m], half.units[m])))}
            for s, m in zip(half.people, half.members, strict=True)
            if not s.crossed
        ]
    return answer


def score_ood(desk: DesignDesk, design: LiveDesign) -> tuple[OodPictures, list[str]]:
    """The OOD scores of all pictures under a class list, and a sentence for each set that cannot be opened."""
    opened, notices = desk.opened, []
    vectors, duplicates = desk.class_vectors(design)
    scale = opened.logits[0]
    main = desk.probe_input()
    for name in opened.run.companions:
        facts = opened.run.dataset_facts(name)
        if facts.get("role") == "ood" and facts.get("of") in (None, desk.dataset):
            try:
                main.companions[name] = desk.probe_input(name)  # type: ignore[index]
            except EyechartError as error:
                notices.append(str(error))

    def scores(of: ProbeInput[Any], rows: Indices) -> dict[str, Doubles]:
        opened.score(of.dataset.name, [c.names for c in design.classes], design.templates)
        return ood_scores(CosineLogits(of.images, vectors, 1.0, 0.0, duplicates, rows), 1.0, scale).by_name

    groups = ood_rows(main)
    known = np.zeros(len(main.images), np.bool_)
    known[id_rows(main)] = True
    others = [scores(group.of, group.rows) for group in groups]
    inside = scores(main, np.arange(len(main.images)))
    outside = {name: np.concatenate([o[name] for o in others]) if others else np.empty(0) for name in inside}
    units = np.concatenate([group.clusters for group in groups]) if groups else np.empty(0, np.int64)
    explored = [_explored(desk, group, own=group.of is main) for group in groups]
    halves = np.concatenate(explored) if explored else np.empty(0, np.bool_)
    return OodPictures(inside, known, outside, _counted(units), halves, [group.name for group in groups]), notices


def _explored(desk: DesignDesk, group: OodRows, *, own: bool) -> Flags:
    """Which pictures of a set are explored: those of the dataset itself are divided already; copies stay together."""
    if own:
        return np.isin(group.rows, desk.explore.rows)
    return stratified_split(np.zeros(len(group), np.int64), seed=SEED, clusters=group.clusters)


def _counted(units: Indices) -> Indices:
    return np.unique(units, return_inverse=True)[1]
