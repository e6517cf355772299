"""Axes on which accuracies of many models lie on a straight line: probit (Taori et al., 2020, §3.1), logit, or as they are."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from eyechart.metrics.special import expit, logit, ndtr, ndtri

Axis = Literal["probit", "logit", "linear"]
AXES: tuple[Axis, ...] = get_args(Axis)

_FORWARD = {"probit": ndtri, "logit": logit}
_BACK = {"probit": ndtr, "logit": expit}


def to_axis(shares: npt.ArrayLike, axis: Axis) -> npt.NDArray[np.float64]:
    """Φ⁻¹(p), log(p / (1−p)) or p. Shares of exactly 0 and 1 lie infinitely far out on the first two.

    >>> to_axis([0.5, 0.975], "probit").round(2)
    array([0.  , 1.96])
    """
    values = np.asarray(shares, np.float64)
    return values if axis == "linear" else np.asarray(_FORWARD[axis](values), np.float64)


def from_axis(places: npt.ArrayLike, axis: Axis) -> npt.NDArray[np.float64]:
    """The inverse of `to_axis`."""
    values = np.asarray(places, np.float64)
    return values if axis == "linear" else np.asarray(_BACK[axis](values), np.float64)


def clip_shares(shares: npt.ArrayLike, n: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Shares moved into [0.5/n, 1 − 0.5/n], half an answer away from the ends, so that every axis can hold them."""
    half = 0.5 / np.asarray(n, np.float64)
    return np.clip(np.asarray(shares, np.float64), half, 1 - half)
