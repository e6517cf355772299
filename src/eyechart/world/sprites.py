"""Sprites: a solid under an orthographic camera, ray-traced once and cached. Under orthographic projection a solid looks the same
at every position, so that pasting its sprite renders it exactly."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.world.figures import FIGURES, PARTS, part_masks
from eyechart.world.kept_maps import kept
from eyechart.world.materials import TEXTURES
from eyechart.world.solids import HELD_OUT, SOLIDS, Solid

Map = npt.NDArray[np.float32]

LIGHTS: dict[str, tuple[float, float, float]] = {
    "left": (-0.60, 0.62, 0.50),
    "right": (0.60, 0.62, 0.50),
    "front": (0.05, 0.62, 0.78),
}
REACH = 1.04  # a sprite spans this many radii to each side of the center
SHADOW_REACH = 2.2
_MASTER = 96
_MEGABYTE = 2**20
_STEPS, _CLOSE = 60, 2e-3
_AMBIENT, _DIFFUSE, _GLOSS, _SHININESS = 0.42, 0.66, 0.30, 22.0


@dataclass(frozen=True)
class View:
    """The pose of a solid relative to the camera, in degrees: `roll` tilts it sideways, `yaw` rotates it about the vertical, and
    the camera looks down by `elevation`."""

    yaw: float
    roll: float
    elevation: float

    def rotation(self) -> npt.NDArray[np.float64]:
        """Object coordinates to view coordinates: x right, y up, z towards the camera."""
        return tilt(self.elevation) @ self.standing()

    def standing(self) -> npt.NDArray[np.float64]:
        """Object coordinates to world coordinates, with y up."""
        yaw, roll = np.deg2rad(self.yaw), np.deg2rad(self.roll)
        about_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
        about_y = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
        return np.asarray(about_y @ about_z)


def tilt(elevation: float) -> npt.NDArray[np.float64]:
    e = np.deg2rad(elevation)
    return np.array([[1, 0, 0], [0, np.cos(e), -np.sin(e)], [0, np.sin(e), np.cos(e)]])


@dataclass(frozen=True)
class Hits:
    """Surface hits of a grid of [side, side] rays. Rows run downwards."""

    side: int
    hit: npt.NDArray[np.bool_]  # [side, side]
    points: npt.NDArray[np.float64]  # [hits, 3], object coordinates
    normals: npt.NDArray[np.float64]  # [hits, 3], object coordinates
    height: npt.NDArray[np.float64]  # [hits], towards the camera, in radii from the center


@dataclass(frozen=True)
class Sprite:
    """Maps of one size. `alpha` is coverage; the rest is premultiplied by it where it is a tone, so edges stay clean. A picture
    has its own `colors`, [height, width, 3]."""

    alpha: Map
    shade: Map
    gloss: Map
    height: Map
    patterns: Mapping[str, Map]
    colors: Map | None = None

    def weight(self) -> int:
        """In bytes, with all patterns, which may not be made yet."""
        maps = (self.alpha, self.shade, self.gloss, self.height, self.colors)
        return sum(values.nbytes for values in maps if values is not None) + len(self.patterns) * self.alpha.nbytes


class LazyMaps(Mapping[str, Map]):
    """Maps that are made when they are first looked up: an object has one texture, and its sprite could have any."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Map]) -> None:
        self._names, self._make = tuple(names), make
        self._made: dict[str, Map] = {}

    def __getitem__(self, name: str) -> Map:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)  # two threads may both make it, with the same result
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def solid(name: str) -> Solid:
    return SOLIDS.get(name) or HELD_OUT.get(name) or FIGURES[name]


def follow_rays(name: str, view: View, side: int) -> Hits:
    """Sphere tracing: step along each ray by the distance to the surface until it is hit or missed."""
    turn = view.rotation()
    distance = solid(name).distance
    line = ((np.arange(side) + 0.5) / side * 2 - 1) * REACH
    across, up = np.meshgrid(line, -line, indexing="xy")
    near = np.flatnonzero(across.ravel() ** 2 + up.ravel() ** 2 < 1.1)
    start = np.column_stack([across.ravel()[near], up.ravel()[near], np.full(len(near), 1.05)])
    origin, step = start @ turn, -turn[2]
    travelled = np.zeros(len(near))
    alive, met = np.arange(len(near)), np.zeros(len(near), dtype=np.bool_)
    for _ in range(_STEPS):
        away = distance(origin[alive] + travelled[alive, None] * step)
        travelled[alive] += np.maximum(away, 0.5 * _CLOSE)
        met[alive[away < _CLOSE]] = True
        alive = alive[(away >= _CLOSE) & (travelled[alive] < 2.1)]
        if not len(alive):
            break
    points = origin[met] + travelled[met, None] * step
    hit = np.zeros(side * side, dtype=np.bool_)
    hit[near[met]] = True
    return Hits(side, hit.reshape(side, side), points, _normals(name, points), 1.05 - travelled[met])


