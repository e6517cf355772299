"""Baselines: the models that a trend line is fitted to. The choice affects every distance from the line, so each has a name."""

from dataclasses import dataclass

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.study.groups import CONTRASTIVE, GROUPS, STANDARD
from eyechart.study.population import Mask, Population


@dataclass(frozen=True)
class Baseline:
    """A selection of models.

    name: Its name.
    title: What it contains, for a sentence.
    group: Only models of this group; None for any.
    origin: Only models of this table; None for any.
    published: Only models of this published group; None for any.
    without: Excludes models with one of these texts in their name.
    with_mine: Whether your own findings belong to it.
    """

    name: str
    title: str
    group: str | None = None
    origin: str | None = None
    published: str | None = None
    without: tuple[str, ...] = ()
    with_mine: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of its models; none for a baseline of all models."""
        # The testbed calls contrastive models standard too.
        return (STANDARD, CONTRASTIVE) if self.published else (self.group,) if self.group else ()

    def of(self, population: Population) -> Mask:
        """Which models of the population belong to the baseline."""
        chosen: Mask = ~population.mine | self.with_mine
        for fact, wanted in (("group", self.group), ("origin", self.origin), ("published_group", self.published)):
            if wanted is not None:
                chosen &= np.array([value == wanted for value in population.facts[fact]], bool)
        chosen &= np.array([not any(word in model for word in self.without) for model in population.models], bool)
        return chosen


_NAMED = {
    "all": Baseline("all", "all models", with_mine=True),
    # The standard models of Taori et al. (2020), without the testbed's variants of one network.
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
    """The baseline of a name or of a group of models; UsageError for an unknown name."""
    if name in _NAMED:
        return _NAMED[name]
    if name in GROUPS:
        return Baseline(name, f"models of the group {name}", group=name)
    raise UsageError(f"there is no baseline {name!r}{did_you_mean(name, BASELINES)} (choose from: {', '.join(BASELINES)})")
