"""Straight lines through points, many weightings at once: least squares and Huber's robust regression.

`weights` is [resamples, points]; a resample of a bootstrap is a row of counts. Slopes and intercepts come back as one array each;
where all points of a resample have the same x there is no line, and both are NaN.
"""

from typing import Literal

import numpy as np

from eyechart.arrays import Doubles

Fit = Literal["ols", "huber"]

_EPSILON, _ALPHA = 1.35, 1e-4  # the defaults of scikit-learn's HuberRegressor, which the papers used
_ROUNDS, _FLOOR = 200, 1e-14
_BLOCK = 1 << 16  # numbers worked on at once: what fits a processor's cache


def fit_lines(x: Doubles, y: Doubles, weights: Doubles, fit: Fit, *, settled: float = 1e-8) -> tuple[Doubles, Doubles]:
    """Slopes and intercepts, one pair for each row of `weights`. Huber's end when a round moves them by less than `settled`."""
    if fit == "ols":
        return _weighted(x, y, weights, np.zeros(len(weights)))
    rows = max(1, _BLOCK // max(len(x), 1))
    parts = [_huber(x, y, weights[start : start + rows], settled) for start in range(0, len(weights), rows)]
    return np.concatenate([slope for slope, _ in parts]), np.concatenate([intercept for _, intercept in parts])


def _weighted(x: Doubles, y: Doubles, weights: Doubles, ridge: Doubles) -> tuple[Doubles, Doubles]:
    """argmin Σ w (y − a x − b)² + ridge a², in closed form around the weighted means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=1)
        middle_x, middle_y = weights @ x / total, weights @ y / total
        # Around a point near the data, so that the differences of large sums lose no digits.
        at_x, at_y = x - x.mean(), y - y.mean()
        off_x, off_y = middle_x - x.mean(), middle_y - y.mean()
        spread = weights @ (at_x * at_x) - total * off_x**2
        shared = weights @ (at_x * at_y) - total * off_x * off_y
        slope = np.where(spread > 1e-12 * total * max(float(at_x @ at_x), 1e-300), shared / (spread + ridge), np.nan)
    return slope, middle_y - slope * middle_x


def _huber(x: Doubles, y: Doubles, weights: Doubles, settled: float) -> tuple[Doubles, Doubles]:
    r"""argmin over slope a, intercept b and scale σ of Σ w (σ + H((y − a x − b)/σ) σ) + α a²  (Huber, 1981, §7.8), where
    H(z) = z² for |z| < ε, else 2ε|z| − ε².

    Setting the derivatives to zero gives Σ w u r (x, 1) = (α σ a, 0) with u = min(1, εσ/|r|), and σ² = Σ w min(r², ε²σ²) / Σ w:
    weighted least squares whose weights and scale are renewed until nothing moves. The problem is convex, so this is the one
    minimum that any solver finds.
    """
    slope, intercept = _weighted(x, y, weights, np.zeros(len(weights)))
    scale = _scale(_residuals(x, y, slope, intercept), weights, np.inf)
    moving = np.flatnonzero(np.isfinite(slope))
    for _ in range(_ROUNDS):
        if len(moving) == 0:
            break
        mine, bound = weights[moving], _EPSILON * np.maximum(scale[moving], _FLOOR)[:, None]
        size = np.abs(_residuals(x, y, slope[moving], intercept[moving]))
        trusted = bound / np.maximum(size, bound)
        steeper, higher = _weighted(x, y, mine * trusted, _ALPHA * scale[moving])
        wider = _scale(_residuals(x, y, steeper, higher), mine, bound)
        moved = np.abs(steeper - slope[moving]) + np.abs(wider - scale[moving])
        slope[moving], intercept[moving], scale[moving] = steeper, higher, wider
        moving = moving[moved > settled]
    return slope, intercept


def _residuals(x: Doubles, y: Doubles, slope: Doubles, intercept: Doubles) -> Doubles:
    residuals: Doubles = y - slope[:, None] * x - intercept[:, None]
    return residuals


def _scale(residuals: Doubles, weights: Doubles, bound: Doubles | float) -> Doubles:
    """√ of the mean square of residuals cut off at `bound`."""
    kept = np.minimum(np.abs(residuals), bound)
    scale: Doubles = np.sqrt(np.einsum("bn,bn->b", weights, kept * kept) / weights.sum(axis=1))
    return scale
