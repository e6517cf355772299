"""How near, how far and how deep on the whole a scene is. Only ratios of depths count, so any unit will do."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.corruption import Depth

Nearness = npt.NDArray[np.float32]  # [h, w], one over depth, in a unit that is named where it is made

_NEAR, _MIDDLE, _FAR = 5, 50, 95  # percentiles: a few wild pixels of an estimated depth map must not set the scale
_WIDEST_RATIO = 1e6


@dataclass(frozen=True)
class DepthPlanes:
    """A depth map in units of its median, with the planes that the corruptions refer to: the depths (in that unit) which 5%
    and 95% of the pixels do not exceed. In a map of one constant depth all three planes are one."""

    depth: npt.NDArray[np.float32]
    near: float
    far: float

    def nearness(self) -> Nearness:
        """1/depth: 1 for what is as far away as the median."""
        return np.asarray(1 / self.depth, dtype=np.float32)


def depth_planes(depth: Depth) -> DepthPlanes:
    """The planes of a map of finite, positive depths."""
    near, middle, far = np.percentile(np.asarray(depth, np.float64), (_NEAR, _MIDDLE, _FAR))
    in_medians = np.clip(np.asarray(depth, np.float64) / middle, 1 / _WIDEST_RATIO, _WIDEST_RATIO)
    return DepthPlanes(in_medians.astype(np.float32), float(near / middle), float(far / middle))
