"""Flat outlines and their signed distance. A flat solid (star, heart, leaf) is an extruded outline."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Inside = Callable[[Values, Values], npt.NDArray[np.bool_]]

_CELLS = 384
_REACH = 1.25  # the table spans [-1.25, 1.25] in both directions


def polygon(corners: Sequence[tuple[float, float]]) -> Inside:
    """The inside of a closed outline (x to the right, y up), by the number of crossings of a ray to the right."""

    def inside(x: Values, y: Values) -> npt.NDArray[np.bool_]:
        odd = np.zeros(x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
            if ay != by:
                odd ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
        return odd

    return inside


def regular(corners: int, radius: float, dent: float | None = None) -> Inside:
    """A regular polygon with a corner on top; with `dent`, a star whose inner corners lie at that radius."""
    if dent is None:
        turns = np.arange(corners) * 2 * np.pi / corners
        return polygon([(radius * np.sin(t), radius * np.cos(t)) for t in turns])
    turns = np.arange(2 * corners) * np.pi / corners
    radii = np.where(np.arange(2 * corners) % 2 == 0, radius, dent)
    return polygon([(r * np.sin(t), r * np.cos(t)) for r, t in zip(radii, turns, strict=True)])


def bars(strokes: Sequence[tuple[tuple[float, float], tuple[float, float]]], half_width: float) -> Inside:
    """The points within `half_width` of any of the strokes."""

    def inside(x: Values, y: Values) -> npt.NDArray[np.bool_]:
        found = np.zeros(x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in strokes:
            dx, dy = bx - ax, by - ay
            along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0.0, 1.0)
            found |= (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2 < half_width**2
        return found

    return inside


def heart(x: Values, y: Values) -> npt.NDArray[np.bool_]:
    """The sextic heart (x² + y² − 1)³ < x² y³, scaled."""
    x, y = 1.3 * x, 1.3 * y + 0.1
    return (x * x + y * y - 1.0) ** 3 - x * x * y**3 < 0.0


def moon(x: Values, y: Values) -> npt.NDArray[np.bool_]:
    """A disc minus a smaller one shifted to the right."""
    return (x * x + y * y < 0.88**2) & ((x - 0.44) ** 2 + y * y > 0.68**2)


def leaf(x: Values, y: Values) -> npt.NDArray[np.bool_]:
    """The overlap of two discs, leaning to the right, with a stem."""
    lean = np.deg2rad(32.0)
    across, along = x * np.cos(lean) - y * np.sin(lean), x * np.sin(lean) + y * np.cos(lean)
    blade = (np.abs(across) + 0.62) ** 2 + (along - 0.12) ** 2 < 1.04**2
    stem = (np.abs(across) < 0.06) & (along < 0.0) & (along > -1.0)
    return np.asarray(blade | stem)


class Profile:
    """The signed distance to an outline, from a table that is computed once. Negative inside."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._table = lru_cache(maxsize=1)(self._measure)

    def _measure(self) -> Values:
        points = (np.arange(_CELLS) + 0.5) / _CELLS * 2 * _REACH - _REACH
        x, y = np.meshgrid(points, points, indexing="xy")
        filled = self._inside(x, y)
        # Distances run between cell centers; an edge lies half a cell before the first center on the other side.
        from scipy.ndimage import distance_transform_edt  # takes a while to load

        away = np.maximum(distance_transform_edt(~filled) - 0.5, 0.0) - np.maximum(distance_transform_edt(filled) - 0.5, 0.0)
        return np.asarray(away * (2 * _REACH / _CELLS))

    def __call__(self, x: Values, y: Values) -> Values:
        cells = np.stack([y, x])
        cells += _REACH
        cells *= _CELLS / (2 * _REACH)
        cells -= 0.5
        beyond = np.hypot(np.maximum(np.abs(x) - _REACH, 0.0), np.maximum(np.abs(y) - _REACH, 0.0))
        from scipy.ndimage import map_coordinates  # takes a while to load

        found: Values = map_coordinates(self._table(), cells, order=1, mode="nearest")
        return found + beyond
