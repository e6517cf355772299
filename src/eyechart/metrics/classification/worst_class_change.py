"""How much the accuracy of the worst class changed between two models, whichever class that is for each."""

from typing import NamedTuple

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share, share_difference

HOW = "paired by picture: bounds over the classes that may be the worst (Bonferroni), 95% or more"


class Change(NamedTuple):
    value: float
    low: float
    high: float


def worst_class_change(first: Flags, second: Flags, classes: Indices, clusters: Indices) -> Change:
    r"""min_c p₂(c) − min_c p₁(c), with an interval that holds whichever class is the worst.

    With a the worst class of the first model and b that of the second, p₂(b) − p₁(b) ≤ min p₂ − min p₁ ≤ p₂(a) − p₁(a). The worst
    class is unknown, so the bounds are taken over all classes that may be it: those whose interval reaches below the upper end of
    every other. Intervals hold for all classes together (Bonferroni): half of the 5% is spent on which class is the worst, and
    half on the paired differences. The intervals of the first half bound both minima themselves, and the closer bound counts.

    Args:
        first: Whether the first model is correct.
        second: Whether the second model is.
        classes: The true class of each row.
        clusters: Equal numbers mark rows that are not independent: copies of a picture, and versions of one.
    """
    numbers = np.unique(classes)
    units = np.unique(clusters, return_inverse=True)[1]
    level, level_of_difference = 1 - 0.0125 / len(numbers), 1 - 0.025 / len(numbers)

    def shares(hits: Flags, level: float) -> list[ClusteredShare]:
        return [clustered_share(hits[classes == c], units[classes == c], level=level) for c in numbers]

    one, two = shares(first, level_of_difference), shares(second, level_of_difference)
    differences = [share_difference(b, a) for a, b in zip(one, two, strict=True)]
    value = min(share.value for share in two) - min(share.value for share in one)
    before, after = _Worst.of(shares(first, level)), _Worst.of(shares(second, level))
    high = min(max(differences[c].high for c in before.candidates), after.high - before.low)
    low = max(min(differences[c].low for c in after.candidates), after.low - before.high)
    return Change(value, min(low, value), max(high, value))


class _Worst(NamedTuple):
    """Bounds of the lowest accuracy, and the places of the classes that may have it."""

    low: float
    high: float
    candidates: list[int]

    @classmethod
    def of(cls, shares: list[ClusteredShare]) -> "_Worst":
        high = min(share.estimate.high for share in shares)
        candidates = [place for place, share in enumerate(shares) if share.estimate.low <= high]
        return cls(min(share.estimate.low for share in shares), high, candidates)
