"""Conditional logit: what makes one of several objects be chosen, with different objects in every choice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import Interval
from eyechart.metrics.special import ndtri, stdtrit

_STEPS = 100
_SETTLED = 1e-9
_FAR = 40.0  # log odds between things of one choice beyond which it is certain: there the likelihood has no maximum


@dataclass(frozen=True)
class ChoiceWeights:
    """Weights of the features.

    values: [k]. errors: Their standard errors; NaN for a single cluster. bounded: Whether the likelihood has a maximum; it has
    none where one feature predicts every choice. names: How many names the errors are clustered by; None where by choices
    alone."""

    values: Doubles
    errors: Doubles
    bounded: bool
    names: int | None = None

    def odds(self, feature: int) -> tuple[float, Interval]:
        """By which factor one unit more of the feature multiplies the odds of being chosen."""
        value = float(self.values[feature])
        half = float(self.errors[feature]) * float(ndtri(0.975) if self.names is None else stdtrit(max(self.names - 1, 1), 0.975))
        with np.errstate(over="ignore"):
            odds, low, high = np.exp([value, value - half, value + half])
        return float(odds), Interval(float(low), float(high))


def fit_choices(
    features: Doubles,
    chosen: Doubles,
    there: npt.NDArray[np.bool_],
    clusters: Counts | None = None,
    names: Counts | None = None,
) -> ChoiceWeights:
    r"""Weights w that maximize  Σ_i Σ_j c_ij log p_ij,  p_ij = exp(w·x_ij) / Σ_{j' there} exp(w·x_ij')  (McFadden, 1974).

    `features` [N, n, k] of n things in each of N choices, `chosen` [N, n] (rows sum to 1; ties share), `there` [N, n] says which
    of the n exist, so that choices among two and among five things are fitted together. Newton's steps, halved where they do not
    rise. Errors are of the sandwich kind, H⁻¹ (Σ_c g_c g_cᵀ) H⁻¹ · m/(m−1) over m clusters, which hold where the model is only an
    approximation. With `names` [N, n], numbers from 0 of the things that were chosen among, choices that share a name vary
    together besides: Σ_m g_m g_mᵀ over names, g_m being summed over the choices that name m is in, less what is counted once for
    each name of a choice instead of once in all (the sandwich for dyads of Aronow et al., 2015), and never less than without
    names.
    """
    x, c = np.asarray(features, np.float64), np.asarray(chosen, np.float64)
    if len(x) == 0:
        raise ValueError("no choice to learn from")
    w, spread = np.zeros(x.shape[2]), _spread(x, there)
    rise, gradients, curvature = _at(w, x, c, there)
    for _ in range(_STEPS):
        step = np.linalg.lstsq(curvature, gradients.sum(axis=0), rcond=None)[0]
        after = _at(w + step, x, c, there)
        while after[0] < rise - 1e-12 * abs(rise) and np.abs(step).max() > _SETTLED:
            step = step / 2
            after = _at(w + step, x, c, there)
        w, (rise, gradients, curvature) = w + step, after
        if np.abs(step).max() < _SETTLED or np.abs(w * spread).max() > _FAR:
            break
    bounded = bool(np.abs(w * spread).max() <= _FAR and np.linalg.matrix_rank(curvature) == len(w))
    index = np.arange(len(x)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sums = _summed(gradients, index)
    if not bounded or len(sums) < 2:
        return ChoiceWeights(w, np.full(len(w), np.nan), bounded)
    inverse = np.linalg.inv(curvature)
    variances = np.diag(inverse @ (sums.T @ sums) @ inverse * len(sums) / (len(sums) - 1))
    if names is None:
        return ChoiceWeights(w, np.sqrt(variances), bounded)
    by_name = _by_name(gradients, names, there)
    own = _summed(gradients * np.sqrt(there.sum(axis=1) - 1)[:, None], index)
    shared = np.diag(inverse @ (by_name.T @ by_name - own.T @ own) @ inverse)
    count = int((np.abs(by_name).max(axis=1) > 0).sum())
    larger = np.maximum(shared * count / max(count - 1, 1), variances)
    return ChoiceWeights(w, np.sqrt(larger), bounded, count)


def _by_name(gradients: Doubles, names: Counts, there: npt.NDArray[np.bool_]) -> Doubles:
    """[names, k]: the gradients of all choices that a name is in."""
    choice, place = np.nonzero(there)
    return _summed(gradients[choice], np.asarray(names)[choice, place])


def _summed(rows: Doubles, index: Counts) -> Doubles:
    return np.column_stack([np.bincount(index, column) for column in rows.T])


def _spread(x: Doubles, there: npt.NDArray[np.bool_]) -> Doubles:
    """[k]: by how much each feature differs between the things of one choice, at most."""
    high = np.where(there[..., None], x, -np.inf).max(axis=1)
    low = np.where(there[..., None], x, np.inf).min(axis=1)
    return np.asarray((high - low).max(axis=0))


def _at(w: Doubles, x: Doubles, c: Doubles, there: npt.NDArray[np.bool_]) -> tuple[float, Doubles, Doubles]:
    """The log likelihood, its gradient by choice [N, k] and minus its second derivative [k, k]."""
    z = np.where(there, x @ w, -np.inf)
    z = z - z.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    p = np.exp(log_p)
    mean = np.einsum("ij,ijk->ik", p, x)
    centered = x - mean[:, None, :]
    value = float((c * np.where(there, log_p, 0.0)).sum())
    return value, np.einsum("ij,ijk->ik", c, centered), np.einsum("ij,ijk,ijl->kl", p, centered, centered)
