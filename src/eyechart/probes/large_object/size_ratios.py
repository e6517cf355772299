"""The large-object share by size ratio: how often the largest object is the nearest, by how much larger it is than the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.probes.large_object.shares import SceneRetrieval

RATIOS = np.array([1, 1.5, 2, 3, 4, 6, 8, 11, 15, 22, 32, 64, 128])


@dataclass(frozen=True)
class RatioBin:
    """Scenes with one number of objects and about one size ratio.

    ratio: The area of the largest object divided by the mean area of the others.
    objects: The number of objects.
    largest: The share of scenes whose nearest target is the largest object.
    others: The share of scenes whose nearest target is one of the smaller objects.
    conditional: `largest` for scenes whose objects are all retrieved; None where there are too few.
    """

    ratio: float
    objects: int
    largest: Finding
    others: Finding
    conditional: Finding | None


def ratio_bins(retrieved: Sequence[SceneRetrieval], *, least: int) -> Iterator[RatioBin]:
    """One bin for each number of objects and size ratio with at least `least` scenes."""
    for one in retrieved:
        nearest = nearest_ratio(one.scenes.ratios)
        for ratio in np.unique(nearest):
            some = nearest == ratio
            if some.sum() >= least:
                yield _ratio_bin(one, float(ratio), some, least)


def nearest_ratio(ratios: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The nearest of `RATIOS` on a log scale: 12.9 becomes 15, not 11.

    >>> nearest_ratio(np.array([1.1, 2.4, 12.9])).tolist()
    [1.0, 2.0, 15.0]
    """
    away = np.abs(np.log(ratios)[:, None] - np.log(RATIOS))
    return np.asarray(RATIOS[away.argmin(axis=1)], np.float64)


def _ratio_bin(one: SceneRetrieval, ratio: float, some: npt.NDArray[np.bool_], least: int) -> RatioBin:
    top, kept, at = one.by_size.top, one.by_size.kept & some, {"ratio": ratio}
    largest = {**at, "size_rank": 1}
    return RatioBin(
        ratio,
        one.scenes.count,
        one.share("object_share", top[:, 0], largest, subset=some),
        one.share("smaller_object_share", top[:, 1:].sum(axis=1), at, subset=some),
        one.share("object_share_conditional", top[:, 0], largest, subset=kept) if kept.sum() >= least else None,
    )
