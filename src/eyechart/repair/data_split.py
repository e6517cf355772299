"""The pictures in three parts: to fit on, to set thresholds on, and held out for evaluation."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.errors import DataError
from eyechart.metrics.intervals.stratified_split import stratified_split

LEAST = 40  # labeled pictures: with fewer, one picture decides a tenth of a share


@dataclass(frozen=True, eq=False)
class DataSplit:
    """Rows of the dataset.

    fit: A quarter, for weights, temperature and every choice.
    calibrate: A quarter, for thresholds and prediction sets; their guarantee needs pictures that were not used to fit.
    held_out: Half, to evaluate both classifiers on.
    unlabeled: Rows without a label; only steps that need no labels use them.
    """

    fit: Indices
    calibrate: Indices
    held_out: Indices
    unlabeled: Indices


def require_labeled(count: int) -> None:
    """DataError where there are too few labeled pictures."""
    if count < LEAST:
        raise DataError(
            f"a repair needs at least {LEAST} pictures with labels that are in its class list; there are {count}. Add labeled"
            " pictures, or check --classes"
        )


def split(labels: Indices, clusters: Indices, *, seed: int) -> DataSplit:
    """A seeded split, stratified by label; copies of a picture stay in one part. `labels` is −1 where there is none."""
    known = np.flatnonzero(labels >= 0)
    require_labeled(len(known))
    in_use = stratified_split(labels[known], seed=seed, clusters=clusters[known])
    used = known[in_use]
    fitted = stratified_split(labels[used], seed=seed + 1, clusters=clusters[used])
    held_out = known[~in_use]
    # An unlabeled copy of a held-out picture must not be used either.
    others = np.flatnonzero((labels < 0) & ~np.isin(clusters, clusters[held_out]))
    return DataSplit(used[fitted], used[~fitted], held_out, others)
