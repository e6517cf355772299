"""The conditional logit: scikit-learn on pairs, weights that are known, coverage, and what has no maximum."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm, t
from sklearn.linear_model import LogisticRegression

from eyechart.metrics.scenes.conditional_logit import ChoiceWeights, fit_choices


def drawn(rng, weights, choices, things):
    """Choices by the largest of w·x plus Gumbel noise: exactly the model's chances."""
    x = rng.standard_normal((choices, things, len(weights)))
    best = (x @ weights + rng.gumbel(size=(choices, things))).argmax(axis=1)
    return x, np.eye(things)[best]


def everywhere(x):
    return np.ones(x.shape[:2], bool)


def test_among_two_it_is_logistic_regression_on_differences():
    x, chosen = drawn(np.random.default_rng(0), np.array([0.7, -0.4]), 400, 2)
    theirs = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(x[:, 0] - x[:, 1], chosen[:, 0])
    assert fit_choices(x, chosen, everywhere(x)).values == pytest.approx(theirs.coef_[0], abs=1e-5)


def test_maximum_of_a_likelihood_written_out():
    rng = np.random.default_rng(1)
    x, chosen = drawn(rng, np.array([0.5, 0.2, -0.9]), 150, 5)
    there = everywhere(x)
    there[:60, 3:] = False
    chosen[:60] = np.eye(5)[rng.integers(0, 3, 60)]
    chosen[0] = [0.5, 0.5, 0, 0, 0]

    def lost(w):
        total = 0.0
        for i in range(len(x)):
            scores = {j: float(x[i, j] @ w) for j in range(5) if there[i, j]}
            whole = np.log(sum(np.exp(s) for s in scores.values()))
            total -= sum(chosen[i, j] * (s - whole) for j, s in scores.items())
        return total

    found = fit_choices(x, chosen, there)
    assert found.bounded
    assert found.values == pytest.approx(minimize(lost, np.zeros(3), tol=1e-10).x, abs=1e-4)


def test_intervals_hold_what_was_planted():
    rng, planted, hits = np.random.default_rng(2), np.array([0.6, -0.3]), np.zeros(2)
    for _ in range(200):
        x, chosen = drawn(rng, planted, 120, 3)
        found = fit_choices(x, chosen, everywhere(x))
        hits += np.abs(found.values - planted) < 1.96 * found.errors
    assert ((hits >= 179) & (hits <= 198)).all(), hits


def test_names_that_are_liked_vary_many_choices_at_once():
    """Eighteen names, some liked more than others; size is weighed alike for all. Errors over choices alone are too small."""
    rng, alone, named, draws = np.random.default_rng(7), 0, 0, []
    for _ in range(300):
        liked = rng.normal(0, 1.5, 18)
        names = np.argsort(rng.random((150, 18)), axis=1)[:, :3]
        x = rng.uniform(-2, 2, (150, 3, 1))
        best = (liked[names] + 0.5 * x[..., 0] + rng.gumbel(size=(150, 3))).argmax(axis=1)
        draws.append((x, np.eye(3)[best], names))
    fits = [(fit_choices(x, c, everywhere(x)), fit_choices(x, c, everywhere(x), names=n)) for x, c, n in draws]
    middle = float(np.mean([fit.values[0] for fit, _ in fits]))  # of what it estimates: less than 0.5, as likings are noise to it
    for plain, with_names in fits:
        assert with_names.errors[0] >= plain.errors[0]
        low, high = (np.log(bound) for bound in plain.odds(0)[1])
        alone += low < middle < high
        low, high = (np.log(bound) for bound in with_names.odds(0)[1])
        named += low < middle < high
    assert alone <= named
    assert 0.93 <= named / 300 <= 0.985, (alone, named)


def test_errors_over_names_by_hand():
    """A loop over pairs of choices: those that share a name vary together, once for each name they share."""
    rng = np.random.default_rng(8)
    x, chosen = drawn(rng, np.array([0.6]), 60, 2)
    names = np.argsort(rng.random((60, 30)), axis=1)[:, :2]
    found = fit_choices(x, chosen, everywhere(x), names=names)
    w = found.values[0]
    p = np.exp(x[..., 0] * w) / np.exp(x[..., 0] * w).sum(axis=1, keepdims=True)
    g = ((chosen - p) * x[..., 0]).sum(axis=1)
    curvature = float(((p * x[..., 0] ** 2).sum(axis=1) - (p * x[..., 0]).sum(axis=1) ** 2).sum())
    meat = sum(g[i] * g[j] * (len(set(names[i]) & set(names[j])) if i != j else 1) for i in range(60) for j in range(60))
    k = len(np.unique(names))
    rows = float(g @ g) * 60 / 59
    assert found.errors[0] == pytest.approx(np.sqrt(max(meat * k / (k - 1), rows)) / curvature, rel=1e-6)


