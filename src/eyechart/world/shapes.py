"""Twelve shapes, each a rule that says which points of the plane belong to it. The unit circle bounds them all."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Plane = npt.NDArray[np.float64]
Inside = npt.NDArray[np.bool_]
Shape = Callable[[Plane, Plane], Inside]


def _polygon(corners: int, dent: float = 1.0) -> Shape:
    """A regular polygon with a corner on top; with a dent below 1 the middle of every side is pulled in (a star)."""
    turns = np.arange(2 * corners) * np.pi / corners
    radius = np.where(np.arange(2 * corners) % 2 == 0, 1.0, dent * np.cos(np.pi / corners))
    return _outline([(r * np.sin(t), -r * np.cos(t)) for r, t in zip(radius, turns, strict=True)])


def _outline(corners: list[tuple[float, float]]) -> Shape:
    """The inside of a closed outline, by how often a ray to the right crosses it."""

    def inside(x: Plane, y: Plane) -> Inside:
        odd = np.zeros(x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            if ay != by:
                crosses = (ay > y) != (by > y)
                odd ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
        return odd

    return inside


def _circle(x: Plane, y: Plane) -> Inside:
    return x * x + y * y < 1.0


def _ring(x: Plane, y: Plane) -> Inside:
    square = x * x + y * y
    return (square < 1.0) & (square > 0.36)


def _crescent(x: Plane, y: Plane) -> Inside:
    return _circle(x, y) & ((x - 0.45) ** 2 + y * y > 0.72)


def _square(x: Plane, y: Plane) -> Inside:
    return np.maximum(np.abs(x), np.abs(y)) < 0.7


def _diamond(x: Plane, y: Plane) -> Inside:
    return np.abs(x) / 0.62 + np.abs(y) < 1.0


def _cross(x: Plane, y: Plane) -> Inside:
    across, along = np.minimum(np.abs(x), np.abs(y)), np.maximum(np.abs(x), np.abs(y))
    return (across < 0.3) & (along < 0.95)


def _heart(x: Plane, y: Plane) -> Inside:
    x, y = 1.35 * x, 0.2 - 1.35 * y
    return (x * x + y * y - 0.8) ** 3 - 1.3 * x * x * y**3 < 0.0


_ARROW = [(0.0, -1.0), (0.75, -0.2), (0.3, -0.2), (0.3, 0.9), (-0.3, 0.9), (-0.3, -0.2), (-0.75, -0.2)]

SHAPES: dict[str, Shape] = {
    "circle": _circle,
    "ring": _ring,
    "crescent": _crescent,
    "square": _square,
    "diamond": _diamond,
    "triangle": _polygon(3),
    "pentagon": _polygon(5),
    "hexagon": _polygon(6),
    "star": _polygon(5, dent=0.5),
    "cross": _cross,
    "heart": _heart,
    "arrow": _outline(_ARROW),
}
