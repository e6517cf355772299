"""Baselines: the models that a trend is fitted to. Which ones they are moves every distance from it, so each has a name."""

from dataclasses import dataclass

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.study.groups import GROUPS, STANDARD
from eyechart.study.population import Mask, Population


@dataclass(frozen=True)
class Baseline:
    """Models of this group, origin and published group (None: any), but for those whose name holds one of `without`.

    One's own findings are measured against others, and belong to a baseline only where `with_mine`."""

    name: str
    says: str
    group: str | None = None
    origin: str | None = None
    published: str | None = None
    without: tuple[str, ...] = ()
    with_mine: bool = False

    def of(self, population: Population) -> Mask:
        """Which models of the population are the baseline."""
        chosen: Mask = ~population.mine | self.with_mine
        for fact, wanted in (("group", self.group), ("origin", self.origin), ("published_group", self.published)):
            if wanted is not None:
                chosen &= np.array([value == wanted for value in population.facts[fact]], bool)
        chosen &= np.array([not any(word in model for word in self.without) for model in population.models], bool)
        return chosen


_NAMED = {
    "all": Baseline("all", "all models", with_mine=True),
    # The models that Taori et al. (2020) call standard, without the testbed's variants of one network.
    "testbed-standard": Baseline(
        "testbed-standard",
        "imagenet-testbed's STANDARD models, without its variants of one network",
        origin="testbed",
        published="STANDARD",
        without=("aws", "batch64", "subsample"),
    ),
}
BASELINES = (*_NAMED, *GROUPS)


def find_baseline(name: str = STANDARD) -> Baseline:
    """A named baseline, or a group of models."""
    if name in _NAMED:
        return _NAMED[name]
    if name in GROUPS:
        return Baseline(name, f"models of the group {name}", group=name)
    raise UsageError(f"there is no baseline {name!r}{did_you_mean(name, BASELINES)} (there are: {', '.join(BASELINES)})")
