"""Spots that two views share, from their depth and cameras: a pixel of one is carried into space and seen by the other."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.errors import DataError

Places = npt.NDArray[np.float64]  # [n, 2]: x, y in pixels, the middle of the first at (0.5, 0.5)
Matrix = npt.NDArray[np.float64]

_NEAR_ENOUGH = 0.02  # of the distance: a spot farther behind the surface that is seen there is hidden by it
_TRIED = 40  # pixels tried for every point that is wanted


@dataclass(frozen=True)
class DepthView:
    """`depth` [h, w] along the axis of view, 0 where unknown; `focal` and `centre` in pixels of the depth map; `camera` [4, 4]
    takes points of the world to the camera (x right, y down, z away from it)."""

    depth: npt.NDArray[np.float64]
    focal: tuple[float, float]
    centre: tuple[float, float]
    camera: Matrix

    def in_space(self, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> Matrix:
        """[n, 4] points of the world that pixels show."""
        away = self.depth[rows, columns]
        across = (columns + 0.5 - self.centre[0]) / self.focal[0] * away
        down = (rows + 0.5 - self.centre[1]) / self.focal[1] * away
        return np.column_stack([across, down, away, np.ones_like(away)]) @ np.linalg.inv(self.camera).T

    def project(self, points: Matrix) -> tuple[Places, npt.NDArray[np.float64]]:
        """Where points of the world are seen, and how far away; behind the camera the distance is not positive."""
        seen = points @ self.camera.T
        away = seen[:, 2]
        safe = np.where(away > 0, away, 1.0)
        return (seen[:, :2] / safe[:, None]) * self.focal + self.centre, away


def shared_points(a: DepthView, b: DepthView, *, most: int, seed: int) -> tuple[Places, Places]:
    """Up to `most` spots, drawn from the pixels of `a` that have depth, that `b` sees too: inside of its picture, not hidden."""
    rows, columns = np.nonzero(a.depth > 0)
    drawn = np.random.default_rng(seed).permutation(len(rows))[: most * _TRIED]
    rows, columns = rows[drawn], columns[drawn]
    places, away = b.project(a.in_space(rows, columns))
    high, wide = b.depth.shape
    column, row = np.floor(places).astype(np.int64).T
    inside = (away > 0) & (column >= 0) & (row >= 0) & (column < wide) & (row < high)
    there = np.zeros_like(away)
    there[inside] = b.depth[row[inside], column[inside]]
    seen = np.flatnonzero(inside & (there > 0) & (np.abs(away - there) <= _NEAR_ENOUGH * away))[:most]
    return np.column_stack([columns[seen] + 0.5, rows[seen] + 0.5]).astype(np.float64), places[seen]


def angle_between(a: Matrix, b: Matrix) -> float:
    """Degrees by which one camera is turned against the other."""
    cosine = (np.trace(a[:3, :3] @ b[:3, :3].T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def read_sixteen_bits(path: Path) -> npt.NDArray[np.float64]:
    """The values of a 16-bit PNG, which depth maps are kept in."""
    try:
        with Image.open(path, formats=("PNG",)) as picture:
            if picture.mode not in ("I;16", "I;16B", "I"):
                raise DataError(f"{path}: a picture of mode {picture.mode}, and no depth map, which has 16 bits a pixel")
            return np.asarray(picture, dtype=np.float64)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; unpack the depth maps beside the pictures") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(f"{path}: it cannot be read as a depth map ({error}); unpack it again") from None
