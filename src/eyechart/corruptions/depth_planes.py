"""The near and far planes of a scene. Only ratios of depths matter, so any unit is fine."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.corruption import Depth

Nearness = npt.NDArray[np.float32]  # [h, w], one over depth

_NEAR, _MIDDLE, _FAR = 5, 50, 95  # percentiles: a few outliers of an estimated depth map must not set the scale
_WIDEST_RATIO = 1e6


@dataclass(frozen=True)
class DepthPlanes:
    """A depth map in units of its median, with its near and far planes: the 5th and 95th percentiles of depth.

    In a map of constant depth, all planes are 1."""

    depth: npt.NDArray[np.float32]
    near: float
    far: float

    def nearness(self) -> Nearness:
        """1/depth: 1 at the median depth."""
        return np.asarray(1 / self.depth, dtype=np.float32)


def depth_planes(depth: Depth) -> DepthPlanes:
    """The planes of a map of finite, positive depths."""
    near, middle, far = np.percentile(np.asarray(depth, np.float64), (_NEAR, _MIDDLE, _FAR))
    in_medians = np.clip(np.asarray(depth, np.float64) / middle, 1 / _WIDEST_RATIO, _WIDEST_RATIO)
    return DepthPlanes(in_medians.astype(np.float32), float(near / middle), float(far / middle))
