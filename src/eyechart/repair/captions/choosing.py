"""Which way of saying captions is taken: one that does more for its purpose than chance would, and least harm to the other."""

from collections.abc import Mapping, Sequence

import numpy as np

from eyechart.arrays import Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share, share_difference
from eyechart.repair.captions.trials import Tried
from eyechart.repair.captions.vectors import AS_IS

Scores = Mapping[str, ClusteredShare]  # of every way to say captions


def scores(tried: Sequence[Tried], purposes: Sequence[str], clusters: Indices) -> dict[str, ClusteredShare]:
    """Of every way: each purpose weighs the same, and each kind of trial that counts within it."""
    of = [[t for t in tried if t.purpose == purpose and t.counts] for purpose in purposes]
    weights = [1 / len(purposes) / len(kinds) for kinds in of for _ in kinds]
    kinds = [t for of_purpose in of for t in of_purpose]
    units = np.concatenate([clusters[t.rows] for t in kinds])
    groups = np.repeat(np.arange(len(kinds)), [len(t.rows) for t in kinds])
    return {
        way: clustered_share(np.concatenate([t.hits[way] for t in kinds]), units, groups=groups, weights=weights)
        for way in kinds[0].hits
    }


def choose(own: Scores, besides: Sequence[Scores] = ()) -> str:
    """`own`: at what the way is chosen for; `besides`: at everything else that was measured.

    A way costs many texts for one, so it has to earn them: its gain is one that chance alone does not bring. Of those, all that
    do as well as the best as far as one can tell are equal, and the one with the highest sum of all scores is taken: a tenth of
    a point at matching is no reason to give away forty at retrieval."""
    better = [way for way in own if way != AS_IS and share_difference(own[way], own[AS_IS]).low > 0]
    if not better:
        return AS_IS
    best = max(better, key=lambda way: own[way].value)
    equal = [way for way in better if way == best or share_difference(own[best], own[way]).low <= 0]
    return max(equal, key=lambda way: own[way].value + sum(of[way].value for of in besides))
