"""Trends over a population of models: the line that relates two measures, its uncertainty, and the models that leave it.

    expected(x) = T⁻¹(slope · T(x) + intercept)          T: probit, logit or linear
    effective robustness ρ(x, y) = y − expected(x)        (Taori et al., 2020, §2)

Models of one family (an architecture line trained on one source) are alike, so intervals resample families, not models.
"""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.metrics.intervals import Interval
from eyechart.metrics.ranking.rank_correlation import spearman
from eyechart.metrics.special import ndtri, stdtrit
from eyechart.metrics.trends.axes import Axis, from_axis, to_axis
from eyechart.metrics.trends.line_fits import Fit, fit_lines

Labels = npt.NDArray[np.int64]

RESAMPLES = 1000
SETTLED = 1e-5  # a resampled line need not be more exact than a hundredth of what resamples differ by


@dataclass(frozen=True)
class Line:
    """A straight line on two axes."""

    slope: float
    intercept: float
    x_axis: Axis = "probit"
    y_axis: Axis = "probit"

    def expected(self, x: npt.ArrayLike) -> Doubles:
        """What a model with `x` has of the other measure if it is on the line."""
        return from_axis(self.slope * to_axis(x, self.x_axis) + self.intercept, self.y_axis)


def effective_robustness(x: npt.ArrayLike, y: npt.ArrayLike, line: Line) -> Doubles:
    """How far y lies above what the line expects at x: 0.05 is five percentage points."""
    return np.asarray(y, np.float64) - line.expected(x)


@dataclass(frozen=True)
class Trend:
    """A fitted line. `slopes` and `intercepts` are those of the resamples, `widened`: bands and intervals are their quantiles."""

    line: Line
    fit: Fit
    r2: float
    spearman: float
    n: int
    families: int
    slope_interval: Interval
    intercept_interval: Interval
    r2_interval: Interval
    spearman_interval: Interval
    slopes: Doubles
    intercepts: Doubles
    level: float

    def band(self, x: npt.ArrayLike) -> tuple[Doubles, Doubles]:
        """Lower and upper bound of the line at each x, from the resampled lines."""
        places = to_axis(x, self.line.x_axis)[:, None] * self.slopes + self.intercepts
        low, high = np.quantile(places, [0.5 - self.level / 2, 0.5 + self.level / 2], axis=1)
        return from_axis(low, self.line.y_axis), from_axis(high, self.line.y_axis)


