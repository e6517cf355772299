"""Exact correspondences: the pixels at which a surface point is visible in two views of one scene.

A point of a picture is (x, y) in pixels from its top left corner; the center of the first pixel is (0.5, 0.5)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.errors import UsageError
from eyechart.world.scene import Camera, Scene, Thing
from eyechart.world.sprites import REACH, follow_rays, solid
from eyechart.world.truth import owners

Points = npt.NDArray[np.float64]  # [n, 3], object coordinates
Places = npt.NDArray[np.float64]  # [n, 2], pixels

POINTS = pa.list_(pa.list_(pa.float32(), 2))
PAIRS = pa.schema([("id_a", pa.string()), ("id_b", pa.string()), ("points_a", POINTS), ("points_b", POINTS)])

_OFF_SURFACE, _TOUCHING, _OUT_OF_REACH = 0.05, 2e-3, 2.0  # in radii
_FACING = 0.2  # the smallest cosine between surface normal and viewing direction; grazing points are unreliable


@dataclass(frozen=True)
class Correspondence:
    """Matching keypoints of two views.

    points_a: Pixel centers of the first view.
    points_b: The same surface points in the second view.
    object: The object of every point.
    visible: Whether the point is visible in the second view: not occluded, facing the camera, and inside the picture.
    """

    points_a: Places
    points_b: Places
    visible: npt.NDArray[np.bool_]
    thing: npt.NDArray[np.int64]


def correspondences(a: Scene, b: Scene, side: int) -> Correspondence:
    """For every object pixel of `a`, its position in `b`: the same scene from another camera (`seen_from`)."""
    if [(t.name, t.size) for t in a.things] != [(t.name, t.size) for t in b.things]:
        raise UsageError("the two scenes have different objects; make one from the other with seen_from")
    shown_a, shown_b = owners(a, side), owners(b, side)
    parts = []
    for number, (thing, there) in enumerate(zip(a.things, b.things, strict=True)):
        if thing.stretch != 1.0 or thing.picture is not None:
            continue  # stretched in the image plane, or a card that turns with the camera: no surface point stays the same
        places, points, normals = _surface(thing, a.camera, side)
        seen = _value_at(shown_a, places) == number
        places, points, normals = places[seen], points[seen], normals[seen]
        towards_a, towards_b = thing.view(a.camera).rotation()[2], there.view(b.camera).rotation()[2]
        others = project(there, b.camera, points, side)
        visible = (_value_at(shown_b, others) == number) & (normals @ towards_a > _FACING) & (normals @ towards_b > _FACING)
        visible[visible] = ~_hidden_by_itself(thing.name, points[visible], towards_b)
        parts.append(Correspondence(places, others, visible, np.full(len(places), number)))
    if not parts:
        return Correspondence(np.empty((0, 2)), np.empty((0, 2)), np.empty(0, np.bool_), np.empty(0, np.int64))
    return Correspondence(
        np.concatenate([p.points_a for p in parts]),
        np.concatenate([p.points_b for p in parts]),
        np.concatenate([p.visible for p in parts]),
        np.concatenate([p.thing for p in parts]),
    )


def project(thing: Thing, camera: Camera, points: Points, side: int) -> Places:
    """Where points of a solid (object coordinates, in radii) are in the picture. Sheets are placed at whole pixels."""
    left, top, width = _sheet(thing, side)
    seen = points @ thing.view(camera).rotation().T
    return np.column_stack([left + (seen[:, 0] / REACH + 1) / 2 * width, top + (1 - seen[:, 1] / REACH) / 2 * width])


def _sheet(thing: Thing, side: int) -> tuple[int, int, int]:
    """Left, top and width of an object's square sheet, in pixels."""
    width = max(2, round(thing.size * REACH * side))
    return round(thing.x * side - width / 2), round(thing.y * side - width / 2), width


def _surface(thing: Thing, camera: Camera, side: int) -> tuple[Places, Points, Points]:
    """The surface points behind pixel centers, with their positions in the picture and their normals."""
    left, top, width = _sheet(thing, side)
    hits = follow_rays(thing.name, thing.view(camera), width)
    rows, columns = np.nonzero(hits.hit)
    places = np.column_stack([left + columns + 0.5, top + rows + 0.5])
    return places, hits.points, hits.normals


def _value_at(shown: npt.NDArray[np.int8], places: Places) -> npt.NDArray[np.int8]:
    """The owner of positions in a picture; -2 outside."""
    column, row = np.floor(places).astype(np.int64).T
    inside = (column >= 0) & (row >= 0) & (column < shown.shape[1]) & (row < shown.shape[0])
    found = np.full(len(places), -2, dtype=np.int8)
    found[inside] = shown[row[inside], column[inside]]
    return found


def _hidden_by_itself(name: str, points: Points, towards: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether the solid itself hides a surface point from the camera."""
    distance = solid(name).distance
    hidden = np.zeros(len(points), dtype=np.bool_)
    gone = np.full(len(points), _OFF_SURFACE)
    going = np.arange(len(points))
    while len(going):
        away = distance(points[going] + gone[going, None] * towards)
        hidden[going[away < _TOUCHING]] = True
        gone[going] += np.maximum(away, _OFF_SURFACE / 2)
        going = going[(away >= _TOUCHING) & (gone[going] < _OUT_OF_REACH)]
    return hidden
