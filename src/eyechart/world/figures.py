"""Figures: people without faces. Their attributes (hat, badge) carry no social meaning."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from eyechart.world.solids import Solid

Points = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

_HEAD, _HEAD_RADIUS = 0.34, 0.23
_BRIM = 0.44


def _parts(p: Points, girth: float, square: bool) -> dict[str, Values]:
    x, y, z = p.T
    if square:
        away = np.maximum(np.abs(x), np.abs(z)) - girth
        body = np.maximum(away, np.abs(y + 0.40) - 0.52)
    else:
        body = np.maximum((np.hypot(x, z) - girth * (0.55 - 0.62 * (y + 0.2))) / 1.25, np.abs(y + 0.40) - 0.52)
    head = np.linalg.norm(p - np.array([0, _HEAD, 0]), axis=1) - _HEAD_RADIUS
    crown = np.maximum(np.hypot(x, z) - 0.21, np.abs(y - 0.62) - 0.2)
    brim = np.maximum(np.hypot(x, z) - 0.34, np.abs(y - _BRIM - 0.02) - 0.035)
    return {"body": body, "head": head, "hat": np.minimum(crown, brim)}


def _figure(girth: float, square: bool) -> Callable[[Points], Values]:
    def distance(p: Points) -> Values:
        body, head, hat = _parts(p, girth, square).values()
        return np.asarray(np.minimum(np.minimum(body, head), hat))

    return distance


def part_masks(points: Points) -> dict[str, Values]:
    """Which part of a figure each point of its surface belongs to; the badge is a disc on the chest."""
    x, y, z = points.T
    hat = (y > _BRIM - 0.03).astype(np.float64)
    head = ((y > 0.13) & (hat == 0)).astype(np.float64)
    badge = ((np.hypot(x, y + 0.22) < 0.19) & (z > 0)).astype(np.float64)
    return {"hat": hat, "head": head, "badge": badge}


PARTS = ("hat", "head", "badge")
FIGURES: dict[str, Solid] = {
    "walker": Solid(_figure(0.62, square=False)),
    "robot": Solid(_figure(0.36, square=True)),
}
