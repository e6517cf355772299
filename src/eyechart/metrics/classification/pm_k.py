"""pm-k accuracy on videos: an answer counts only if the frames around it are classified correctly too (Shankar et al., 2021)."""

import numpy as np

from eyechart.arrays import Flags, Indices


def pm_k(right: Flags, anchors: Indices, of: Indices, neighbors: Indices, distances: Indices, k: int) -> Flags:
    """For each anchor, whether it and every neighbor at most k frames away are correct. pm-k accuracy is the mean.

    right: Correctness of every frame. anchors: rows of frames. Neighbors are given as triples: `neighbors[i]` (a row of frames)
    belongs to anchor number `of[i]`, `distances[i]` frames away.

    >>> right = np.array([True, True, False])
    >>> pm_k(right, np.array([0, 1]), np.array([0, 1]), np.array([1, 2]), np.array([1, 9]), 5)
    array([ True,  True])
    """
    wrong = ~right[neighbors] & (distances <= k)
    spoiled = np.bincount(of[wrong], minlength=len(anchors)) > 0
    return np.asarray(right[anchors] & ~spoiled)
