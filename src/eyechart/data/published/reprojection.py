"""Keypoints that two views share: a pixel of one view is lifted to 3D by its depth and projected into the other."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.errors import DataError

Places = npt.NDArray[np.float64]  # [n, 2]: x, y in pixels; the center of the first pixel is (0.5, 0.5)
Matrix = npt.NDArray[np.float64]

_NEAR_ENOUGH = 0.02  # relative depth error; a point farther behind the visible surface is occluded
_TRIED = 40  # pixels tried per keypoint


@dataclass(frozen=True)
class DepthView:
    """A view with depth and a pinhole camera.

    depth: [h, w] depth along the optical axis, 0 where unknown.
    focal: Focal lengths in pixels of the depth map.
    center: Principal point in pixels of the depth map.
    camera: [4, 4] world coordinates to camera coordinates (x right, y down, z forward).
    """

    depth: npt.NDArray[np.float64]
    focal: tuple[float, float]
    center: tuple[float, float]
    camera: Matrix

    def in_space(self, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> Matrix:
        """[n, 4] world coordinates of pixels."""
        away = self.depth[rows, columns]
        across = (columns + 0.5 - self.center[0]) / self.focal[0] * away
        down = (rows + 0.5 - self.center[1]) / self.focal[1] * away
        return np.column_stack([across, down, away, np.ones_like(away)]) @ np.linalg.inv(self.camera).T

    def surface(self, most: int) -> Matrix:
        """[n, 5]: x, y of pixels with depth, on a grid of at most about `most` of them, and their world coordinates."""
        rows, columns = np.nonzero(self.depth > 0)
        step = max(1, int(np.ceil(np.sqrt(len(rows) / most))))
        chosen = (rows % step == step // 2) & (columns % step == step // 2)
        rows, columns = rows[chosen], columns[chosen]
        return np.column_stack([columns + 0.5, rows + 0.5, self.in_space(rows, columns)[:, :3]])

    def project(self, points: Matrix) -> tuple[Places, npt.NDArray[np.float64]]:
        """Pixel coordinates and depths of world points; a depth of 0 or less is behind the camera."""
        in_camera = points @ self.camera.T
        away = in_camera[:, 2]
        safe = np.where(away > 0, away, 1.0)
        return (in_camera[:, :2] / safe[:, None]) * self.focal + self.center, away


def shared_points(a: DepthView, b: DepthView, *, most: int, seed: int) -> tuple[Places, Places]:
    """Up to `most` keypoints, sampled from the pixels of `a` with depth, that are inside `b` and not occluded there."""
    rows, columns = np.nonzero(a.depth > 0)
    drawn = np.random.default_rng(seed).permutation(len(rows))[: most * _TRIED]
    rows, columns = rows[drawn], columns[drawn]
    places, away = b.project(a.in_space(rows, columns))
    high, wide = b.depth.shape
    column, row = np.floor(places).astype(np.int64).T
    inside = (away > 0) & (column >= 0) & (row >= 0) & (column < wide) & (row < high)
    there = np.zeros_like(away)
    there[inside] = b.depth[row[inside], column[inside]]
    visible = np.flatnonzero(inside & (there > 0) & (np.abs(away - there) <= _NEAR_ENOUGH * away))[:most]
    return np.column_stack([columns[visible] + 0.5, rows[visible] + 0.5]).astype(np.float64), places[visible]


def angle_between(a: Matrix, b: Matrix) -> float:
    """The angle between two camera orientations, in degrees."""
    cosine = (np.trace(a[:3, :3] @ b[:3, :3].T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def read_sixteen_bits(path: Path) -> npt.NDArray[np.float64]:
    """The values of a 16-bit PNG, the format of depth maps."""
    try:
        with Image.open(path, formats=("PNG",)) as picture:
            if picture.mode not in ("I;16", "I;16B", "I"):
                raise DataError(f"{path}: a picture of mode {picture.mode}; a depth map has 16 bits per pixel")
            return np.asarray(picture, dtype=np.float64)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; unpack the depth maps next to the pictures") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(f"{path}: not readable as a depth map ({error}); unpack it again") from None
