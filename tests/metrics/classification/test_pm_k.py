import numpy as np
import pytest

from eyechart.metrics.classification.pm_k import pm_k


def test_a_neighbor_spoils_an_anchor_only_within_reach():
    # Frames 0 … 4; anchors 1 and 3 with a neighbor on each side, one and two frames away; frame 4 is wrong.
    right = np.array([True, True, True, True, False])
    anchors = np.array([1, 3])
    of = np.array([0, 0, 1, 1])
    neighbors, distances = np.array([0, 2, 2, 4]), np.array([1, 1, 1, 2])
    assert pm_k(right, anchors, of, neighbors, distances, 0).tolist() == [True, True]
    assert pm_k(right, anchors, of, neighbors, distances, 1).tolist() == [True, True]
    assert pm_k(right, anchors, of, neighbors, distances, 2).tolist() == [True, False]


def test_a_wrong_anchor_is_not_saved_by_its_neighbors():
    right = np.array([True, False, True])
    found = pm_k(right, np.array([1]), np.array([0, 0]), np.array([0, 2]), np.array([1, 1]), 10)
    assert found.tolist() == [False]


@pytest.mark.parametrize("k", [0, 3, 10])
def test_agrees_with_a_loop_over_sets(k):
    """The published scoring: an anchor counts if every frame of its set is right."""
    rng = np.random.default_rng(0)
    right = rng.random(400) < 0.9
    anchors = rng.choice(np.arange(20, 380), 30, replace=False)
    sets = {a: [(n, abs(n - a)) for n in range(a - 10, a + 11) if n != a and rng.random() < 0.9] for a in anchors}
    expected = [bool(right[a]) and all(right[n] for n, d in sets[a] if d <= k) for a in anchors]
    triples = [(i, n, d) for i, a in enumerate(anchors) for n, d in sets[a]]
    of, neighbors, distances = np.array(triples).T
    assert pm_k(right, anchors, of, neighbors, distances, k).tolist() == expected
