"""Special functions of SciPy, which is loaded when one of them is first called: a second run of a finished plan needs none."""

from statistics import NormalDist
from typing import Any

_NORMAL = NormalDist()


def ndtri(p: Any) -> Any:
    """The quantile of the standard normal distribution.

    >>> round(ndtri(0.975), 4)
    1.96
    """
    if isinstance(p, float) and 0.0 < p < 1.0:
        return _NORMAL.inv_cdf(p)
    from scipy.special import ndtri

    return ndtri(p)


def ndtr(z: Any) -> Any:
    """The standard normal distribution function."""
    from scipy.special import ndtr

    return ndtr(z)


def stdtrit(freedom: Any, p: Any) -> Any:
    """The quantile of Student's distribution."""
    from scipy.special import stdtrit

    return stdtrit(freedom, p)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    """The binomial distribution function."""
    from scipy.special import bdtr

    return bdtr(k, n, p)


def chdtrc(freedom: Any, x: Any) -> Any:
    """The upper tail of the chi-squared distribution."""
    from scipy.special import chdtrc

    return chdtrc(freedom, x)


def betaincinv(a: Any, b: Any, p: Any) -> Any:
    """The quantile of the beta distribution."""
    from scipy.special import betaincinv

    return betaincinv(a, b, p)


def gammaln(x: Any) -> Any:
    """The logarithm of the gamma function."""
    from scipy.special import gammaln

    return gammaln(x)


def expit(x: Any) -> Any:
    """1 / (1 + exp(−x))."""
    from scipy.special import expit

    return expit(x)


def logit(p: Any) -> Any:
    """log(p / (1 − p))."""
    from scipy.special import logit

    return logit(p)


def softmax(x: Any, axis: int | None = None) -> Any:
    """exp(x), divided by its sum."""
    from scipy.special import softmax

    return softmax(x, axis=axis)


def logsumexp(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """log Σ exp(x)."""
    from scipy.special import logsumexp

    return logsumexp(x, axis=axis, keepdims=keepdims)
