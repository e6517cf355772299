"""One linear classifier per slot of a scene: what a linear readout of its vector says of the object in that position or size
rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Floats
from eyechart.metrics.classification.linear_heads import PENALTIES, Ground, Split, choose_head


@dataclass(frozen=True)
class SlotHits:
    """Predictions of one linear classifier per slot, on the test scenes.

    hits: [test scenes, n] whether the classifier of slot k predicts its object.
    penalties: The chosen penalty of each.
    converged: Whether all fits converged.
    unseen: The share of test predictions where no training scene had the object in that slot.
    """

    hits: npt.NDArray[np.bool_]
    penalties: tuple[float, ...]
    converged: bool
    unseen: float


def validated_hits(
    vectors: Floats, objects: Counts, splits: Sequence[Split], *, classes: int, penalties: Sequence[float] = PENALTIES
) -> SlotHits:
    """The same by cross-validation: every row is predicted by classifiers that were not fitted on it. Rows are in their order."""
    parts = [slot_hits(vectors, objects, split, classes=classes, penalties=penalties) for split in splits]
    hits = np.zeros(np.shape(objects), np.bool_)
    for split, part in zip(splits, parts, strict=True):
        hits[split.judge] = part.hits
    unseen = float(np.average([part.unseen for part in parts], weights=[len(split.judge) for split in splits]))
    penalties_of = tuple(penalty for part in parts for penalty in part.penalties)
    return SlotHits(hits, penalties_of, all(part.converged for part in parts), unseen)


def slot_hits(
    vectors: Floats, objects: Counts, split: Split, *, classes: int, penalties: Sequence[float] = PENALTIES
) -> SlotHits:
    """Fit a classifier for each column of `objects` [N, n] (the number of the object in that slot) on unit `vectors` [N, d]."""
    fit, choose, judge = split.fit, split.choose, split.judge
    ground = Ground(vectors[fit])
    hits, chosen, rested, unseen = [], [], [], []
    for truth in np.asarray(objects).T:
        head = choose_head(ground, truth[fit], vectors[choose], truth[choose], classes=classes, penalties=penalties)
        hits.append(head.answers(vectors[judge]) == truth[judge])
        chosen.append(head.penalty)
        rested.append(head.converged)
        unseen.append(~np.isin(truth[judge], truth[fit]))
    return SlotHits(np.column_stack(hits), tuple(chosen), all(rested), float(np.mean(unseen)))
