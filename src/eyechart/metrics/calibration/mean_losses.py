"""The mean of a loss over pictures: near 0 for most, large for few confident errors."""

from collections.abc import Callable

import numpy as np

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.consistency import calibrated_mean_interval, wider
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.influence import log_interval, normal_interval, standard_error

HOW = "the widest of normal, normal on the log scale, and drawn answers, 95%"
_CLOSE = 1e-12
# What a wrong answer adds to the loss of a right one, if the rest of the probability was one class's: log p/(1−p), and
# 2p² − 2(1−p)².
STAKES: dict[str, Callable[[Doubles], Doubles]] = {
    "nll": lambda p: np.abs(np.log(np.maximum(p, _CLOSE) / np.maximum(1 - p, _CLOSE))),
    "brier": lambda p: 2 * np.abs(2 * p - 1),
}


def mean_loss(loss: str, values: Doubles, confidence: Doubles, clusters: Counts | None = None) -> tuple[float, Interval]:
    """The mean and its interval.

    A normal interval is too short at its upper end where errors are rare, so it is widened to that on the log scale. Where no
    error was observed it has almost no width, so it is also widened to the noise that the confidences themselves imply."""
    value = float(values.mean())
    error = standard_error((values - value) / len(values), clusters)
    seen = normal_interval(value, error)
    if value > 0 and np.isfinite(error):
        seen = wider(seen, log_interval(value, error))
    low, high = wider(seen, calibrated_mean_interval(value, confidence, clusters, stakes=STAKES[loss](confidence)))
    return value, Interval(max(low, 0.0), high)
