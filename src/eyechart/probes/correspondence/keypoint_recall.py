"""Shares of spots that were found again, over pairs that may share pictures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.dyadic import HOW, dyadic_share
from eyechart.probes.correspondence.keypoints import Keypoints


@dataclass(frozen=True)
class Found:
    """What became of every spot, beside the pairs. `first`, `second`: the pictures of each pair, copies under one number."""

    spots: Keypoints
    pairs: list[dict[str, Any]]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]

    @property
    def seen(self) -> Flags:
        """Which pairs have a spot that was looked for."""
        return np.bincount(self.spots.pair, minlength=len(self.pairs)) > 0

    def share(self, metric: str, hits: Flags, pairs: Flags | None = None, slice: Mapping[str, object] | None = None) -> Finding:
        """The share of spots that are hits, in some of the pairs."""
        kept = np.ones(len(hits), bool) if pairs is None else pairs[self.spots.pair]
        sizes = np.bincount(self.spots.pair[kept], minlength=len(self.pairs))
        sums = np.bincount(self.spots.pair[kept], hits[kept], len(self.pairs))
        there = sizes > 0
        value, (low, high) = dyadic_share(sums[there], sizes[there], self.first[there], self.second[there])
        return Finding(metric=metric, value=value, n=int(kept.sum()), low=low, high=high, slice=slice or {}, interval=HOW)
