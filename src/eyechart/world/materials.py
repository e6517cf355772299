"""Colors and surface textures. Textures are coarse: they are distinguishable on an object of about twenty pixels."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]  # [n, 3], object coordinates
Color = tuple[int, int, int]

COLORS: dict[str, Color] = {
    "red": (205, 32, 32),
    "orange": (245, 135, 20),
    "yellow": (245, 225, 40),
    "green": (35, 150, 50),
    "cyan": (40, 205, 215),
    "blue": (30, 60, 205),
    "purple": (125, 40, 165),
    "pink": (250, 130, 185),
    "white": (245, 245, 245),
    "black": (32, 32, 36),
}
# The second tone of a texture: lighter, or grayer where the color is nearly white or black.
_GRAYED: dict[str, Color] = {"white": (135, 140, 150), "black": (118, 118, 124), "yellow": (165, 120, 20), "pink": (150, 40, 90)}


def second_tone(color: str) -> Color:
    if color in _GRAYED:
        return _GRAYED[color]
    red, green, blue = (round(0.22 * v + 0.78 * 250) for v in COLORS[color])
    return red, green, blue


def _faces(p: Points, normals: Points) -> tuple[Values, Values]:
    """Two coordinates along the surface: those of the axis plane that faces it best, to avoid foreshortening."""
    axis = np.abs(normals).argmax(1)
    return np.where(axis == 0, p[:, 2], p[:, 0]), np.where(axis == 1, p[:, 2], p[:, 1])


def _plain(p: Points, normals: Points) -> Values:
    return np.zeros(len(p))


def _striped(p: Points, normals: Points) -> Values:
    a, b = _faces(p, normals)
    return np.asarray(np.sin((a + b) * np.sqrt(0.5) * 2 * np.pi / 0.56) > 0, dtype=np.float64)


def _checked(p: Points, normals: Points) -> Values:
    a, b = _faces(p, normals)
    return np.asarray((np.floor(a / 0.4 + 0.5) + np.floor(b / 0.4 + 0.5)) % 2 == 0, dtype=np.float64)


def _spotted(p: Points, normals: Points) -> Values:
    a, b = _faces(p, normals)
    row = np.round(b / 0.5)
    across = a / 0.56 + 0.5 * (row % 2)
    away = np.hypot((across - np.round(across)) * 0.56, b - row * 0.5)
    return (away < 0.15).astype(np.float64)


def _marbled(p: Points, normals: Points) -> Values:
    a, b = _faces(p, normals)
    vein = np.sin(3.1 * a + 2.2 * np.sin(2.7 * b + 0.6) + 0.9 * np.sin(5.3 * a + 1.1))
    return np.clip(1.4 - 3.5 * np.abs(vein), 0.0, 1.0)


def _halved(p: Points, normals: Points) -> Values:
    return (p[:, 1] > 0.0).astype(np.float64)


Texture = Callable[[Points, Points], Values]

# The share of the second tone, from 0 to 1, at surface points with given normals.
TEXTURES: dict[str, Texture] = {
    "plain": _plain,
    "striped": _striped,
    "checked": _checked,
    "spotted": _spotted,
    "marbled": _marbled,
    "halved": _halved,
}
