import numpy as np

from eyechart.metrics.classification import near_duplicates
from eyechart.metrics.classification.near_duplicates import near_pairs
from eyechart.metrics.vectors import unit


def test_all_pairs_one_by_one_agree(monkeypatch):
    monkeypatch.setattr(near_duplicates, "_BLOCK", 7)
    rng = np.random.default_rng(0)
    a, b = (unit(rng.normal(size=(n, 3)).astype(np.float32)) for n in (30, 20))
    for other in (None, b):
        theirs = a if other is None else other
        cosines = {(i, j): float(a[i] @ theirs[j]) for i in range(30) for j in range(len(theirs)) if other is not None or i < j}
        expected = sorted((pair for pair, cosine in cosines.items() if cosine >= 0.9), key=lambda pair: -cosines[pair])
        assert expected and [tuple(p) for p in near_pairs(a, other, 0.9, 1000).tolist()] == expected
        assert [tuple(p) for p in near_pairs(a, other, 0.9, 3).tolist()] == expected[:3]
    assert near_pairs(a, None, 1.1, 10).shape == (0, 2)


def test_of_pictures_that_are_all_alike_the_first_pairs_are_kept(monkeypatch):
    monkeypatch.setattr(near_duplicates, "_BLOCK", 50)
    same = np.tile(np.array([[1.0, 0.0]], np.float32), (120, 1))
    assert near_pairs(same, None, 0.9, 4).tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]
    assert near_pairs(same, same, 0.9, 121).tolist() == [*([0, j] for j in range(120)), [1, 0]]
