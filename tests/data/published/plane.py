"""A wall seen by two cameras: what each sees of it, and where a spot of one picture is in the other, by a homography."""

from dataclasses import dataclass

import numpy as np


def turned(degrees: float, distance: float) -> np.ndarray:
    """World to camera: swung about the middle of the wall, which stays `distance` away and in the middle of the picture."""
    angle = np.radians(degrees)
    camera = np.eye(4)
    camera[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    camera[:3, 3] = np.array([0, 0, distance]) - camera[:3, :3] @ [0, 0, distance]
    return camera


@dataclass(frozen=True)
class Wall:
    """The plane z = distance, seen through a pinhole of this focal length with the axis in the middle of wide × high pixels."""

    distance: float
    focal: float
    wide: int
    high: int

    @property
    def intrinsics(self) -> np.ndarray:
        return np.array([[self.focal, 0, self.wide / 2], [0, self.focal, self.high / 2], [0, 0, 1]])

    def depth(self, camera: np.ndarray) -> np.ndarray:
        """Where the ray through each pixel's middle meets the wall, along the axis of view."""
        x, y = np.meshgrid(np.arange(self.wide) + 0.5, np.arange(self.high) + 0.5)
        rays = np.stack([x, y, np.ones_like(x)], axis=-1) @ np.linalg.inv(self.intrinsics).T
        towards, start = rays @ camera[:3, :3], -camera[:3, :3].T @ camera[:3, 3]
        return (self.distance - start[2]) / towards[..., 2]

    def seen_at(self, places: np.ndarray, camera: np.ndarray) -> np.ndarray:
        """Places of a picture taken from the origin, in the picture of `camera`: K (R + t nᵀ / d) K⁻¹."""
        plane = camera[:3, :3] + np.outer(camera[:3, 3], [0, 0, 1]) / self.distance
        found = np.column_stack([places, np.ones(len(places))]) @ (self.intrinsics @ plane @ np.linalg.inv(self.intrinsics)).T
        return found[:, :2] / found[:, 2:]
