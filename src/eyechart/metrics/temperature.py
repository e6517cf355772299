"""The temperature that makes a classifier's probabilities fit best: one number, which leaves every answer as it is
(Guo et al., 2017)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.metrics.influence import normal_interval, standard_error
from eyechart.metrics.intervals import Counts
from eyechart.metrics.logits import LogitBlocks
from eyechart.metrics.readings import Reading, slopes

Doubles = npt.NDArray[np.float64]

_LEAST, _MOST = 1e-4, 1e4  # of 1/T: beyond, probabilities are all alike, or 0 and 1, to every digit that matters
_SETTLED = 1e-6  # of log T
_START = 1000  # pictures that the search begins with


@dataclass(frozen=True)
class Temperature:
    """`low`, `high`: 95% interval, None at a bound. `bound`: the likelihood has no maximum within reach, since every answer is
    right ("coldest") or the scores say nothing of the truth ("hottest")."""

    value: float
    low: float | None
    high: float | None
    n: int
    bound: str | None = None


def fit_temperature(
    logits: LogitBlocks, truth: npt.NDArray[np.int64], *, reading: Reading = "softmax", clusters: Counts | None = None
) -> Temperature:
    r"""T that minimises the mean NLL of the true classes under logits / T, to convergence (log T to about 1e-10).

    Newton's steps in b = 1/T, in which the NLL is convex, held within a bracket by the sign of the derivative; they begin with a
    thousand of the pictures, so that few passes see all. Interval: normal in log T with the sandwich variance
    Σ_c (Σ_{i∈c} g_i)² / (Σ h_i)², g and h being each picture's derivatives by log T at the minimum.
    """
    if not len(logits):
        raise ValueError("no picture to fit a temperature on")
    start = 1.0
    if len(logits) > _START:
        some = np.linspace(0, len(logits) - 1, _START).astype(np.int64)
        start = _minimise(logits.take(some), truth[some], reading, 1.0)[0]
    inverse, first, second = _minimise(logits, truth, reading, start)
    if inverse in (_LEAST, _MOST):
        return Temperature(1 / inverse, None, None, len(logits), "coldest" if inverse == _MOST else "hottest")
    # By τ = log T = −log b: dNLL/dτ = −b·g, and at the minimum d²NLL/dτ² = b²·h.
    error = standard_error(first / (inverse * second.sum()), clusters)
    if not np.isfinite(error):
        return Temperature(1 / inverse, None, None, len(logits))
    low, high = np.exp(normal_interval(-float(np.log(inverse)), error))
    return Temperature(1 / inverse, float(low), float(high), len(logits))


def _derivatives(logits: LogitBlocks, truth: npt.NDArray[np.int64], reading: Reading, inverse: float) -> tuple[Doubles, Doubles]:
    first, second = np.empty(len(logits)), np.empty(len(logits))
    for rows, block in logits.blocks():
        first[rows], second[rows] = slopes(block, truth[rows], inverse, reading)
    return first, second


def _minimise(
    logits: LogitBlocks, truth: npt.NDArray[np.int64], reading: Reading, inverse: float
) -> tuple[float, Doubles, Doubles]:
    """The inverse temperature at which the derivative is 0, or the bound towards which the NLL falls; and the derivatives there.

    A step that would leave the bracket tries its end first, where that is a bound, else halves it. Newton's last step squares
    the error of the one before, so after one below 1e-6 there is nothing left to do."""
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
        if moved < _SETTLED:
            return inverse, first, second
