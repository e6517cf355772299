"""How often pictures of each group are named rightly, and of which group least."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.metrics.classification import best_classes
from eyechart.metrics.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.slices import together
from eyechart.probes._classifier import build_classifier, class_prompts, known_classes
from eyechart.probes._subgroups import Subgroup
from eyechart.probes.probe import Asked, Given

Flags = npt.NDArray[np.bool_]


def naming_texts(asked: Asked | Given) -> list[str]:
    """The classes in the first prompt set; none where pictures have no labels, or the model does not hear these texts."""
    classes = asked.dataset.classes
    if classes is None or not asked.dataset.has("label") or not asked.prompts:
        return []
    said = [text for of_class in class_prompts(classes, asked.prompts[0]) for text in of_class]
    return said if asked.hears(said) else []


def group_accuracy(given: Given, people: Sequence[Subgroup]) -> list[Finding]:
    """Of every group, and of the worst of them; nothing where pictures cannot be named, or no group has any with a label."""
    if not naming_texts(given):
        return []
    labelled = given.dataset.label_indices() >= 0
    groups = [s for s in people if (s.members & labelled).any() and (s.others & labelled).any()]
    return list(_findings(given, groups, labelled)) if groups else []


def _findings(given: Given, groups: Sequence[Subgroup], labelled: Flags) -> Iterator[Finding]:
    classifier = build_classifier(known_classes(given), given.prompts[0], given.texts)
    right = best_classes(given.images, classifier.vectors, classifier.twins) == given.dataset.label_indices()
    _, units = np.unique(given.clusters, return_inverse=True)

    def share(rows: Flags, level: float = 0.95) -> ClusteredShare:
        return clustered_share(right[rows & labelled], units[rows & labelled], level=level)

    found = [(s, share(s.members)) for s in groups]
    for group, of in found:
        low, high = of.estimate.low, of.estimate.high
        yield Finding("group_accuracy", of.value, of.n, low, high, _where(given, group), interval=HOW)
    worst, _ = min(found, key=lambda one: (one[1].value, -one[1].n))
    level, where = together(0.95, len(groups)), _where(given, worst)
    mine, rest = share(worst.members, level), share(worst.others, level)
    how = f"for all {len(groups)} groups together"
    low, high = mine.estimate.low, mine.estimate.high
    yield Finding("worst_group_accuracy", mine.value, mine.n, low, high, where, interval=f"{HOW} {how}")
    low, high = share_difference(mine, rest)
    gap = mine.value - rest.value
    yield Finding("worst_group_gap", gap, mine.n, low, high, where, "fraction", True, f"{HOW_TWO} {how}", "all others")


def _where(given: Given, group: Subgroup) -> dict[str, object]:
    ((attribute, value),) = group.slice.items()
    return {"attribute": attribute, "group": str(value), "prompts": given.prompts[0].name}
