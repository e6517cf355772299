"""The solids of the world, as signed distance functions (negative inside).

Object coordinates: x to the right, y up, z towards the viewer. Every solid is inside the unit sphere.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.world.profiles import Inside, Profile, bars, heart, leaf, moon, polygon, regular

Points = npt.NDArray[np.float64]  # [n, 3]
Values = npt.NDArray[np.float64]
Distance = Callable[[Points], Values]


@dataclass(frozen=True)
class Solid:
    """A solid. `distance` never overestimates, so that sphere tracing cannot pass through the surface."""

    distance: Distance


def _box(p: Points, half: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> Values:
    away = np.abs(p - np.asarray(at)) - np.asarray(half)
    return np.asarray(np.linalg.norm(np.maximum(away, 0), axis=1) + np.minimum(away.max(1), 0))


def _ball(p: Points, radius: float, at: tuple[float, float, float] = (0, 0, 0)) -> Values:
    return np.asarray(np.linalg.norm(p - np.asarray(at), axis=1) - radius)


def _cylinder(p: Points, radius: float, half: float, y: float = 0.0) -> Values:
    """Upright, with its center at height y."""
    side, cap = np.hypot(p[:, 0], p[:, 2]) - radius, np.abs(p[:, 1] - y) - half
    return np.asarray(np.hypot(np.maximum(side, 0), np.maximum(cap, 0)) + np.minimum(np.maximum(side, cap), 0))


def _cut(first: Values, *others: Values) -> Values:
    """The intersection."""
    for other in others:
        first = np.maximum(first, other)
    return first


def _join(first: Values, *others: Values) -> Values:
    for other in others:
        first = np.minimum(first, other)
    return first


def _ring(a: Values, b: Values, out: Values, radius: float, thickness: float) -> Values:
    """A torus around the axis `out`."""
    return np.hypot(np.hypot(a, b) - radius, out) - thickness


def _cone(p: Points, top: float, bottom: float, radius: float, sides: int | None = None) -> Values:
    """With its tip at `top`; round, or with flat sides. Upside down where top is below bottom."""
    height = top - bottom
    if sides is None:
        away = np.hypot(p[:, 0], p[:, 2])
    else:
        turns = (np.arange(sides) + 0.5) * 2 * np.pi / sides
        away = (p[:, :1] * np.sin(turns) + p[:, 2:] * np.cos(turns)).max(1)
    slope = np.hypot(radius, height)
    up = np.sign(height)
    return _cut((away * abs(height) - radius * (top - p[:, 1]) * up) / slope, up * (bottom - p[:, 1]))


def _cube(p: Points) -> Values:
    return _box(p, (0.55, 0.55, 0.55))


def _sphere(p: Points) -> Values:
    return _ball(p, 0.78)


def _cylinder_solid(p: Points) -> Values:
    return _cylinder(p, 0.48, 0.75)


def _cone_solid(p: Points) -> Values:
    return _cone(p, 0.9, -0.68, 0.68)


def _pyramid(p: Points) -> Values:
    return _cone(p, 0.8, -0.5, 0.6, sides=4)


def _gem(p: Points) -> Values:
    """Cut with eight sides: a wide girdle, a flat top, a point below."""
    turns = (np.arange(8) + 0.5) * 2 * np.pi / 8
    away = (p[:, :1] * np.sin(turns) + p[:, 2:] * np.cos(turns)).max(1)
    below = (away * 1.15 - 0.8 * (p[:, 1] + 0.9)) / np.hypot(1.15, 0.8)
    above = (away * 0.5 - 0.5 * (0.25 + 0.8 - p[:, 1])) / np.hypot(0.5, 0.5)
    return _cut(below, above, p[:, 1] - 0.58)


def _mug(p: Points) -> Values:
    """Open at the top, with a handle to the right."""
    q = p + np.array([0.2, 0, 0])
    body = _cut(_cylinder(q, 0.5, 0.6), -_cylinder(q, 0.4, 0.6, y=0.14))
    handle = _cut(_ring(p[:, 0] - 0.36, p[:, 1], p[:, 2], 0.32, 0.1), -_cylinder(q, 0.42, 0.62))
    return _join(body, handle)


def _pot(p: Points) -> Values:
    """A wide cooking pot: two ears, a lid with a knob."""
    body = _cylinder(p, 0.62, 0.34, y=-0.16)
    lid = _cylinder(p, 0.67, 0.05, y=0.23)
    knob = _ball(p, 0.14, (0, 0.4, 0))
    ears = _ring(np.abs(p[:, 0]) - 0.7, p[:, 2], p[:, 1] - 0.02, 0.16, 0.075)
    return _join(body, lid, knob, ears)


def _cap(p: Points) -> Values:
    """A dome with a brim to the right and a button on top."""
    dome = _cut(_ball(p, 0.62, (-0.22, -0.25, 0)), -0.25 - p[:, 1])
    flat = np.hypot((p[:, 0] - 0.3) / 1.25, p[:, 2]) - 0.52
    brim = _cut(flat * 0.75, np.abs(p[:, 1] + 0.2) - 0.055, -p[:, 0] - 0.1)
    return _join(dome, brim, _ball(p, 0.09, (-0.22, 0.4, 0)))


def _torus(p: Points) -> Values:
    return _ring(p[:, 0], p[:, 1], p[:, 2], 0.6, 0.23)


def _hourglass(p: Points) -> Values:
    """Two cones tip to tip between two plates."""
    half = (np.hypot(p[:, 0], p[:, 2]) - 0.08 - 0.62 * np.abs(p[:, 1])) / np.hypot(1, 0.62)
    plates = _cylinder(np.column_stack([p[:, 0], np.abs(p[:, 1]), p[:, 2]]), 0.58, 0.07, y=0.75)
    return _join(_cut(half, np.abs(p[:, 1]) - 0.75), plates)


def _sheet(inside: Inside, thickness: float = 0.2) -> Solid:
    """A thick sheet cut to an outline, its edges a little rounded."""
    profile, rounding = Profile(inside), 0.05

    def distance(p: Points) -> Values:
        flat, deep = profile(p[:, 0], p[:, 1]) + rounding, np.abs(p[:, 2]) - (thickness - rounding)
        outside = np.hypot(np.maximum(flat, 0), np.maximum(deep, 0))
        return np.asarray(outside + np.minimum(np.maximum(flat, deep), 0) - rounding)

    return Solid(distance)


_ARROW = [(0.95, 0.0), (0.25, 0.72), (0.25, 0.28), (-0.9, 0.28), (-0.9, -0.28), (0.25, -0.28), (0.25, -0.72)]
_BOLT = [(0.1, 0.98), (-0.55, -0.08), (-0.08, -0.08), (-0.3, -0.98), (0.55, 0.22), (0.08, 0.22), (0.45, 0.85)]
_FISH = [
    (0.95, 0.0),
    (0.6, 0.38),
    (0.1, 0.5),
    (-0.35, 0.2),
    (-0.9, 0.5),
    (-0.7, 0.0),
    (-0.9, -0.5),
    (-0.35, -0.2),
    (0.1, -0.5),
    (0.6, -0.38),
]
_HOUSE = [(0.0, 0.95), (0.85, 0.2), (0.6, 0.2), (0.6, -0.78), (-0.6, -0.78), (-0.6, 0.2), (-0.85, 0.2)]
_CROWN = [(0.8, -0.55), (0.92, 0.5), (0.42, 0.0), (0.0, 0.75), (-0.42, 0.0), (-0.92, 0.5), (-0.8, -0.55)]


def _cross(x: Values, y: Values) -> npt.NDArray[np.bool_]:
    return (np.minimum(np.abs(x), np.abs(y)) < 0.27) & (np.maximum(np.abs(x), np.abs(y)) < 0.9)


def _snowflake() -> Inside:
    strokes: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for turn in np.arange(6) * np.pi / 3:
        out = np.array([np.sin(turn), np.cos(turn)])
        strokes.append(((0.0, 0.0), (0.88 * out[0], 0.88 * out[1])))
        for lean in (-0.85, 0.85):
            twig = 0.5 * out + 0.34 * np.array([np.sin(turn + lean), np.cos(turn + lean)])
            strokes.append(((0.5 * out[0], 0.5 * out[1]), (float(twig[0]), float(twig[1]))))
    return bars(strokes, 0.09)


SOLIDS: dict[str, Solid] = {
    "cube": Solid(_cube),
    "sphere": Solid(_sphere),
    "cylinder": Solid(_cylinder_solid),
    "mug": Solid(_mug),
    "pentagon": _sheet(regular(5, 0.92)),
    "heart": _sheet(heart),
    "cone": Solid(_cone_solid),
    "pyramid": Solid(_pyramid),
    "diamond": Solid(_gem),
    "moon": _sheet(moon),
    "cross": _sheet(_cross),
    "snowflake": _sheet(_snowflake(), 0.12),
    "leaf": _sheet(leaf, 0.1),
    "arrow": _sheet(polygon(_ARROW)),
    "star": _sheet(regular(5, 0.95, 0.42)),
    "torus": Solid(_torus),
    "pot": Solid(_pot),
    "cap": Solid(_cap),
}
# Held-out shapes that no training picture shows.
HELD_OUT: dict[str, Solid] = {
    "bolt": _sheet(polygon(_BOLT)),
    "fish": _sheet(polygon(_FISH)),
    "house": _sheet(polygon(_HOUSE)),
    "crown": _sheet(polygon(_CROWN)),
    "hourglass": Solid(_hourglass),
}
