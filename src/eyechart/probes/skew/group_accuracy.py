"""How often pictures of each group are named rightly, and of which group least."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Flags
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.slices import together
from eyechart.probes.probe import ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, class_prompts, known_classes
from eyechart.probes.tasks.groups import Subgroup


def naming_texts(request: TextRequest[Any] | ProbeInput[Any]) -> list[str]:
    """The classes in the first prompt set; none where pictures have no labels, or the model does not hear these texts."""
    classes = request.dataset.classes
    if classes is None or not request.dataset.has("label") or not request.prompts:
        return []
    said = [text for of_class in class_prompts(classes, request.prompts[0]) for text in of_class]
    return said if request.can_encode(said) else []


def group_accuracy(inputs: ProbeInput[Any], people: Sequence[Subgroup]) -> list[Finding]:
    """Of every group, and of the worst of them; nothing where pictures cannot be named, or no group has any with a label."""
    if not naming_texts(inputs):
        return []
    labelled = inputs.dataset.label_indices() >= 0
    groups = [s for s in people if (s.members & labelled).any() and (s.others & labelled).any()]
    return list(_findings(inputs, groups, labelled)) if groups else []


def _findings(inputs: ProbeInput[Any], groups: Sequence[Subgroup], labelled: Flags) -> Iterator[Finding]:
    classifier = build_classifier(known_classes(inputs), inputs.prompts[0], inputs.texts)
    right = best_classes(inputs.images, classifier.vectors, classifier.duplicates) == inputs.dataset.label_indices()
    _, units = np.unique(inputs.clusters, return_inverse=True)

    def share(rows: Flags, level: float = 0.95) -> ClusteredShare:
        return clustered_share(right[rows & labelled], units[rows & labelled], level=level)

    found = [(s, share(s.members)) for s in groups]
    for group, of in found:
        low, high = of.estimate.low, of.estimate.high
        yield Finding(
            metric="group_accuracy", value=of.value, n=of.n, low=low, high=high, slice=_where(inputs, group), interval=HOW
        )
    worst, _ = min(found, key=lambda one: (one[1].value, -one[1].n))
    level, where = together(0.95, len(groups)), _where(inputs, worst)
    mine, rest = share(worst.members, level), share(worst.others, level)
    how = f"for all {len(groups)} groups together"
    low, high = mine.estimate.low, mine.estimate.high
    yield Finding(
        metric="worst_group_accuracy", value=mine.value, n=mine.n, low=low, high=high, slice=where, interval=f"{HOW} {how}"
    )
    low, high = share_difference(mine, rest)
    gap = mine.value - rest.value
    yield Finding(
        metric="worst_group_gap",
        value=gap,
        n=mine.n,
        low=low,
        high=high,
        slice=where,
        interval=f"{HOW_TWO} {how}",
        baseline="all others",
    )


def _where(inputs: ProbeInput[Any], group: Subgroup) -> dict[str, object]:
    ((attribute, value),) = group.slice.items()
    return {"attribute": attribute, "group": str(value), "prompts": inputs.prompts[0].name}
