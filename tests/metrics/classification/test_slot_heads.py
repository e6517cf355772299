import numpy as np
from sklearn.linear_model import LogisticRegression

from eyechart.metrics.classification.linear_heads import Split, split_rows
from eyechart.metrics.classification.slot_heads import slot_hits
from eyechart.metrics.vectors import unit


def scenes(rng, n, weights, names=6, noise=0.3):
    objects = np.argsort(rng.random((n, names)), axis=1)[:, : len(weights)]
    axes = rng.standard_normal((names, 12))
    vectors = sum(w * axes[objects[:, k]] for k, w in enumerate(weights)) + noise * rng.standard_normal((n, 12))
    return unit(vectors.astype(np.float32)), objects


def test_hits_are_those_of_scikit_learns_heads():
    vectors, objects = scenes(np.random.default_rng(0), 600, (1.0, 0.5))
    split = split_rows(600, seed=1)
    ours = slot_hits(vectors, objects, split, classes=6, penalties=(1e-4,))
    for k in range(2):
        theirs = LogisticRegression(C=1 / (len(split.fit) * 1e-4), tol=1e-8, max_iter=10_000)
        theirs.fit(vectors[split.fit].astype(float), objects[split.fit, k])
        expected = theirs.predict(vectors[split.judge].astype(float)) == objects[split.judge, k]
        assert (ours.hits[:, k] == expected).mean() > 0.98
    assert ours.converged
    assert ours.unseen == 0


def test_what_weighs_more_is_told_better():
    hits = slot_hits(*scenes(np.random.default_rng(1), 1500, (1.0, 0.3)), split_rows(1500, seed=0), classes=6).hits.mean(axis=0)
    assert hits[0] > hits[1] + 0.1


def test_things_that_no_scene_to_fit_on_had_are_counted_and_missed():
    vectors, objects = scenes(np.random.default_rng(2), 300, (1.0, 0.8))
    last = (objects[:, 0] == 5) | (objects[:, 1] == 5)
    split = Split(np.flatnonzero(~last), np.flatnonzero(~last)[:50], np.flatnonzero(last))
    found = slot_hits(vectors, objects, split, classes=6)
    strange = objects[split.judge] == 5
    assert not found.hits[strange].any()
    assert found.unseen == strange.mean()
