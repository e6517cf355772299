"""The pictures in three parts: one to fit on, one to set thresholds on, and one that nothing of the repair ever sees."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.errors import DataError
from eyechart.metrics.intervals.stratified_split import stratified_split

LEAST = 40  # labelled pictures: with fewer, a tenth of right answers or of sets is a matter of one picture


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows of the dataset. `fit`: a quarter, for weights, temperature and every choice. `calibrate`: a quarter, for thresholds
    and prediction sets, whose promise holds only for pictures that had no part in the classifier. `held_out`: half, on which
    before and after are measured. `unlabelled`: rows that only what needs no labels may use."""

    fit: Indices
    calibrate: Indices
    held_out: Indices
    unlabelled: Indices


def require_labelled(count: int) -> None:
    if count < LEAST:
        raise DataError(
            f"a repair needs {LEAST} pictures with labels that are classes of its list, to measure what it did; there are {count}"
        )


def split(labels: Indices, clusters: Indices, *, seed: int) -> Parts:
    """Seeded, every class in every part in proportion; copies of a picture stay together. `labels` is −1 where there is none."""
    known = np.flatnonzero(labels >= 0)
    require_labelled(len(known))
    looked = stratified_split(labels[known], seed=seed, clusters=clusters[known])
    seen = known[looked]
    fitted = stratified_split(labels[seen], seed=seed + 1, clusters=clusters[seen])
    held_out = known[~looked]
    # A copy of a held-out picture must not be looked at just because nobody labelled it.
    others = np.flatnonzero((labels < 0) & ~np.isin(clusters, clusters[held_out]))
    return Parts(seen[fitted], seen[~fitted], held_out, others)
