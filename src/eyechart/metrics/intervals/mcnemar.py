"""McNemar's exact test: do two classifiers differ on the same pictures?"""

from typing import NamedTuple

import numpy as np

from eyechart.arrays import Counts, Flags
from eyechart.metrics.special import bdtr


class Changes(NamedTuple):
    """How many pictures changed between two classifiers.

    gained: Wrong with the first, correct with the second.
    lost: Correct with the first, wrong with the second.
    """

    gained: int
    lost: int


def exact_mcnemar(changes: Changes) -> float:
    """Two-sided p of the exact test (McNemar, 1947): of the g + l changes, gains are Binomial(g + l, ½). 1 without a change.

    >>> round(exact_mcnemar(Changes(gained=8, lost=1)), 4)
    0.0391
    """
    total = sum(changes)
    return min(1.0, 2 * float(bdtr(min(changes), total, 0.5))) if total else 1.0


def changed_clusters(first: Flags, second: Flags, clusters: Counts) -> Changes:
    """Gains and losses where several rows show one picture: each cluster counts once, in the direction of most of its rows."""
    _, index = np.unique(clusters, return_inverse=True)
    direction = np.bincount(index, second.astype(float) - first.astype(float))
    return Changes(int((direction > 0).sum()), int((direction < 0).sum()))
