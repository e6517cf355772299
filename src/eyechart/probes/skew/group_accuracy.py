"""Accuracy of each group, and of the worst group."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Flags
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import known_classes, prompt_texts
from eyechart.probes.tasks.groups import Subgroup
from eyechart.probes.tasks.predictors import Predictor, predictors
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


def group_texts(request: TextRequest[Any] | ProbeInput[Any]) -> list[str]:
    """The class prompts of the first prompt set; none without labels, or where the model cannot encode them."""
    classes = request.dataset.classes
    if classes is None or not request.dataset.has("label") or not request.prompts:
        return []
    prompts = prompt_texts(classes, request.prompts[0])
    return prompts if request.can_encode(prompts) else []


def first_predictor(inputs: ProbeInput[Any]) -> Predictor | None:
    """How the model predicts classes: by the first prompt set, else by its class scores or a file of predictions."""
    if inputs.dataset.classes is None or not inputs.dataset.has("label"):
        return None
    try:
        return predictors(inputs)[0]
    except NotApplicable:
        return None


def group_accuracy(inputs: ProbeInput[Any], predictor: Predictor, people: Sequence[Subgroup]) -> list[Finding]:
    """The accuracy of every group and of the worst one; nothing where no group has labeled pictures."""
    labeled = inputs.dataset.label_indices() >= 0
    groups = [s for s in people if (s.members & labeled).any() and (s.others & labeled).any()]
    return list(_findings(inputs, predictor, groups, labeled)) if groups else []


def _findings(inputs: ProbeInput[Any], predictor: Predictor, groups: Sequence[Subgroup], labeled: Flags) -> Iterator[Finding]:
    truth, every = inputs.dataset.label_indices(), np.arange(len(known_classes(inputs)))
    correct = predictor.predict(inputs, np.arange(len(truth)), every) == truth
    _, units = np.unique(inputs.units, return_inverse=True)

    def share(rows: Flags, level: float = 0.95) -> ClusteredShare:
        return clustered_share(correct[rows & labeled], units[rows & labeled], level=level)

    found = [(s, share(s.members)) for s in groups]
    for group, of in found:
        yield share_finding("group_accuracy", of, _where(predictor, group))
    worst, _ = min(found, key=lambda one: (one[1].value, -one[1].n))
    level, where = sidak_level(0.95, len(groups)), _where(predictor, worst)
    mine, rest = share(worst.members, level), share(worst.others, level)
    how = f"for all {len(groups)} groups together"
    yield share_finding("worst_group_accuracy", mine, where, interval=f"{HOW} {how}")
    yield difference_finding("worst_group_gap", mine, rest, where, baseline="all others", interval=f"{HOW_TWO} {how}")


def _where(predictor: Predictor, group: Subgroup) -> dict[str, object]:
    ((attribute, value),) = group.slice.items()
    return {"attribute": attribute, "group": str(value), **predictor.slice}