def test_copies_add_nothing():
    x, chosen = drawn(np.random.default_rng(3), np.array([0.6]), 80, 4)
    alone = fit_choices(x, chosen, everywhere(x))
    doubled = np.repeat(x, 3, axis=0)
    together = fit_choices(doubled, np.repeat(chosen, 3, axis=0), everywhere(doubled), np.repeat(np.arange(80), 3))
    assert together.values == pytest.approx(alone.values)
    assert together.errors == pytest.approx(alone.errors)


def test_odds_are_of_one_unit():
    x, chosen = drawn(np.random.default_rng(4), np.array([0.6]), 500, 2)
    found = fit_choices(x, chosen, everywhere(x))
    odds, (low, high) = found.odds(0)
    assert odds == pytest.approx(np.exp(found.values[0]))
    assert low < odds < high
    halved = fit_choices(x / 2, chosen, everywhere(x))
    assert halved.odds(0)[0] == pytest.approx(odds**2)


def test_where_one_feature_tells_all_there_is_no_maximum():
    x, _ = drawn(np.random.default_rng(5), np.array([0.0]), 50, 3)
    found = fit_choices(x, np.eye(3)[x[..., 0].argmax(axis=1)], everywhere(x))
    assert not found.bounded
    assert np.isnan(found.errors).all()


def test_a_feature_that_never_differs_has_no_weight():
    x, chosen = drawn(np.random.default_rng(6), np.array([0.5]), 200, 3)
    same = np.concatenate([x, np.ones((200, 3, 1))], axis=2)
    assert not fit_choices(same, chosen, everywhere(x)).bounded


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(ValueError, match="no choice"):
        fit_choices(np.empty((0, 2, 1)), np.empty((0, 2)), np.empty((0, 2), bool))


def sandwich(x, chosen, there, w, clusters, names=None):
    """Variances of the weights, from gradients and curvature summed choice by choice."""
    k = len(w)
    gradients, curvature = [], np.zeros((k, k))
    for i in range(len(x)):
        present = np.flatnonzero(there[i])
        p = np.exp(x[i, present] @ w)
        p /= p.sum()
        middle = p @ x[i, present]
        gradients.append(sum(chosen[i, j] * (x[i, j] - middle) for j in present))
        curvature += sum(q * np.outer(x[i, j] - middle, x[i, j] - middle) for q, j in zip(p, present, strict=True))
    bread = np.linalg.inv(curvature)
    meat, numbers = np.zeros((k, k)), sorted(set(clusters.tolist()))
    for c in numbers:
        of = sum(gradients[i] for i in range(len(x)) if clusters[i] == c)
        meat += np.outer(of, of)
    plain = np.diag(bread @ meat @ bread) * len(numbers) / (len(numbers) - 1)
    if names is None:
        return plain
    meat = np.zeros((k, k))
    listed = sorted({int(names[i, j]) for i, j in zip(*np.nonzero(there), strict=True)})
    for name in listed:
        of = sum(gradients[i] for i in range(len(x)) if name in names[i, there[i]])
        meat += np.outer(of, of)
    for c in numbers:  # once for each name of a choice, instead of once
        of = sum(gradients[i] * np.sqrt(there[i].sum() - 1) for i in range(len(x)) if clusters[i] == c)
        meat -= np.outer(of, of)
    return np.maximum(np.diag(bread @ meat @ bread) * len(listed) / (len(listed) - 1), plain)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_errors_are_those_of_a_sandwich_written_out(clustered, named):
    """Two features, two to four things a choice; names that are liked make the errors over names the larger ones."""
    rng = np.random.default_rng(9)
    names = rng.random((90, 10)).argsort(axis=1)[:, :4]
    x = rng.normal(size=(90, 4, 2)) + rng.normal(0, 1, 10)[names][..., None]
    there = np.arange(4) < rng.integers(2, 5, 90)[:, None]
    score = np.where(there, x @ [0.5, -0.4] + rng.normal(0, 2, 10)[names] + rng.gumbel(size=(90, 4)), -np.inf)
    chosen = np.eye(4)[score.argmax(axis=1)]
    clusters = rng.integers(0, 40, 90)
    found = fit_choices(x, chosen, there, clusters if clustered else None, names if named else None)
    groups = clusters if clustered else np.arange(90)
    expected = sandwich(x, chosen, there, found.values, groups, names if named else None)
    assert found.errors == pytest.approx(np.sqrt(expected), rel=1e-5)
    assert found.names == (10 if named else None)
    if named:
        assert (expected > 1.2 * sandwich(x, chosen, there, found.values, groups)).any()


