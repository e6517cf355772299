"""Linear heads against scikit-learn, and the promises of the split."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from eyechart.metrics.classification import linear_heads
from eyechart.metrics.classification.linear_heads import Ground, Head, choose_head, fit_head, fold_rows, split_rows
from eyechart.metrics.vectors import unit


def drawn(n: int, d: int, classes: int, seed: int, noise: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors around a common middle, as embeddings lie: far off the origin and hardly spread."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    centers = rng.standard_normal((classes, d))
    x = 4 * rng.standard_normal(d) + centers[truth] + noise * rng.standard_normal((n, d)) * np.geomspace(3, 0.1, d)
    return unit(x.astype(np.float32)), truth


def objective(head: Head, x: np.ndarray, truth: np.ndarray) -> float:
    logs = log_softmax(head.scores(x), axis=1)
    return float(-logs[np.arange(len(x)), truth].mean() + head.penalty / 2 * (head.weights**2).sum())


@pytest.mark.parametrize("penalty", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize(("n", "d", "classes"), [(300, 8, 3), (400, 32, 12), (60, 80, 4)])
def test_head_is_scikit_learns(n: int, d: int, classes: int, penalty: float):
    x, truth = drawn(n, d, classes, seed=n + d, noise=2.0)
    head = fit_head(Ground(x), truth, classes=classes, penalty=penalty)
    theirs = LogisticRegression(C=1 / (n * penalty), tol=1e-10, max_iter=100_000, solver="newton-cg").fit(x.astype(float), truth)
    expected = theirs.predict_log_proba(x.astype(float))
    assert head.converged
    assert np.abs(softmax(head.scores(x), axis=1) - np.exp(expected)).max() < 5e-4
    theirs_lost = float(-expected[np.arange(n), truth].mean() + penalty / 2 * (theirs.coef_**2).sum())
    assert objective(head, x, truth) <= theirs_lost + 1e-7


def test_two_classes_are_scikit_learns_too():
    x, truth = drawn(200, 6, 2, seed=3, noise=2.0)
    head = fit_head(Ground(x), truth, classes=2, penalty=1e-3)
    # With two rows of weights instead of one, the same difference of them costs half as much.
    theirs = LogisticRegression(C=2 / (200 * 1e-3), tol=1e-10, max_iter=100_000, solver="newton-cg").fit(x.astype(float), truth)
    assert np.abs(log_softmax(head.scores(x), axis=1) - theirs.predict_log_proba(x.astype(float))).max() < 5e-3


def test_loss_is_lower_nowhere_near():
    x, truth = drawn(150, 5, 4, seed=1, noise=2.0)
    head = fit_head(Ground(x), truth, classes=4, penalty=1e-3)
    rng = np.random.default_rng(0)
    for scale in (1e-1, 1e-2, 1e-3):
        moved = Head(
            head.weights + scale * rng.standard_normal(head.weights.shape), head.bias + scale * rng.standard_normal(4), 1e-3, True
        )
        assert objective(moved, x, truth) > objective(head, x, truth)


def test_a_search_that_is_cut_off_is_not_called_converged(monkeypatch):
    """The last axis tells nothing, by symmetry, so that its slope is 0 from the start; the others are far from flat."""
    x, truth = drawn(100, 3, 3, seed=4)
    both = np.concatenate([np.column_stack([x, np.full(100, end)]) for end in (-0.5, 0.5)])
    ground, twice = Ground(both), np.tile(truth, 2)
    assert fit_head(ground, twice, classes=3, penalty=1e-4).converged
    monkeypatch.setattr(linear_heads, "_STEPS", 2)
    assert not fit_head(ground, twice, classes=3, penalty=1e-4).converged


def test_start_does_not_move_the_end():
    x, truth = drawn(300, 10, 5, seed=2, noise=2.0)
    ground = Ground(x)
    cold = fit_head(ground, truth, classes=5, penalty=1e-4)
    warm = fit_head(ground, truth, classes=5, penalty=1e-4, start=fit_head(ground, truth, classes=5, penalty=1e-2))
    assert np.abs(cold.scores(x) - warm.scores(x)).max() < 5e-3


def test_class_that_is_never_seen_is_never_answered():
    x, truth = drawn(200, 6, 3, seed=4)
    truth = np.where(truth == 1, 2, truth)
    head = fit_head(Ground(x), truth, classes=4, penalty=1e-3)
    assert set(head.answers(x)) <= {0, 2}
    assert np.isneginf(head.bias[[1, 3]]).all()


def test_axes_without_spread_do_no_harm():
    x, truth = drawn(200, 6, 3, seed=5)
    wide = np.hstack([x, np.full((200, 4), 0.3, np.float32), x[:, :2]])
    theirs = LogisticRegression(C=1 / (200 * 1e-3), tol=1e-10, max_iter=100_000, solver="newton-cg").fit(
        wide.astype(float), truth
    )
    assert Ground(wide).axes.shape == (12, 6)
    head = fit_head(Ground(wide), truth, classes=3, penalty=1e-3)
    assert np.abs(log_softmax(head.scores(wide), axis=1) - theirs.predict_log_proba(wide.astype(float))).max() < 5e-3


def test_chosen_penalty_is_best_on_the_rows_that_choose():
    x, truth = drawn(900, 40, 6, seed=6, noise=3.0)
    fit, other = np.arange(300), np.arange(300, 900)
    ground = Ground(x[fit])
    chosen = choose_head(ground, truth[fit], x[other], truth[other], classes=6, penalties=(1e-1, 1e-3, 1e-7))
    lost = {}
    for penalty in (1e-1, 1e-3, 1e-7):
        theirs = LogisticRegression(C=1 / (300 * penalty), tol=1e-8, max_iter=100_000).fit(x[fit].astype(float), truth[fit])
        lost[penalty] = -theirs.predict_log_proba(x[other].astype(float))[np.arange(600), truth[other]].mean()
    assert chosen.penalty == min(lost, key=lost.__getitem__)


def test_chosen_head_is_fitted_to_convergence():
    x, truth = drawn(600, 30, 6, seed=7, noise=3.0)
    fit, other = np.arange(300), np.arange(300, 600)
    head = choose_head(Ground(x[fit]), truth[fit], x[other], truth[other], classes=6)
    alone = fit_head(Ground(x[fit]), truth[fit], classes=6, penalty=head.penalty)
    rough = fit_head(Ground(x[fit]), truth[fit], classes=6, penalty=head.penalty, flat=1e-4)
    assert head.converged
    moved, missing = (np.abs(other.scores(x) - alone.scores(x)).max() for other in (head, rough))
    assert moved < missing / 10


def test_split_has_its_shares_and_no_row_twice():
    split = split_rows(1000, seed=0)
    assert (len(split.fit), len(split.choose), len(split.judge)) == (750, 100, 150)
    assert sorted(np.concatenate([split.fit, split.choose, split.judge])) == list(range(1000))
    assert (split_rows(1000, seed=0).judge == split.judge).all()
    assert not np.array_equal(split_rows(1000, seed=1).judge, split.judge)


def test_clusters_are_not_torn():
    clusters = np.random.default_rng(0).integers(0, 120, 900)
    split = split_rows(900, seed=3, clusters=clusters)
    parts = [set(clusters[rows]) for rows in (split.fit, split.choose, split.judge)]
    assert all(parts) and not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])


def test_no_vector_is_refused():
    with pytest.raises(ValueError, match="no vector"):
        Ground(np.empty((0, 4)))


@pytest.mark.parametrize("clustered", [False, True])
def test_every_row_judges_once_and_a_tenth_chooses(clustered):
    """103 clusters in five folds: 20 or 21 judge, 10 choose, and the others are fitted on."""
    rng = np.random.default_rng(0)
    clusters = rng.permutation(np.repeat(np.arange(103), 3)) + 50 if clustered else None
    n = 309 if clustered else 103
    splits = fold_rows(n, folds=5, seed=1, clusters=clusters)
    numbers = np.arange(n) if clusters is None else clusters
    assert sorted(np.concatenate([split.judge for split in splits])) == list(range(n))
    choosers = []
    for split in splits:
        fit, choose, judge = (set(numbers[rows]) for rows in (split.fit, split.choose, split.judge))
        assert not (fit & choose or fit & judge or choose & judge)
        assert len(fit | choose | judge) == 103
        assert len(judge) in (20, 21) and len(choose) == 10
        assert len(split.fit) + len(split.choose) + len(split.judge) == n
        choosers.append(frozenset(choose))
    assert len(set(choosers)) == 5
    again = fold_rows(n, folds=5, seed=1, clusters=clusters)
    assert all(np.array_equal(a.judge, b.judge) for a, b in zip(splits, again, strict=True))
    other = fold_rows(n, folds=5, seed=2, clusters=clusters)
    assert not np.array_equal(other[0].judge, splits[0].judge)


def test_those_that_choose_come_after_the_fold():
    """Of the rows in their shuffled order, the two folds of ten rows are the halves; a fifth of all rows after each choose."""
    place = np.random.default_rng(4).permutation(10)
    first, second = fold_rows(10, folds=2, seed=4, choose=0.2)
    assert set(place[first.judge]) == {0, 1, 2, 3, 4} and set(place[first.choose]) == {5, 6}
    assert set(place[second.judge]) == {5, 6, 7, 8, 9} and set(place[second.choose]) == {0, 1}


def test_a_split_follows_its_shares_of_clusters():
    clusters = np.repeat(np.arange(20) * 7, 2)
    split = split_rows(40, seed=0, clusters=clusters, shares=(0.5, 0.25, 0.25))
    assert [len(set(clusters[rows])) for rows in (split.fit, split.choose, split.judge)] == [10, 5, 5]
    empty = split_rows(0, seed=0)
    assert len(empty.fit) == len(empty.choose) == len(empty.judge) == 0


def test_weaker_penalties_are_not_tried_after_one_that_overfits(monkeypatch):
    """Labels are noise, so that the strongest penalty has the smallest loss."""
    rng = np.random.default_rng(8)
    x, truth = rng.standard_normal((60, 20)), rng.integers(0, 3, 60)
    tried = []
    fit = linear_heads.fit_head
    monkeypatch.setattr(linear_heads, "fit_head", lambda *a, **o: tried.append(o["penalty"]) or fit(*a, **o))
    head = choose_head(Ground(x[:30]), truth[:30], x[30:], truth[30:], classes=3, penalties=(1.0, 1e-2, 1e-4))
    assert head.penalty == 1.0
    assert tried == [1.0, 1e-2, 1.0]  # the chosen one again, to convergence


def test_rows_of_classes_without_training_rows_do_not_choose():
    """Class 2 is not among the fitted rows: its validation rows would cost infinitely much with every penalty."""
    x, truth = drawn(300, 10, 3, seed=9, noise=3.0)
    fit = np.flatnonzero((np.arange(300) < 150) & (truth != 2))
    other = np.arange(150, 300)
    known = other[truth[other] != 2]
    penalties = (1e-1, 1e-3, 1e-7)
    with_it = choose_head(Ground(x[fit]), truth[fit], x[other], truth[other], classes=3, penalties=penalties)
    without = choose_head(Ground(x[fit]), truth[fit], x[known], truth[known], classes=3, penalties=penalties)
    assert with_it.penalty == without.penalty
    with pytest.raises(ValueError, match="no penalty"):
        choose_head(Ground(x[fit]), truth[fit], x[known], truth[known], classes=3, penalties=())


def test_vectors_that_are_all_alike_leave_the_frequencies():
    head = fit_head(Ground(np.ones((4, 3))), np.array([0, 0, 0, 1]), classes=2, penalty=1e-3)
    assert softmax(head.scores(np.ones((1, 3))), axis=1) == pytest.approx(np.array([[0.75, 0.25]]), abs=1e-4)


def test_vectors_that_hardly_differ_are_still_told_apart():
    """Differences of 1e-7: the penalty is as much weaker, so that the same scores are the best."""
    x, truth = drawn(80, 5, 3, seed=11)
    x = x.astype(float) - x.astype(float).mean(axis=0)
    near = fit_head(Ground(1e-7 * x), truth, classes=3, penalty=1e-17)
    far = fit_head(Ground(x), truth, classes=3, penalty=1e-3)
    assert softmax(near.scores(1e-7 * x), axis=1) == pytest.approx(softmax(far.scores(x), axis=1), abs=1e-3)
