"""Linear heads against scikit-learn, and the promises of the split."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from eyechart.metrics.classification import linear_heads
from eyechart.metrics.classification.linear_heads import Ground, Head, choose_head, fit_head, split_rows
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
