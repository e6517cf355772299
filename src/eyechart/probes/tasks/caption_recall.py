"""What is counted of captions of several names: how often each position is heard best, and how many names are heard at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.metrics.scenes.object_ranks import ObjectRanks
from eyechart.probes.tasks.template_captions import REAL, TemplateCaptions

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def standing(by_position: Sequence[Finding], lead: Finding, done: str) -> str:
    """Which position is `done` best ("heard", "kept"), as far as intervals tell: one is named best only where its interval lies
    above that of every other. A sure `lead` of the first is one over the mean of the others, and said to be no more."""
    known = [(f.low, f.high) if f.low is not None and f.high is not None else (0.0, 1.0) for f in by_position]
    for k, (low, _) in enumerate(known):
        if all(low > high for other, (_, high) in enumerate(known) if other != k):
            return f"the {ORDINALS[k]} is {done} best"
    if lead.low is not None and lead.low > 0:
        rival = max(range(1, len(known)), key=lambda k: by_position[k].value or 0.0)
        return f"the first is {done} better than the mean of the others, though not surely better than the {ORDINALS[rival]}"
    if lead.high is not None and lead.high < 0:
        return f"the first is {done} worse than the mean of the others"
    return "the first is not told apart from the mean of the others"


@dataclass(frozen=True)
class Heard:
    """Captions, and which of their names the model hears in each."""

    captions: TemplateCaptions
    ranks: ObjectRanks
    style: str

    @property
    def slice(self) -> dict[str, object]:
        return {"captions": self.style, "count": self.captions.count}

    @cached_property
    def shares(self) -> list[Finding]:
        """For each position, the share of captions whose nearest name stands there."""
        return [self._of("object_share", top, k) for k, top in enumerate(self.ranks.top.T)]

    @cached_property
    def shares_kept(self) -> list[Finding]:
        """The same among captions whose n nearest names are exactly those they say."""
        kept = self.ranks.kept
        return [self._of("object_share_conditional", top * kept, k, sizes=kept) for k, top in enumerate(self.ranks.top.T)]

    @cached_property
    def lead(self) -> Finding:
        """The share of the first position less the mean share of the others: 0 where order does not matter. Under another name
        for captions of a dataset, in which order may go with identity."""
        top, count = self.ranks.top.astype(np.float64), self.captions.count
        ahead = top[:, 0] - top[:, 1:].mean(axis=1)
        value, (low, high) = self._share(ahead, bounds=(-1 / (count - 1), 1.0))
        metric = "first_object_lead_real_captions" if self.style == REAL else "first_object_lead"
        return Finding(metric=metric, value=value, n=len(ahead), low=low, high=high, slice=self.slice, interval=HOW)

    def findings(self) -> Iterator[Finding]:
        yield from self.shares
        yield from self.shares_kept
        yield self.lead
        for metric, values in (("all_objects_retrieved", self.ranks.kept), ("top_n_recall", self.ranks.recall)):
            value, (low, high) = self._share(values)
            yield Finding(metric=metric, value=value, n=len(values), low=low, high=high, slice=self.slice, interval=HOW)

    def _of(self, metric: str, hits: Floats, position: int, sizes: npt.NDArray[np.bool_] | None = None) -> Finding:
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
