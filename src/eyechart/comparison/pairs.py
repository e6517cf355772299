"""Two models on the same pictures: the difference of accuracy, over all pictures and by class, and every changed prediction."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.comparison.changed import changed_table
from eyechart.comparison.pairing import PairedPictures
from eyechart.comparison.thresholds import ThresholdCheck, check_thresholds
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.metrics.intervals.mcnemar import Changes, changed_clusters, exact_mcnemar
from eyechart.metrics.intervals.mover import Estimate
from eyechart.metrics.multiplicity import benjamini_hochberg

LEVEL = 0.05  # p-values below it count as a difference
PAIRED = "paired by picture: MOVER from two clustered Wilson intervals (Newcombe's method 10), 95%; exact McNemar"
MOST_FLIPS = 20  # pairs of classes that are listed


@dataclass(frozen=True)
class PairedDifference:
    """The accuracy of the second model minus that of the first.

    first: Accuracy of the first model.
    second: Accuracy of the second model.
    value: The difference.
    low: Lower end of its 95% interval.
    high: Upper end.
    p: Exact McNemar, two-sided.
    q: p after the correction for several tests; p itself where there is one test.
    gained: Pictures that only the second model classifies correctly.
    lost: Pictures that only the first model classifies correctly.
    n: Pictures.
    """

    first: Estimate
    second: Estimate
    value: float
    low: float
    high: float
    p: float
    q: float
    gained: int
    lost: int
    n: int

    @property
    def separable(self) -> bool:
        return self.q < LEVEL


@dataclass(frozen=True)
class Flips:
    """Pictures with another predicted class.

    share: Their share of all pictures, labelled or not.
    n: All pictures.
    count: How many changed.
    both_wrong: How many of them are wrong with both models.
    classes: The most frequent changes: (class by the first model, class by the second, pictures).
    """

    share: Estimate
    n: int
    count: int
    both_wrong: int
    classes: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Two models on one dataset and prompt set.

    first: The name of the first model, the reference.
    second: The name of the second model.
    top1: The difference of top-1 accuracy; `q` is Holm's over all pairs of the dataset.
    classes: The same for each class; `q` is Benjamini and Hochberg's over classes.
    flips: Changed predictions.
    thresholds: Thresholds of the first model, applied to the second.
    gained: Ids of the pictures that only the second model classifies correctly.
    lost: Ids of the pictures that only the first model does.
    changed: Every picture with another predicted class, one row each.
    """

    first: str
    second: str
    top1: PairedDifference
    classes: dict[str, PairedDifference]
    flips: Flips
    thresholds: tuple[ThresholdCheck, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changed: pa.Table


def compare_pair(paired: PairedPictures, names: tuple[str, str], first: int, second: int) -> ModelPair:
    """Everything about two of the models; at least one picture has a label."""
    rows = paired.labelled
    before, after = paired.correct[first], paired.correct[second]
    return ModelPair(
        *names,
        top1=paired_difference(before[rows], after[rows], paired.clusters[rows]),
        classes=_by_class(paired, rows, before, after),
        flips=_flips(paired, first, second),
        thresholds=tuple(check_thresholds(paired, first, second)),
        gained=tuple(paired.ids[row] for row in rows[after[rows] & ~before[rows]]),
        lost=tuple(paired.ids[row] for row in rows[before[rows] & ~after[rows]]),
        changed=changed_table(paired, names, first, second),
    )


def paired_difference(first: Flags, second: Flags, clusters: Indices) -> PairedDifference:
    """Two models on the same pictures, at least one. Rows of one cluster show the same picture, and count once."""
    _, units = np.unique(clusters, return_inverse=True)
    one, two = clustered_share(first, units), clustered_share(second, units)
    low, high = share_difference(two, one)
    p = exact_mcnemar(changed_clusters(first, second, units))
    changes = Changes(int((second & ~first).sum()), int((first & ~second).sum()))
    return PairedDifference(one.estimate, two.estimate, two.value - one.value, low, high, p, p, *changes, n=len(first))


def _by_class(paired: PairedPictures, rows: Indices, before: Flags, after: Flags) -> dict[str, PairedDifference]:
    truth = paired.truth[rows]
    order = np.argsort(truth, kind="stable")
    classes, starts = np.unique(truth[order], return_index=True)
    found = {}
    for number, mine in zip(classes, np.split(order, starts[1:]), strict=True):
        of = rows[mine]
        found[paired.classes[number]] = paired_difference(before[of], after[of], paired.clusters[of])
    corrected = benjamini_hochberg([difference.p for difference in found.values()])
    return {name: replace(d, q=float(q)) for (name, d), q in zip(found.items(), corrected, strict=True)}


def _flips(paired: PairedPictures, first: int, second: int) -> Flips:
    before, after = paired.predicted[first], paired.predicted[second]
    changed = before != after
    units = np.unique(paired.clusters, return_inverse=True)[1]
    wrong = changed & (paired.truth >= 0) & ~paired.correct[first] & ~paired.correct[second]
    counts = Counter(zip(before[changed].tolist(), after[changed].tolist(), strict=True))
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_FLIPS]
    names = paired.classes
    return Flips(
        share=clustered_share(changed, units).estimate,
        n=len(paired),
        count=int(changed.sum()),
        both_wrong=int(wrong.sum()),
        classes=tuple((names[a], names[b], count) for (a, b), count in most),
    )
