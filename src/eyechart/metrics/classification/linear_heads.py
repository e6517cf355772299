"""Linear probes: multinomial logistic regression on frozen vectors.

It is fitted to convergence, so that the accuracy depends on the vectors and not on a training schedule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.special import logsumexp

SHARES = (0.75, 0.10, 0.15)  # of the rows: to fit, to choose the penalty, to judge
PENALTIES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # from strong to weak: each fit begins where the one before ended
_STEPS = 2000
_FLAT = 1e-6  # the largest slope at which a fit counts as converged
_NEARLY_FLAT = 1e-4  # the same while penalties are compared: their losses differ by far more than what is left of the descent


@dataclass(frozen=True)
class Split:
    """Rows that heads are fitted on, rows that choose their penalty, and rows that judge them."""

    fit: Counts
    choose: Counts
    judge: Counts


def split_rows(n: int, *, seed: int, clusters: Counts | None = None, shares: Sequence[float] = SHARES) -> Split:
    """A random split by `shares`. Rows of one cluster stay together: no head is judged by a picture that it was fitted on."""
    rows = np.arange(n) if clusters is None else np.asarray(clusters)
    _, of_row = np.unique(rows, return_inverse=True)
    count = int(of_row.max(initial=-1)) + 1
    first, second = (round(count * share) for share in np.cumsum(shares)[:2])
    place = np.random.default_rng(seed).permutation(count)[of_row]
    return Split(
        np.flatnonzero(place < first), np.flatnonzero((place >= first) & (place < second)), np.flatnonzero(place >= second)
    )


def fold_rows(n: int, *, folds: int, seed: int, clusters: Counts | None = None, choose: float = 0.1) -> list[Split]:
    """Splits for cross-validation: every row judges once, and rows of one cluster together. Of the others, a part `choose` of all
    rows chooses the penalty, and the rest are fitted on."""
    rows = np.arange(n) if clusters is None else np.asarray(clusters)
    _, of_row = np.unique(rows, return_inverse=True)
    count = int(of_row.max(initial=-1)) + 1
    place = np.random.default_rng(seed).permutation(count)[of_row]
    edges, chosen = np.linspace(0, count, folds + 1).round().astype(int), round(count * choose)
    splits = []
    for start, end in pairwise(edges.tolist()):
        turned = (place - end) % count  # the rows after the fold come first, so that each fold has others choose
        judges = (place >= start) & (place < end)
        chooses = ~judges & (turned < chosen)
        splits.append(Split(np.flatnonzero(~judges & ~chooses), np.flatnonzero(chooses), np.flatnonzero(judges)))
    return splits


@dataclass(frozen=True)
class Head:
    """Scores are `vectors @ weights.T + bias`, [n, classes]; a class that no row was fitted on has weights 0 and bias −∞.
    `converged`: the loss was flat where the solver stopped."""

    weights: Doubles
    bias: Doubles
    penalty: float
    converged: bool

    def scores(self, vectors: npt.ArrayLike) -> Doubles:
        return np.asarray(np.asarray(vectors, np.float64) @ self.weights.T + self.bias)

    def answers(self, vectors: npt.ArrayLike) -> Counts:
        return np.asarray(self.scores(vectors).argmax(axis=1), np.int64)


class Ground:
    """Vectors that several linear classifiers are fitted on, centered and rotated to their principal axes, which makes fitting
    fast.

    The bias absorbs a shift of the vectors, and the penalty does not change under a rotation. Axes without variance are left out:
    their best weight is 0.
    """

    def __init__(self, vectors: npt.ArrayLike):
        x = np.asarray(vectors, np.float64)
        if len(x) == 0:
            raise ValueError("no vector to fit a head on")
        self.middle = x.mean(axis=0)
        x = x - self.middle
        spread, axes = np.linalg.eigh(x.T @ x / len(x))
        varies = spread > 1e-12 * max(float(spread.max(initial=0.0)), 1e-300)
        self.spread, self.axes = spread[varies], axes[:, varies]
        self.turned = x @ self.axes


def fit_head(
    ground: Ground, truth: Counts, *, classes: int, penalty: float, start: Head | None = None, flat: float = _FLAT
) -> Head:
    r"""The head that minimizes  −(1/n) Σ_i log softmax(W x_i + b)[y_i] + (penalty/2) ‖W‖²  (b is free), by L-BFGS.

    scikit-learn's `LogisticRegression(C=1 / (n · penalty))` has the same minimum. The solver works with W = V · diag(s_j/2 +
    penalty)^(−½) on the principal axes, s_j being the variance along axis j: by the bound of Böhning (1992) on the loss's
    curvature no direction is then much steeper than another, which saves most of the steps and moves no minimum. The penalty is
    above 0. `start`: a head to begin from. `flat`: the largest slope at which it counts as converged.
    """
    truth = np.asarray(truth)
    known, target = np.unique(truth, return_inverse=True)
    n, k, d = len(truth), len(known), len(ground.spread)
    stretch = 1 / np.sqrt(ground.spread / 2 + penalty)
    x = ground.turned * stretch
    ridge = penalty * stretch**2
    rows = np.arange(n)

    def loss(parameters: Doubles) -> tuple[float, Doubles]:
        v, b = parameters[: k * d].reshape(k, d), parameters[k * d :]
        z = x @ v.T + b
        z -= z.max(axis=1, keepdims=True)
        own = z[rows, target]
        np.exp(z, out=z)
        sums = z.sum(axis=1)
        value = float((np.log(sums) - own).mean() + 0.5 * (ridge * v * v).sum())
        z /= n * sums[:, None]
        z[rows, target] -= 1 / n
        return value, np.concatenate([(z.T @ x + ridge * v).ravel(), z.sum(axis=0)])

    begin = np.zeros(k * d + k)
    if start is not None:
        begin[: k * d] = ((start.weights[known] @ ground.axes) / stretch).ravel()
        begin[k * d :] = start.bias[known] + start.weights[known] @ ground.middle
    from scipy.optimize import minimize  # takes a while to load

    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "gtol": flat, "ftol": 1e-15})
    weights, bias = np.zeros((classes, ground.axes.shape[0])), np.full(classes, -np.inf)
    weights[known] = (found.x[: k * d].reshape(k, d) * stretch) @ ground.axes.T
    bias[known] = found.x[k * d :] - weights[known] @ ground.middle
    return Head(weights, bias, penalty, bool(np.abs(loss(found.x)[1]).max() <= flat))


def choose_head(
    ground: Ground,
    truth: Counts,
    vectors: npt.ArrayLike,
    chosen_by: Counts,
    *,
    classes: int,
    penalties: Sequence[float] = PENALTIES,
) -> Head:
    """The linear classifier with the smallest mean loss on validation rows: `vectors` of classes `chosen_by`.

    Penalties are tried from strong to weak until one has a larger loss than the one before: weaker ones would overfit. They are
    compared on rough fits; the chosen one is then fitted to convergence.
    Validation rows of classes without training rows are left out."""
    best, least = None, np.inf
    for penalty in penalties:
        head = fit_head(ground, truth, classes=classes, penalty=penalty, start=best, flat=_NEARLY_FLAT)
        scores = head.scores(vectors)
        own = scores[np.arange(len(scores)), chosen_by]
        known = np.isfinite(own)
        lost = float((logsumexp(scores[known], axis=1) - own[known]).mean()) if known.any() else 0.0
        if best is not None and lost >= least:
            break
        best, least = head, lost
    if best is None:
        raise ValueError("no penalty to choose from")
    return fit_head(ground, truth, classes=classes, penalty=best.penalty, start=best)
