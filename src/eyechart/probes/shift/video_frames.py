"""Frames of videos: which are asked about, and which stand around them (columns `attr.neighbours` and `attr.video`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.classification.pm_k import pm_k
from eyechart.probes.probe import ProbeInput


@dataclass(frozen=True)
class Frames:
    """Positions are those within the rows that were asked for. `videos[a]`: which video anchor a is of."""

    anchors: Indices
    of: Indices
    neighbours: Indices
    distances: Indices
    videos: Indices

    @property
    def widest(self) -> int:
        return int(self.distances.max())

    def pm_k(self, right: Flags, k: int) -> Flags:
        """Of each anchor: whether it and all its neighbours at most k frames away are right."""
        return pm_k(right, self.anchors, self.of, self.neighbours, self.distances, k)


def frames(inputs: ProbeInput[Any], rows: Indices) -> Frames | None:
    """None where the dataset says nothing of neighbours. A neighbour that is not among the rows (it is broken) spoils nothing."""
    if not inputs.dataset.has("attr.neighbours"):
        return None
    table, ids = inputs.dataset.table, inputs.dataset.ids()
    place = {ids[row]: position for position, row in enumerate(rows)}
    around = table.column("attr.neighbours").to_pylist()
    anchors = [row for row in rows if around[row]]
    triples = [
        (number, place[n["id"]], n["distance"]) for number, row in enumerate(anchors) for n in around[row] if n["id"] in place
    ]
    if not triples:
        return None
    of, neighbours, distances = np.array(triples, np.int64).T
    names = table.column("attr.video").to_pylist() if inputs.dataset.has("attr.video") else ids
    videos = np.unique([str(names[row]) for row in anchors], return_inverse=True)[1]
    return Frames(np.array([place[ids[row]] for row in anchors], np.int64), of, neighbours, distances, videos)