def _normals(name: str, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The gradient of the distance, by differences along four diagonals."""
    distance, small = solid(name).distance, 0.012
    corners = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], dtype=np.float64)
    gradient = sum((distance(points + small * c)[:, None] * c for c in corners), np.zeros_like(points))
    return np.asarray(gradient / np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-9))


def _weight(maps: dict[str, Map]) -> int:
    return sum(values.nbytes for values in maps.values())


@kept(768 * _MEGABYTE, _weight)
def _master(name: str, view: View, side: int) -> dict[str, Map]:
    """All maps of a view under every light: tracing rays is expensive, lighting is not."""
    hits = follow_rays(name, view, side)
    normals = hits.normals @ view.rotation().T
    maps = {"alpha": np.ones(len(normals)), "height": hits.height}
    for light, direction in LIGHTS.items():
        towards = np.asarray(direction) / np.linalg.norm(direction)
        halfway = towards + np.array([0.0, 0.0, 1.0])
        halfway /= np.linalg.norm(halfway)
        maps[f"shade {light}"] = _AMBIENT + _DIFFUSE * np.maximum(normals @ towards, 0.0)
        maps[f"gloss {light}"] = _GLOSS * np.maximum(normals @ halfway, 0.0) ** _SHININESS
    if name in FIGURES:
        maps |= part_masks(hits.points)
    else:
        maps |= {texture: paint(hits.points, hits.normals) for texture, paint in TEXTURES.items() if texture != "plain"}
    return {key: _spread(hits.hit, values) for key, values in maps.items()}


def _spread(hit: npt.NDArray[np.bool_], values: npt.NDArray[np.float64]) -> Map:
    spread = np.zeros(hit.shape, dtype=np.float32)
    spread[hit] = values
    return spread


@kept(768 * _MEGABYTE, Sprite.weight)
def sprite(name: str, view: View, light: str, width: int, height: int) -> Sprite:
    """The sprite of a solid, `width` × `height` pixels, averaged from a larger rendering."""
    side = max(_MASTER, 2 * max(width, height))
    master = _master(name, view, side)
    alpha = _resized(master["alpha"], width, height)
    cover = np.maximum(alpha, 1e-3)

    def tone(key: str) -> Map:
        # Asked for again, not held: a sprite that is kept would keep a master that is not.
        return np.asarray(_resized(_master(name, view, side)[key], width, height) / cover)

    painted = LazyMaps((key for key in master if key in TEXTURES or key in PARTS), tone)
    return Sprite(alpha, tone(f"shade {light}"), tone(f"gloss {light}"), tone("height"), painted)


def _resized(values: Map, width: int, height: int) -> Map:
    return np.asarray(Image.fromarray(values).resize((width, height), Image.Resampling.BOX), dtype=np.float32)


@lru_cache(maxsize=2000)
def _inside(name: str) -> npt.NDArray[np.float64]:
    line = (np.arange(40) + 0.5) / 20 - 1
    points = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(points[solid(name).distance(points) < 0.02])


@lru_cache(maxsize=2000)
def rests_at(name: str, roll: float) -> float:
    """The distance of a solid's lowest point below its center, in radii."""
    return float(-(_inside(name) @ View(0.0, roll, 0.0).standing().T)[:, 1].min())


def _darkness_weight(dark: Map) -> int:
    return dark.nbytes


@kept(256 * _MEGABYTE, _darkness_weight)
def shadow(name: str, view: View, light: str, width: int, height: int) -> Map:
    """The shadow on the ground, on a sheet of SHADOW_REACH radii to each side of the solid's center."""
    sheet = _shadow_master(name, view, light)
    return _resized(sheet, width, height)


@lru_cache(maxsize=2000)
def _shadow_master(name: str, view: View, light: str) -> Map:
    side = _MASTER
    world = _inside(name) @ view.standing().T
    ground = -rests_at(name, view.roll)
    towards = tilt(view.elevation).T @ np.asarray(LIGHTS[light])
    fallen = world - ((world[:, 1] - ground) / towards[1])[:, None] * towards
    seen = fallen @ tilt(view.elevation).T
    cells = np.floor((np.column_stack([-seen[:, 1], seen[:, 0]]) / SHADOW_REACH + 1) / 2 * side).astype(np.int64)
    cells = cells[((cells >= 0) & (cells < side)).all(1)]
    dark = np.zeros((side, side))
    dark[cells[:, 0], cells[:, 1]] = 1.0
    from scipy.ndimage import gaussian_filter  # takes a while to load

    closed = gaussian_filter(dark, 1.6) > 0.25
    return np.asarray(gaussian_filter(closed.astype(np.float64), 3.0), dtype=np.float32)
