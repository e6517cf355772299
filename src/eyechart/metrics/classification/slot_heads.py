"""One linear head for each slot of a scene: what a straight cut through a scene's vector tells of the thing in that place, or of
that rank of size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Floats
from eyechart.metrics.classification.linear_heads import PENALTIES, Ground, Split, choose_head


@dataclass(frozen=True)
class SlotHits:
    """`hits` [judged, n]: whether the head of slot k names what is there, in every scene that judges. `penalties`: what each
    chose; `converged`: all came to rest; `unseen`: the share of judged answers whose thing no scene to fit on had there."""

    hits: npt.NDArray[np.bool_]
    penalties: tuple[float, ...]
    converged: bool
    unseen: float


def slot_hits(
    vectors: Floats, objects: Counts, split: Split, *, classes: int, penalties: Sequence[float] = PENALTIES
) -> SlotHits:
    """A head for each column of `objects` [N, n], the number of the thing that stands in that slot, on unit `vectors` [N, d]."""
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
