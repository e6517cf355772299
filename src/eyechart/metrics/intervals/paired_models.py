"""The effect of a treatment on models: the mean difference within pairs that differ in nothing else."""

import numpy as np
import numpy.typing as npt

from eyechart.metrics.intervals import Interval
from eyechart.metrics.special import stdtrit

HOW = "Student's t over pairs of models, 95%"
HOW_ALIKE = "bounds from both intervals, 95% or more; all pairs differ by the same, so their variation is unknown"
HOW_ONE = "bounds from both intervals, 95% or more; one pair, so the variation between training seeds is not included"


def paired_effect(treated: npt.ArrayLike, control: npt.ArrayLike, level: float = 0.95) -> tuple[float, Interval]:
    """Mean difference d̄ of p pairs and d̄ ± t_{p−1} · s_d/√p (Student, 1908). Two pairs or more.

    Differences vary between pairs with training seeds and with measurement noise, so the interval includes both. With few pairs
    t is large (4.3 for three).

    >>> effect, interval = paired_effect([3.0, 4.0, 5.0], [1.0, 1.0, 1.0])
    >>> round(effect, 3), round(interval.low, 3), round(interval.high, 3)
    (3.0, 0.516, 5.484)
    """
    difference = np.asarray(treated, float) - np.asarray(control, float)
    pairs = len(difference)
    if pairs < 2:
        raise ValueError("one pair says nothing of what varies between pairs")
    effect = float(difference.mean())
    half = float(stdtrit(pairs - 1, (1 + level) / 2) * difference.std(ddof=1) / np.sqrt(pairs))
    return effect, Interval(effect - half, effect + half)