def fit_trend(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    families: Labels,
    *,
    x_axis: Axis = "probit",
    y_axis: Axis = "probit",
    fit: Fit = "huber",
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Trend:
    """The line through points whose places on the axes are finite; ValueError with fewer than three of them."""
    at_x, at_y = to_axis(x, x_axis), to_axis(y, y_axis)
    if len(at_x) < 3 or not (np.isfinite(at_x).all() and np.isfinite(at_y).all()):
        raise ValueError("a line needs three models or more, each with a finite place on both axes")
    weights = family_weights(families, resamples, np.random.default_rng(seed))
    everyone = np.ones((1, len(at_x)))
    (slope,), (intercept,) = fit_lines(at_x, at_y, everyone, fit)
    count = len(np.unique(families))
    slopes, intercepts = fit_lines(at_x, at_y, weights, fit, settled=SETTLED)
    sound = np.isfinite(slopes)  # a resample whose models all stand at one x has no line
    slopes, intercepts = (widened(v, d[sound], count - 1, level) for v, d in ((slope, slopes), (intercept, intercepts)))
    return Trend(
        line=Line(float(slope), float(intercept), x_axis, y_axis),
        fit=fit,
        r2=float(_r2(at_x, at_y, everyone)[0]),
        spearman=float(spearman(at_x, at_y, everyone)[0]),
        n=len(at_x),
        families=count,
        slope_interval=quantiles(slopes, level),
        intercept_interval=quantiles(intercepts, level),
        r2_interval=quantiles(_r2(at_x, at_y, weights), level),
        spearman_interval=quantiles(spearman(at_x, at_y, weights), level),
        slopes=slopes,
        intercepts=intercepts,
        level=level,
    )


def robustness_intervals(
    x: npt.ArrayLike, y: npt.ArrayLike, n_x: npt.ArrayLike, n_y: npt.ArrayLike, trend: Trend, *, seed: int = 0
) -> tuple[Doubles, Doubles]:
    """Lower and upper bound of each model's effective robustness.

    Three things are uncertain: the line, which is resampled, and both accuracies, each drawn from Jeffreys' posterior
    Beta(hits + ½, misses + ½). Where n is not known (NaN, or the measure is no share), only the line is. The draws of a model
    depend on the seed and its own numbers alone, so that its interval is the same whichever other models are asked for.
    """
    x, y, n_x, n_y = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (x, y, n_x, n_y)))
    size = len(trend.slopes)
    drawn_x, drawn_y = np.empty((size, len(x))), np.empty((size, len(x)))
    for i, numbers in enumerate(zip(x, y, n_x, n_y, strict=True)):
        rng = np.random.default_rng([seed, crc32(np.array(numbers).tobytes())])
        drawn_x[:, i], drawn_y[:, i] = _posterior(x[i], n_x[i], size, rng), _posterior(y[i], n_y[i], size, rng)
    places = to_axis(drawn_x, trend.line.x_axis) * trend.slopes[:, None] + trend.intercepts[:, None]
    above = drawn_y - from_axis(places, trend.line.y_axis)
    low, high = np.quantile(above, [0.5 - trend.level / 2, 0.5 + trend.level / 2], axis=0)
    return low, high


def family_weights(families: Labels, resamples: int, rng: np.random.Generator) -> Doubles:
    """[resamples, models]: how often each model is there when families are drawn with replacement, each as a whole.

    One fewer is drawn than there are (Rao and Wu, 1988): drawing k of k would understate the variance by (k−1)/k, which matters
    where families are few.
    """
    _, index = np.unique(families, return_inverse=True)
    count = int(index.max()) + 1
    if count == 1:
        return np.ones((resamples, len(index)))
    draws = rng.multinomial(count - 1, np.full(count, 1 / count), size=resamples)
    weights: Doubles = draws[:, index].astype(np.float64)
    return weights


def widened(value: float, draws: Doubles, freedom: int, level: float) -> Doubles:
    """Resampled values moved away from the value of the whole sample by the ratio of Student's t to the normal quantile, so
    that their quantiles allow for few families; NaN where there is one family."""
    if freedom < 1:
        return np.full_like(draws, np.nan)
    return value + (draws - value) * float(stdtrit(freedom, 0.5 + level / 2) / ndtri(0.5 + level / 2))


def quantiles(draws: Doubles, level: float) -> Interval:
    """The middle `level` of the finite draws; NaN where there are none."""
    if not np.isfinite(draws).any():
        return Interval(np.nan, np.nan)
    low, high = np.nanquantile(draws, [0.5 - level / 2, 0.5 + level / 2])
    return Interval(float(low), float(high))


def _posterior(share: float, n: float, size: int, rng: np.random.Generator) -> Doubles:
    """Draws of a share that was seen in n pictures; the share itself where n is not known."""
    if not (np.isfinite(n) and 0 <= share <= 1):
        return np.full(size, share)
    return rng.beta(share * n + 0.5, (1 - share) * n + 0.5, size=size)


def _r2(x: Doubles, y: Doubles, weights: Doubles) -> Doubles:
    """The squared correlation of the points on their axes, whatever line was fitted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=1, keepdims=True)
        at_x, at_y = x - weights @ x[:, None] / total, y - weights @ y[:, None] / total
        shared = (weights * at_x * at_y).sum(axis=1)
        spread = (weights * at_x**2).sum(axis=1) * (weights * at_y**2).sum(axis=1)
        found: Doubles = shared**2 / spread
    return found
