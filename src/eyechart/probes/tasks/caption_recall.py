"""Object retrieval from captions of several names: how often each position is nearest, and how many names are retrieved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.metrics.scenes.object_ranks import ObjectRanks
from eyechart.probes.tasks.number_words import ORDINALS
from eyechart.probes.tasks.template_captions import REAL, TemplateCaptions


def position_summary(by_position: Sequence[Finding], lead: Finding, verb: str) -> str:
    """Which position leads, at 95% confidence, as a clause.

    A position is called best only where its interval is above the interval of every other position. A `lead` above 0 says less:
    the first position is above the mean of the others.

    Args:
        by_position: One finding for each position.
        lead: The first position minus the mean of the others.
        verb: What happens to the object at a position, such as "retrieved".
    """
    intervals = [(f.low, f.high) if f.low is not None and f.high is not None else (0.0, 1.0) for f in by_position]
    for k, (low, _) in enumerate(intervals):
        if all(low > high for other, (_, high) in enumerate(intervals) if other != k):
            return f"the {ORDINALS[k]} object is {verb} best"
    if lead.low is not None and lead.low > 0:
        rival = max(range(1, len(intervals)), key=lambda k: by_position[k].value or 0.0)
        return (
            f"the first object is {verb} better than the mean of the others, "
            f"but not better than the {ORDINALS[rival]} at 95% confidence"
        )
    if lead.high is not None and lead.high < 0:
        return f"the first object is {verb} worse than the mean of the others"
    return "the first object does not differ from the mean of the others at 95% confidence"


@dataclass(frozen=True)
class CaptionRetrieval:
    """Captions, and the ranks of their object names among all names.

    captions: The captions.
    ranks: For each caption and position, whether that name is the nearest, and how many names are retrieved.
    style: The wording of the captions.
    """

    captions: TemplateCaptions
    ranks: ObjectRanks
    style: str

    @property
    def slice(self) -> dict[str, object]:
        return {"captions": self.style, "count": self.captions.count}

    @cached_property
    def shares(self) -> list[Finding]:
        """For each position, the share of captions whose nearest name is at that position (TOR)."""
        return [self._at_position("object_share", top, k) for k, top in enumerate(self.ranks.top.T)]

    @cached_property
    def shares_conditional(self) -> list[Finding]:
        """The same for captions whose n nearest names are exactly their own n names."""
        kept = self.ranks.kept
        metric = "object_share_conditional"
        return [self._at_position(metric, top * kept, k, sizes=kept) for k, top in enumerate(self.ranks.top.T)]

    @cached_property
    def lead(self) -> Finding:
        """The share of the first position minus the mean share of the others: 0 where order does not matter.

        Real captions have a metric of their own, because there the order may depend on the object.
        """
        top, count = self.ranks.top.astype(np.float64), self.captions.count
        ahead = top[:, 0] - top[:, 1:].mean(axis=1)
        value, (low, high) = self._share(ahead, bounds=(-1 / (count - 1), 1.0))
        metric = "first_object_lead_real_captions" if self.style == REAL else "first_object_lead"
        return Finding(metric=metric, value=value, n=len(ahead), low=low, high=high, slice=self.slice, interval=HOW)

    @cached_property
    def recall(self) -> Finding:
        """The share of a caption's n names that are among the n nearest names."""
        return self._of_captions("top_n_recall", self.ranks.recall)

    def findings(self) -> Iterator[Finding]:
        """All numbers of these captions."""
        yield from self.shares
        yield from self.shares_conditional
        yield self.lead
        yield self._of_captions("all_objects_retrieved", self.ranks.kept)
        yield self.recall

    def _of_captions(self, metric: str, values: npt.NDArray[Any]) -> Finding:
        value, (low, high) = self._share(values)
        return Finding(metric=metric, value=value, n=len(values), low=low, high=high, slice=self.slice, interval=HOW)

    def _at_position(self, metric: str, hits: Floats, position: int, sizes: npt.NDArray[np.bool_] | None = None) -> Finding:
        value, (low, high) = self._share(hits, sizes=sizes)
        n = len(hits) if sizes is None else int(sizes.sum())
        where = {**self.slice, "position": position + 1}
        if np.isnan(value):
            return Finding(metric=metric, value=None, n=n, slice=where)
        return Finding(metric=metric, value=value, n=n, low=low, high=high, slice=where, interval=HOW)

    def _share(
        self,
        values: npt.ArrayLike,
        sizes: npt.NDArray[np.bool_] | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> tuple[float, Interval]:
        return named_share(values, self.captions.objects, sizes=sizes, clusters=self.captions.sets, bounds=bounds)
