"""How large a sample must be, so that an interval excludes a limit."""

import math

from eyechart.metrics.intervals import wilson
from eyechart.metrics.special import ndtri

POWER = 0.8


def n_for_share(share: float, limit: float, *, power: float = POWER, level: float = 0.95) -> float:
    r"""The n at which Wilson's interval of a share p excludes the limit L with this power, if p is the true share.

    Wilson's interval excludes L exactly where the score test rejects it, so this is the sample size of that test (Fleiss, 1981):
    n = ((z_{level} √(L(1−L)) + z_{power} √(p(1−p))) / (p − L))²; infinite where p = L.

    >>> round(n_for_share(0.9, 0.8))
    107
    """
    if share == limit:
        return math.inf
    z, beta = float(ndtri(0.5 + level / 2)), float(ndtri(power))
    spread = z * math.sqrt(limit * (1 - limit)) + beta * math.sqrt(share * (1 - share))
    return (spread / (share - limit)) ** 2


def n_for_value(
    value: float, low: float, high: float, n: int, limit: float, *, power: float = POWER, level: float = 0.95
) -> float:
    r"""The n at which a value's interval excludes a limit with this power, if its width shrinks with √n.

    With half-width h at n: n ((1 + z_{power}/z_{level}) h / (value − limit))²; infinite where the value is the limit.
    """
    if value == limit:
        return math.inf
    z, beta = float(ndtri(0.5 + level / 2)), float(ndtri(power))
    half = (high - low) / 2
    return n * ((1 + beta / z) * half / (value - limit)) ** 2


def design_effect(share: float, low: float, high: float, n: int) -> float:
    """How many times larger the variance of a share is than that of n independent answers; at least 1."""
    plain_low, plain_high = wilson(share * n, n)
    width = float(plain_high - plain_low)
    return max(1.0, ((high - low) / width) ** 2) if width > 0 else 1.0
