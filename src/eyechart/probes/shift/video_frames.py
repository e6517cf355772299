"""Video frames: anchor frames and the frames around them (columns `attr.neighbours` and `attr.video`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.classification.pm_k import pm_k
from eyechart.probes.contract import ProbeInput


@dataclass(frozen=True)
class Frames:
    """Anchor frames and their neighbors, as positions within the given rows.

    anchors: The anchor frames.
    of: For each neighbor, the number of its anchor.
    neighbors: The neighbors.
    distances: Their distance from the anchor in frames.
    videos: The video of each anchor.
    """

    anchors: Indices
    of: Indices
    neighbors: Indices
    distances: Indices
    videos: Indices

    @property
    def widest(self) -> int:
        return int(self.distances.max())

    def pm_k(self, right: Flags, k: int) -> Flags:
        """Whether each anchor and all its neighbors up to k frames away are correct."""
        return pm_k(right, self.anchors, self.of, self.neighbors, self.distances, k)


def frames(inputs: ProbeInput[Any], rows: Indices) -> Frames | None:
    """The frames of these rows; None where the dataset has no neighbors. Unreadable neighbors are left out."""
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
    of, neighbors, distances = np.array(triples, np.int64).T
    names = table.column("attr.video").to_pylist() if inputs.dataset.has("attr.video") else ids
    videos = np.unique([str(names[row]) for row in anchors], return_inverse=True)[1]
    return Frames(np.array([place[ids[row]] for row in anchors], np.int64), of, neighbors, distances, videos)
