"""Temperature scaling: the one number that makes the probabilities fit best and changes no prediction (Guo et al., 2017)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.calibration.readout import Reading, slopes
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.intervals.resampling import clustered_sums
from eyechart.metrics.special import ndtri

_LEAST, _MOST = 1e-4, 1e4  # of 1/T: beyond, probabilities are all alike, or 0 and 1, to every digit that matters
_SETTLED = 1e-4  # of log T: what is left after such a step is about its square
_ROUGHLY = 0.03  # the same for some of the pictures, whose minimum is another anyway
_DECIDING = 40  # fewer pictures than these decide the fit: their number, if all of them moved it alike
_STARTS = 1000, 8000  # pictures that the search begins with


@dataclass(frozen=True)
class Temperature:
    """A fitted temperature.

    value: The temperature.
    low: Lower end of the 95% interval; None at a bound.
    high: Upper end of the 95% interval; None at a bound.
    bound: Where the likelihood has no maximum within reach: "coldest" where every answer is correct, "hottest" where the
        scores are uninformative."""

    value: float
    low: float | None
    high: float | None
    n: int
    bound: str | None = None


def fit_temperature(
    logits: LogitBlocks, truth: npt.NDArray[np.int64], *, reading: Reading = "softmax", clusters: Counts | None = None
) -> Temperature:
    r"""T that minimizes the mean NLL of the true classes under logits / T, to convergence (log T to about 1e-7).

    Newton's steps in b = 1/T, in which the NLL is convex, held within a bracket by the sign of the derivative; they begin
    with some of the pictures, so that few passes see all. Interval: normal in log T with the sandwich variance
    Σ_c (Σ_{i∈c} g_i)² / (Σ h_i)², g and h being each picture's derivatives by log T at the minimum. Where a few surprising
    pictures decide, (Σ|g|)² < 40 Σ g² over clusters, that is too narrow, and the interval is a score test's (`_score_interval`).
    """
    if not len(logits):
        raise ValueError("no picture to fit a temperature on")
    start = 1.0
    for few in _STARTS:
        if len(logits) > 2 * few:
            some = np.linspace(0, len(logits) - 1, few).astype(np.int64)
            start = _minimize(logits.take(some), truth[some], reading, start, settled=_ROUGHLY)[0]
    inverse, first, second = _minimize(logits, truth, reading, start, settled=_SETTLED)
    if inverse in (_LEAST, _MOST):
        return Temperature(1 / inverse, None, None, len(logits), "coldest" if inverse == _MOST else "hottest")
    # By τ = log T = −log b: dNLL/dτ = −b·g, and at the minimum d²NLL/dτ² = b²·h.
    pulls = clustered_sums(first[:, None], clusters)
    if np.abs(pulls).sum() ** 2 < _DECIDING * float((pulls**2).sum()):
        low, high = _score_interval(logits, truth, reading, inverse, clusters)
        return Temperature(1 / inverse, low, high, len(logits))
    error = standard_error(first / (inverse * second.sum()), clusters)
    if not np.isfinite(error):
        return Temperature(1 / inverse, None, None, len(logits))
    low, high = np.exp(normal_interval(-float(np.log(inverse)), error))
    return Temperature(1 / inverse, float(low), float(high), len(logits))


def _score_interval(
    logits: LogitBlocks, truth: npt.NDArray[np.int64], reading: Reading, fitted: float, clusters: Counts | None
) -> tuple[float | None, float | None]:
    """The temperatures at which the slope of the likelihood lies within 1.96 of the deviations that the probabilities themselves
    let it have there: |Σ g_i| ≤ 1.96 √(Σ_c (Σ_{i∈c} √h_i)²), as Wilson's interval asks of a share. None: no end within reach."""

    from scipy.optimize import brentq  # takes a while to load, and few temperatures need it

    def beyond(log_inverse: float, side: float) -> float:
        first, second = _derivatives(logits, truth, reading, float(np.exp(log_inverse)))
        spread = float(np.linalg.norm(clustered_sums(np.sqrt(second)[:, None], clusters)))
        return side * float(first.sum()) - float(ndtri(0.975)) * spread

    def end(side: float) -> float | None:
        near, step = float(np.log(fitted)), 0.25
        while _LEAST < np.exp(near + side * step) < _MOST:
            far = near + side * step
            if beyond(far, side) > 0:
                return float(np.exp(-brentq(beyond, near, far, args=(side,), xtol=3e-3)))
            near, step = far, 2 * step
        return None

    return end(1.0), end(-1.0)


def _derivatives(logits: LogitBlocks, truth: npt.NDArray[np.int64], reading: Reading, inverse: float) -> tuple[Doubles, Doubles]:
    first, second = np.empty(len(logits)), np.empty(len(logits))
    for rows, block in logits.blocks():
        first[rows], second[rows] = slopes(block, truth[rows], inverse, reading)
    return first, second


def _minimize(
    logits: LogitBlocks, truth: npt.NDArray[np.int64], reading: Reading, inverse: float, *, settled: float
) -> tuple[float, Doubles, Doubles]:
    """The inverse temperature at which the derivative is 0, or the bound towards which the NLL falls; and the derivatives there.

    A step that would leave the bracket tries its end first, where that is a bound, else halves it. Newton's last step squares
    the error of the one before, so after one below `settled` there is nothing left to do."""
    low, high = _LEAST, _MOST
    tried: set[float] = set()
    while True:
        first, second = _derivatives(logits, truth, reading, inverse)
        tried.add(inverse)
        slope, curvature = float(first.sum()), float(second.sum())
        if (inverse == _LEAST and slope >= 0) or (inverse == _MOST and slope <= 0):
            return inverse, first, second
        low, high = (inverse, high) if slope <= 0 else (low, inverse)
        after = inverse - slope / curvature if curvature > 0 else (high if slope <= 0 else low)
        if not low < after < high:
            end = low if after <= low else high
            after = float(np.sqrt(low * high)) if end in tried else end
        moved = abs(float(np.log(after / inverse)))
        inverse = after
        if moved < settled:
            return inverse, first, second
