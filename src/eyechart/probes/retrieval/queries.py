"""The two directions of retrieval: queries, candidates, and the rank of the first correct answer."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import share_interval
from eyechart.metrics.ranking.retrieval import retrieval_ranks
from eyechart.probes.contract import ProbeInput
from eyechart.probes.retrieval.metrics import KS
from eyechart.probes.tasks.captions import CaptionMatches, Captions, match_captions


@dataclass(frozen=True)
class Direction:
    """Retrieval in one direction.

    name: Its id in metrics.
    title: Its name in charts.
    ranks: For each query, how many wrong answers rank before the first correct one.
    rows: The row of the dataset that each query belongs to.
    clusters: Queries of one number belong to one picture.
    candidates: The number of candidates.
    right: How many candidates are correct for each query.
    """

    name: str
    title: str
    ranks: Indices
    rows: Indices
    clusters: Indices
    candidates: int
    right: Indices

    def subset(self, members: npt.NDArray[np.bool_]) -> "Direction":
        """The queries of some rows, with all candidates."""
        kept = members[self.rows]
        return replace(self, ranks=self.ranks[kept], rows=self.rows[kept], clusters=self.clusters[kept], right=self.right[kept])

    def lengths(self) -> list[int]:
        """The values of k that are smaller than the number of candidates."""
        return [k for k in KS if k < self.candidates]

    def recall(self, k: int, *, seed: int, resamples: int) -> Finding:
        hits = self.ranks < k
        (low, high), how = share_interval(hits, clusters=self.clusters, seed=seed, resamples=resamples)
        return Finding(metric=f"{self.name}_r{k}", value=float(hits.mean()), n=len(hits), low=low, high=high, interval=how)


@dataclass(frozen=True)
class Retrieved:
    """Retrieval in both directions.

    from_text: Text to image.
    from_image: Image to text.
    found: The row of the picture that ranks first for each caption.
    candidates: The texts and pictures that are ranked.
    """

    from_text: Direction
    from_image: Direction
    found: Indices
    candidates: CaptionMatches


def retrieve(inputs: ProbeInput[Any], captions: Captions, *, merge: bool) -> Retrieved:
    """Rank all candidates in both directions. `merge`: as in `match_captions`."""
    matched = match_captions(captions, inputs.clusters, merge=merge)
    ranks = retrieval_ranks(inputs.images[matched.pictures], inputs.texts(matched.texts), matched.positives)
    pictures_of_text, texts_of_picture = (np.bincount(part, minlength=1) for part in matched.positives)
    text, captioned = matched.text_of_caption, np.unique(captions.rows)
    picture = matched.picture_of_row[captioned]
    return Retrieved(
        from_text=Direction(
            name="text_to_image",
            title="text → image",
            ranks=ranks.of_texts[text],
            rows=captions.rows,
            clusters=inputs.units[captions.rows],
            candidates=len(matched.pictures),
            right=pictures_of_text[text],
        ),
        from_image=Direction(
            name="image_to_text",
            title="image → text",
            ranks=ranks.of_images[picture],
            rows=captioned,
            clusters=inputs.units[captioned],
            candidates=len(matched.texts),
            right=texts_of_picture[picture],
        ),
        found=matched.pictures[ranks.first[text]],
        candidates=matched,
    )
