from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from eyechart.metrics.classification import slot_heads
from eyechart.metrics.classification.linear_heads import Split, fold_rows, split_rows
from eyechart.metrics.classification.slot_heads import slot_hits, validated_hits
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


def test_one_fit_that_did_not_converge_is_said(monkeypatch):
    vectors, objects = scenes(np.random.default_rng(3), 120, (1.0, 0.8))
    split = split_rows(120, seed=0)
    choose, seen = slot_heads.choose_head, []

    def first_does_not(*given, **options):
        head = choose(*given, **options)
        seen.append(head)
        return replace(head, converged=len(seen) > 1)

    monkeypatch.setattr(slot_heads, "choose_head", first_does_not)
    assert not slot_hits(vectors, objects, split, classes=6).converged
    assert slot_hits(vectors, objects, split, classes=6).converged


def test_every_row_is_predicted_by_the_heads_of_its_fold():
    vectors, objects = scenes(np.random.default_rng(4), 150, (1.0, 0.5))
    splits = fold_rows(150, folds=3, seed=0)
    found = validated_hits(vectors, objects, splits, classes=6, penalties=(1e-3,))
    for split in splits:
        alone = slot_hits(vectors, objects, split, classes=6, penalties=(1e-3,))
        assert (found.hits[split.judge] == alone.hits).all()
    assert found.penalties == (1e-3,) * 6 and found.converged


def test_unseen_objects_are_averaged_by_the_rows_of_the_folds():
    """Forty rows with objects that the others lack, and ten without."""
    vectors, objects = scenes(np.random.default_rng(5), 200, (1.0,))
    objects[:40] = 6
    rest = np.arange(50, 200)
    splits = [Split(rest, rest[:20], np.arange(40)), Split(rest, rest[:20], np.arange(40, 50))]
    assert validated_hits(vectors, objects, splits, classes=7).unseen == pytest.approx(0.8)


def test_the_penalty_does_not_know_the_scenes_that_are_judged():
    """Random vectors and objects there leave every penalty as it was; in the part to choose on, they do not."""
    rng = np.random.default_rng(6)
    vectors, objects = scenes(rng, 600, (1.0, 0.5), noise=0.8)
    split = split_rows(600, seed=0)

    def penalties(rows):
        other, shuffled = vectors.copy(), objects.copy()
        other[rows] = unit(rng.standard_normal((len(rows), 12)).astype(np.float32))
        shuffled[rows] = rng.permutation(shuffled[rows])
        return slot_hits(other, shuffled, split, classes=6).penalties

    chosen = slot_hits(vectors, objects, split, classes=6).penalties
    assert penalties(split.judge) == chosen
    assert penalties(split.choose) != chosen
