"""Keypoint recall over pairs that may share pictures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.dyadic import HOW, dyadic_share
from eyechart.probes.correspondence.keypoints import KeypointMatches
from eyechart.probes.correspondence.surfaces import SurfaceMatches

Matches = TypeVar("Matches", KeypointMatches, SurfaceMatches)


@dataclass(frozen=True)
class KeypointRecall(Generic[Matches]):
    """The matches of all keypoints or of all patches on an object, and their pairs.

    matches: The matches.
    pairs: Rows of the dataset's pairs.
    first: The first picture of each pair; copies share a number.
    second: The second picture of each pair.
    """

    matches: Matches
    pairs: list[dict[str, Any]]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]

    @property
    def usable(self) -> Flags:
        """Which pairs have a keypoint within both crops."""
        return np.bincount(self.matches.pair, minlength=len(self.pairs)) > 0

    def share(self, metric: str, hits: Flags, pairs: Flags | None = None, slice: Mapping[str, object] | None = None) -> Finding:
        """The share of keypoints that are hits, over some of the pairs."""
        kept = np.ones(len(hits), bool) if pairs is None else pairs[self.matches.pair]
        sizes = np.bincount(self.matches.pair[kept], minlength=len(self.pairs))
        sums = np.bincount(self.matches.pair[kept], hits[kept], len(self.pairs))
        there = sizes > 0
        value, (low, high) = dyadic_share(sums[there], sizes[there], self.first[there], self.second[there])
        return Finding(metric=metric, value=value, n=int(kept.sum()), low=low, high=high, slice=slice or {}, interval=HOW)
