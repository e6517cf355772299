"""Dose and response: how often the largest thing is the nearest, by how many times it is as large as the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.probes.large_object.shares import Looked

DOSES = np.array([1, 1.5, 2, 3, 4, 6, 8, 11, 15, 22, 32, 64, 128])


@dataclass(frozen=True)
class Dose:
    """Scenes of one number of things, whose ratio of areas is nearest to `ratio` of all doses. `largest` and `others`: the share
    of them whose nearest target is the largest thing, and any other of theirs."""

    ratio: float
    objects: int
    largest: Finding
    others: Finding
    kept: Finding | None


def doses(looked: Sequence[Looked], *, least: int) -> Iterator[Dose]:
    """By number of things and ratio, where there are `least` scenes of it."""
    for one in looked:
        nearest = nearest_dose(one.scenes.ratios)
        for ratio in np.unique(nearest):
            some = nearest == ratio
            if some.sum() >= least:
                yield _dose(one, float(ratio), some, least)


def nearest_dose(ratios: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """By ratio, not by difference: 12.9 is 15 rather than 11.

    >>> nearest_dose(np.array([1.1, 2.4, 12.9])).tolist()
    [1.0, 2.0, 15.0]
    """
    away = np.abs(np.log(ratios)[:, None] - np.log(DOSES))
    return np.asarray(DOSES[away.argmin(axis=1)], np.float64)


def _dose(one: Looked, ratio: float, some: npt.NDArray[np.bool_], least: int) -> Dose:
    top, kept, at = one.by_size.top, one.by_size.kept & some, {"ratio": ratio}
    largest = {**at, "size_rank": 1}
    return Dose(
        ratio,
        one.scenes.count,
        one.share("object_share", top[:, 0], largest, among=some),
        one.share("smaller_object_share", top[:, 1:].sum(axis=1), at, among=some),
        one.share("object_share_conditional", top[:, 0], largest, among=kept) if kept.sum() >= least else None,
    )
