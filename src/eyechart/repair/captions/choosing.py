"""Choice of a way to encode captions: a significant gain for its purpose, at the least cost for the other."""

from collections.abc import Mapping, Sequence

import numpy as np

from eyechart.arrays import Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share, share_difference
from eyechart.repair.captions.trial_results import TrialResults
from eyechart.repair.captions.vectors import AS_IS

Scores = Mapping[str, ClusteredShare]  # way → share of trials passed


def scores(results: Sequence[TrialResults], purposes: Sequence[str], clusters: Indices) -> dict[str, ClusteredShare]:
    """The score of every way. Purposes have equal weights, and so have the kinds of trials within a purpose."""
    of_purpose = [[r for r in results if r.purpose == purpose and r.counts] for purpose in purposes]
    weights = [1 / len(purposes) / len(kinds) for kinds in of_purpose for _ in kinds]
    kinds = [r for group in of_purpose for r in group]
    units = np.concatenate([clusters[r.rows] for r in kinds])
    groups = np.repeat(np.arange(len(kinds)), [len(r.rows) for r in kinds])
    return {
        way: clustered_share(np.concatenate([r.hits[way] for r in kinds]), units, groups=groups, weights=weights)
        for way in kinds[0].hits
    }


def choose(own: Scores, others: Sequence[Scores] = ()) -> str:
    """The way to use, or "as is".

    A way encodes many texts for one caption, so its gain must be significant. Ways that are not significantly worse than the
    best count as equal; among them the highest sum of all scores wins, so that a tenth of a point in matching does not cost
    forty in retrieval.

    Args:
        own: Scores for the purpose of the choice.
        others: Scores for everything else that was measured.
    """
    better = [way for way in own if way != AS_IS and share_difference(own[way], own[AS_IS]).low > 0]
    if not better:
        return AS_IS
    best = max(better, key=lambda way: own[way].value)
    equal = [way for way in better if way == best or share_difference(own[best], own[way]).low <= 0]
    return max(equal, key=lambda way: own[way].value + sum(other[way].value for other in others))
