"""MOVER (method of variance estimates recovery): intervals of a difference and of a ratio from the intervals of the two parts.

No resampling is needed. The intervals are right near 0 and 1 where those of the parts are, and for parts measured on the same
pictures.
"""

from typing import NamedTuple

import numpy as np

from eyechart.metrics.intervals import Interval


class Estimate(NamedTuple):
    value: float
    low: float
    high: float


def difference_interval(a: Estimate, b: Estimate, correlation: float = 0.0) -> Interval:
    r"""Interval of a − b (Zou and Donner, 2008; for Wilson's intervals of two shares it is method 10 of Newcombe, 1998).

    With r the correlation of the two estimates: low = a − b − √((a−l_a)² − 2r(a−l_a)(u_b−b) + (u_b−b)²), high likewise.
    """
    (value_a, low_a, high_a), (value_b, low_b, high_b) = a, b
    difference = value_a - value_b

    def reach(of_a: float, of_b: float) -> float:
        return float(np.sqrt(max(of_a**2 - 2 * correlation * of_a * of_b + of_b**2, 0.0)))

    return Interval(difference - reach(value_a - low_a, high_b - value_b), difference + reach(high_a - value_a, value_b - low_b))


def ratio_interval(a: Estimate, b: Estimate, correlation: float = 0.0) -> Interval:
    r"""Interval of a / b for positive b (Donner and Zou, 2012, eq. 9): the ratios ρ for which the interval of a − ρb holds 0.

    NaN where b's interval reaches 0, for then any ratio is possible.
    """
    (value_a, low_a, high_a), (value_b, low_b, high_b) = a, b
    if low_b <= 0:
        return Interval(np.nan, np.nan)
    # The lower end solves Aρ² − 2Mρ + C = 0, where A may be 0: C / (M + √(M² − AC)) needs no division by A.
    middle = value_a * value_b - correlation * (value_a - low_a) * (high_b - value_b)
    of_a = low_a * (2 * value_a - low_a)
    below = middle**2 - of_a * high_b * (2 * value_b - high_b)
    low = of_a / (middle + np.sqrt(max(below, 0.0))) if low_a > 0 else 0.0
    middle = value_a * value_b - correlation * (high_a - value_a) * (value_b - low_b)
    above = middle**2 - high_a * low_b * (2 * value_a - high_a) * (2 * value_b - low_b)
    high = (middle + np.sqrt(max(above, 0.0))) / _not_zero(low_b * (2 * value_b - low_b))
    return Interval(float(low), float(high))


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-12 else 1e-12
