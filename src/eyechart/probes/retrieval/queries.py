"""The two directions of retrieval: what asks, what it is looked for in, and at which place its answer stands."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import share_interval
from eyechart.metrics.ranking.retrieval import retrieval_ranks
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.captions import Captions, match

KS = (1, 5, 10)


@dataclass(frozen=True)
class Direction:
    """`ranks`: how many wrong answers come before the first right one, for each query. `rows`, `clusters`: the row of the dataset
    that a query belongs to, and its picture. `right`: how many of the `candidates` are right for it."""

    name: str
    title: str
    ranks: Indices
    rows: Indices
    clusters: Indices
    candidates: int
    right: Indices

    def subset(self, members: npt.NDArray[np.bool_]) -> "Direction":
        """The queries of some rows; what they are looked for in stays whole."""
        kept = members[self.rows]
        return replace(self, ranks=self.ranks[kept], rows=self.rows[kept], clusters=self.clusters[kept], right=self.right[kept])

    def lengths(self) -> list[int]:
        """The k at which recall is reported: those at which a list can still miss."""
        return [k for k in KS if k < self.candidates]

    def recall(self, k: int, *, seed: int, resamples: int) -> Finding:
        hits = self.ranks < k
        (low, high), how = share_interval(hits, clusters=self.clusters, seed=seed, resamples=resamples)
        return Finding(metric=f"{self.name}_r{k}", value=float(hits.mean()), n=len(hits), low=low, high=high, interval=how)


@dataclass(frozen=True)
class Retrieved:
    """`found[j]`: the row of the picture that caption j finds first."""

    from_text: Direction
    from_image: Direction
    found: Indices


def retrieve(inputs: ProbeInput[Any], captions: Captions, *, merge: bool) -> Retrieved:
    matched = match(captions, inputs.clusters, merge=merge)
    ranks = retrieval_ranks(inputs.images[matched.pictures], inputs.texts(matched.texts), matched.right)
    pictures_of_text, texts_of_picture = (np.bincount(part, minlength=1) for part in matched.right)
    text, asking = matched.text_of_caption, np.unique(captions.rows)
    picture = matched.picture_of_row[asking]
    return Retrieved(
        from_text=Direction(
            name="text_to_image",
            title="text → image",
            ranks=ranks.of_texts[text],
            rows=captions.rows,
            clusters=inputs.clusters[captions.rows],
            candidates=len(matched.pictures),
            right=pictures_of_text[text],
        ),
        from_image=Direction(
            name="image_to_text",
            title="image → text",
            ranks=ranks.of_images[picture],
            rows=asking,
            clusters=inputs.clusters[asking],
            candidates=len(matched.texts),
            right=texts_of_picture[picture],
        ),
        found=matched.pictures[ranks.first[text]],
    )