def test_what_is_not_there_has_no_weight():
    """Features of things that are not there may be anything."""
    rng = np.random.default_rng(10)
    x, chosen = drawn(rng, np.array([0.8]), 100, 2)
    wider = np.concatenate([x, rng.normal(0, 30, (100, 2, 1))], axis=1)
    there = np.tile([True, True, False, False], (100, 1))
    found = fit_choices(wider, np.pad(chosen, ((0, 0), (0, 2))), there)
    alone = fit_choices(x, chosen, everywhere(x))
    assert found.bounded
    assert (found.values, found.errors) == (pytest.approx(alone.values), pytest.approx(alone.errors))


def test_intervals_of_odds_are_normal_or_students():
    weights, errors = np.array([0.2, -0.5]), np.array([0.1, 0.3])
    odds, (low, high) = ChoiceWeights(weights, errors, True).odds(1)
    z = norm.ppf(0.975)
    assert (odds, low, high) == pytest.approx((np.exp(-0.5), np.exp(-0.5 - 0.3 * z), np.exp(-0.5 + 0.3 * z)))
    for names, freedom in ((12, 11), (2, 1), (1, 1)):
        _, (low, high) = ChoiceWeights(weights, errors, True, names).odds(0)
        z = t.ppf(0.975, freedom)
        assert (low, high) == pytest.approx((np.exp(0.2 - 0.1 * z), np.exp(0.2 + 0.1 * z)))


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_units_of_a_feature_do_not_matter(scale):
    """A weight of thousands for a feature of tiny differences is no sign that there is no maximum."""
    x, chosen = drawn(np.random.default_rng(11), np.array([0.7, 0.1]), 150, 3)
    alone = fit_choices(x, chosen, everywhere(x))
    found = fit_choices(x * [scale, 1.0], chosen, everywhere(x))
    assert found.bounded
    assert found.values * [scale, 1.0] == pytest.approx(alone.values, rel=1e-5)
    assert found.errors * [scale, 1.0] == pytest.approx(alone.errors, rel=1e-5)


def test_steps_that_overshoot_are_halved():
    """One choice with a feature of 60 against it, where Newton's first step is far too long."""
    x, chosen = drawn(np.random.default_rng(12), np.array([2.0]), 60, 2)
    x[0], chosen[0] = [[60.0], [0.0]], [0.0, 1.0]
    x[1], chosen[1] = [[40.0], [0.0]], [1.0, 0.0]
    found = fit_choices(x, chosen, everywhere(x))

    def lost(w):
        return float(np.logaddexp(0, np.where(chosen[:, 0] > 0, -1, 1) * (x[:, 0, 0] - x[:, 1, 0]) * w).sum())

    assert found.values[0] == pytest.approx(minimize(lambda w: lost(w[0]), [0.0], tol=1e-12).x[0], abs=1e-5)


def test_one_cluster_has_no_errors_and_two_have():
    x, chosen = drawn(np.random.default_rng(13), np.array([0.5]), 40, 3)
    assert np.isnan(fit_choices(x, chosen, everywhere(x), np.zeros(40, int)).errors).all()
    two = np.arange(40) % 2
    found = fit_choices(x, chosen, everywhere(x), two)
    assert found.errors == pytest.approx(np.sqrt(sandwich(x, chosen, everywhere(x), found.values, two)), abs=1e-7)


def test_a_search_without_a_maximum_ends_where_choices_are_certain():
    """The first feature decides every choice, the second none: it ends soon after the log odds pass 40."""
    x, _ = drawn(np.random.default_rng(5), np.array([0.0, 0.0]), 50, 3)
    found = fit_choices(x, np.eye(3)[x[..., 0].argmax(axis=1)], everywhere(x))
    spread = (x.max(axis=1) - x.min(axis=1)).max(axis=0)
    assert not found.bounded
    assert 40 < np.abs(found.values * spread).max() < 60
