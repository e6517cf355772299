"""Ranks of the objects of a scene: against brute force, ties by hand, blocks, slots read anew."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from eyechart.metrics.scenes import object_ranks as module
from eyechart.metrics.scenes.object_ranks import object_ranks, ranks_by_scores
from eyechart.metrics.vectors import unit


def vectors(rng, n, d):
    return unit(rng.normal(size=(n, d)).astype(np.float32))


def scenes_of(rng, targets, n, rows):
    objects = np.array([rng.permutation(len(targets))[:n] for _ in range(rows)])
    return unit(targets[objects].sum(axis=1) + 0.8 * vectors(rng, rows, targets.shape[1])), objects


def by_force(scenes, targets, objects):
    """Conditional and unconditional shares, kept share, top-n accuracy, by sorting one scene after the other."""
    n = objects.shape[1]
    best, kept, within = [], [], []
    for scene, own in zip(scenes, objects, strict=True):
        order = sorted(range(len(targets)), key=lambda t: -float(scene.astype(np.float64) @ targets[t].astype(np.float64)))
        best.append(list(own).index(order[0]) if order[0] in own else -1)
        kept.append(set(order[:n]) == set(own))
        within.append(len(set(order[:n]) & set(own)) / n)
    best, kept = np.array(best), np.array(kept)
    return [(best == k).mean() for k in range(n)], [(best[kept] == k).mean() for k in range(n)], kept, np.mean(within)


@pytest.mark.parametrize(("n", "names", "d"), [(2, 12, 24), (4, 18, 32), (4, 90, 64), (8, 30, 64)])
def test_shares_are_those_of_brute_force(n, names, d):
    rng = np.random.default_rng(n)
    targets = vectors(rng, names, d)
    scenes, objects = scenes_of(rng, targets, n, 400)
    ranks = object_ranks(scenes, targets, objects)
    shares, kept_shares, kept, within = by_force(scenes, targets, objects)
    assert 0.05 < kept.mean() < 0.999  # or the conditional shares would tell nothing
    assert ranks.shares() == pytest.approx(shares)
    assert ranks.kept_shares() == pytest.approx(kept_shares)
    assert np.array_equal(ranks.kept, kept)
    assert ranks.recall.mean() == pytest.approx(within)


def test_blocks_give_the_same_as_one_array():
    rng = np.random.default_rng(0)
    targets = vectors(rng, 18, 16)
    scenes, objects = scenes_of(rng, targets, 3, 500)
    whole = object_ranks(scenes, targets, objects)
    parts = object_ranks((scenes[i : i + 77] for i in range(0, 500, 77)), targets, objects)
    assert np.array_equal(whole.top, parts.top) and np.array_equal(whole.found, parts.found)


def test_ties_by_hand():
    """Targets along axes. The scene between a and b gives each half; between a, b and the stranger d, a third; and where the
    second object ties with a stranger, it is not among the best two. Strangers come first among equals."""
    targets = np.eye(4, dtype=np.float32)
    scenes = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [2, 1, 1, 0], [0, 0, 1, 0]], np.float32)
    ranks = object_ranks(unit(scenes), targets, np.array([[0, 1]] * 4))
    assert ranks.top.tolist() == [[0.5, 0.5], [pytest.approx(1 / 3)] * 2, [1.0, 0.0], [0.0, 0.0]]
    assert ranks.found.tolist() == [2, 1, 1, 0]
    assert ranks.kept.tolist() == [True, False, False, False]
    assert ranks.recall.tolist() == [1.0, 0.5, 0.5, 0.0]


def test_the_same_scenes_are_read_by_position_and_by_size():
    rng = np.random.default_rng(1)
    targets = vectors(rng, 10, 16)
    scenes, by_position = scenes_of(rng, targets, 3, 200)
    order = np.array([rng.permutation(3) for _ in range(200)])  # the place at which the largest, second and third stand
    by_size = np.take_along_axis(by_position, order, axis=1)
    read, ranked = object_ranks(scenes, targets, by_position).by(order), object_ranks(scenes, targets, by_size)
    assert np.array_equal(read.top, ranked.top) and np.array_equal(read.found, ranked.found)


def test_where_none_is_kept_conditional_shares_are_unknown():
    ranks = object_ranks(np.eye(3, dtype=np.float32)[[2]], np.eye(3, dtype=np.float32), np.array([[0, 1]]))
    assert np.isnan(ranks.kept_shares()).all()
    assert ranks.shares().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        ([[0, 0]], "one object in two slots"),
        ([[0, 3]], "numbers of the 3 targets"),
        ([[0, 1]] * 2, "of 2 scenes"),
        ([], "one row"),
    ],
)
def test_wrong_objects_are_refused(objects, says):
    with pytest.raises(ValueError, match=says):
        object_ranks(np.eye(3, dtype=np.float32)[:1], np.eye(3, dtype=np.float32), np.array(objects))


@pytest.mark.parametrize(("n", "names"), [(2, 12), (4, 40)])
def test_map_and_ndcg_are_those_of_scikit_learn(n, names):
    rng = np.random.default_rng(n)
    targets = vectors(rng, names, 24)
    scenes, objects = scenes_of(rng, targets, n, 200)
    ranks = object_ranks(scenes, targets, objects)
    scores, shown = scenes @ targets.T, np.zeros((200, names))
    np.put_along_axis(shown, objects, 1, axis=1)
    assert ranks.precision == pytest.approx([average_precision_score(t, s) for t, s in zip(shown, scores, strict=True)])
    assert ranks.ndcg == pytest.approx([ndcg_score(t[None], s[None]) for t, s in zip(shown, scores, strict=True)])
    assert 0.3 < ranks.precision.mean() < 0.995  # or it would tell nothing


def test_among_its_own_objects_a_scene_has_a_nearest_even_where_another_target_is_nearer():
    """Target 3 is nearest and not shown; of the shown ones 1 is nearer than 0. The first two tie in the second scene."""
    targets = np.eye(4, dtype=np.float32)
    scenes = unit(np.array([[0.2, 0.3, 0.0, 0.9], [0.5, 0.5, 0.1, 0.0]], np.float32))
    ranks = object_ranks(scenes, targets, np.array([[0, 1], [0, 1]]))
    assert ranks.top.tolist() == [[0, 0], [0.5, 0.5]]
    assert ranks.own.tolist() == [[0, 1], [0.5, 0.5]]
    assert ranks.by(np.array([[1, 0], [1, 0]])).own.tolist() == [[1, 0], [0.5, 0.5]]
    assert ranks.precision[0] == pytest.approx((1 / 2 + 2 / 3) / 2)  # ranks 2 and 3
    assert ranks.ndcg[0] == pytest.approx((1 / np.log2(3) + 1 / 2) / (1 + 1 / np.log2(3)))


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("step", [1.0, 8e-7])
def test_scores_with_many_ties_are_ranked_as_in_a_loop(n, step):
    """Whole numbers, most of them equal to others; or steps of 8e-7, of which one is a tie and two are not."""
    rng = np.random.default_rng(n)
    scores = (rng.integers(0, 5, (300, 9)) * step).astype(np.float32)
    objects = rng.random((300, 9)).argsort(axis=1)[:, :n]
    found = ranks_by_scores(scores.copy(), objects)
    equal = 0.5 if step == 1.0 else 1.2e-6
    for i, own in enumerate(objects):
        row = scores[i].astype(float)
        tied = [t for t in range(9) if row[t] >= row.max() - equal]
        assert found.top[i] == pytest.approx([(o in tied) / len(tied) for o in own])
        lead = [o for o in own if row[o] >= row[own].max() - equal]
        assert found.own[i] == pytest.approx([(o in lead) / len(lead) for o in own])
        others = [t for t in range(9) if t not in own]
        best_first = sorted(own, key=lambda t: -row[t])
        ranks = [sum(row[t] >= row[o] - equal for t in others) + k + 1 for k, o in enumerate(best_first)]
        assert found.found[i] == sum(rank <= n for rank in ranks)
        assert found.precision[i] == pytest.approx(np.mean([(k + 1) / rank for k, rank in enumerate(ranks)]))
        ideal = sum(1 / np.log2(k + 2) for k in range(n))
        assert found.ndcg[i] == pytest.approx(sum(1 / np.log2(1 + rank) for rank in ranks) / ideal)


def test_few_scores_in_memory_give_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    targets = vectors(rng, 12, 16)
    scenes, objects = scenes_of(rng, targets, 3, 50)
    whole = object_ranks(scenes, targets, objects)
    seen = []
    monkeypatch.setattr(module, "_BLOCK", 12 * 7)
    rank = module.ranks_by_scores
    monkeypatch.setattr(module, "ranks_by_scores", lambda scores, of: seen.append(len(scores)) or rank(scores, of))
    parts = object_ranks(scenes, targets, objects)
    assert seen == [7] * 7 + [1]
    assert np.array_equal(whole.top, parts.top) and np.array_equal(whole.ndcg, parts.ndcg)


@pytest.mark.parametrize("objects", [[[-1, 0]], [[0, 3]]])
def test_numbers_of_objects_beyond_the_targets_are_refused_and_the_last_is_not(objects):
    targets = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match="numbers of the 3 targets"):
        object_ranks(targets[:1], targets, np.array(objects))
    assert object_ranks(targets[2:], targets, np.array([[2, 0]])).top.tolist() == [[1.0, 0.0]]


def test_fewer_vectors_than_rows_of_objects_are_refused():
    targets = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match="of 1 scenes, and there are more"):
        object_ranks(targets[:2], targets, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="of 3 scenes, and there are 2"):
        object_ranks(targets[:2], targets, np.array([[0, 1]] * 3))


def test_the_second_of_two_scenes_may_be_the_one_with_an_object_twice():
    targets = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match="scene 1 has one object in two slots"):
        object_ranks(targets[:2], targets, np.array([[0, 1, 2], [2, 0, 2]]))
    with pytest.raises(ValueError, match="one row a scene"):
        object_ranks(targets[:2], targets, np.array([0, 1]))


def test_scores_exactly_a_tie_apart_are_equal():
    """1e-6 and 0: two own objects; an own object and another target below it; the last own object and a target a tie below."""
    tie = np.float32(module.TIE)
    scores = np.array([[tie, 0, -5], [tie, -5, 0], [5, tie, 0]], np.float32)
    found = ranks_by_scores(scores, np.array([[0, 1]] * 3))
    assert found.top.tolist() == [[0.5, 0.5], [0.5, 0.0], [1.0, 0.0]]
    assert found.own.tolist() == [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]
    assert found.found.tolist() == [2, 1, 1]
    assert found.precision.tolist() == pytest.approx([1.0, (1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2])
