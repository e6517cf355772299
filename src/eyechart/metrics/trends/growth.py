"""How a number grows with the number of training samples seen."""

import numpy as np
import numpy.typing as npt

from eyechart.metrics.intervals import Interval
from eyechart.metrics.special import stdtrit

HOW = "Student's t of a least-squares slope over checkpoints, 95%"


def per_doubling(samples: npt.ArrayLike, values: npt.ArrayLike, level: float = 0.95) -> tuple[float, Interval]:
    r"""The least-squares slope of values over log₂ samples, and b ± t_{k−2} · s/√Σ(x−x̄)² for k points, s² = Σ residual²/(k−2).

    Three points or more, at two or more different numbers of samples.
    """
    x, y = np.log2(np.asarray(samples, float)), np.asarray(values, float)
    if len(x) < 3 or np.ptp(x) == 0:
        raise ValueError("a slope with an interval needs three checkpoints, not all of them after as many samples")
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * y).sum() / spread)
    residuals = y - y.mean() - slope * (x - x.mean())
    error = float(np.sqrt((residuals @ residuals) / (len(x) - 2) / spread))
    half = float(stdtrit(len(x) - 2, (1 + level) / 2)) * error
    return slope, Interval(slope - half, slope + half)
