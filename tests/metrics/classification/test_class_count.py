import numpy as np

from eyechart.metrics.classification.class_count import class_orders, first_rivals, list_lengths


def test_lengths_grow_to_the_whole_list():
    assert list_lengths(18) == [2, 5, 10, 18]
    assert list_lengths(1000) == [2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert list_lengths(2) == [2]


def test_brute_force_agrees():
    rng = np.random.default_rng(0)
    scores, truth = rng.normal(size=(60, 12)).astype(np.float32), rng.integers(0, 12, 60)
    scores[5, 3] = scores[5, truth[5]]  # a tie
    orders = class_orders(12, 4, seed=1)
    place, first = first_rivals(scores, truth, orders)
    for o, order in enumerate(orders):
        for k in (2, 5, 12):
            listed = order[:k]
            for i in range(60):
                assert (place[o, i] < k) == (truth[i] in listed)
                if truth[i] in listed:
                    others = [c for c in listed if c != truth[i]]
                    right = all(scores[i, c] < scores[i, truth[i]] for c in others)
                    assert right == (first[o, i] >= k)
