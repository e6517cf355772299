"""Rates of the kinds of classes in every group of people, with the largest difference in harm."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, ClusteredShare, clustered_share, share_ratio
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.probes.tasks.groups import Subgroup
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


@dataclass(frozen=True)
class GroupRates:
    """The predictions of one classifier.

    design: The class design.
    group: The kind of the predicted class of each picture; -1 for a class that the design lacks.
    units: Pictures of one number are copies.
    people: The groups of people.
    under: The slice of the classifier.
    """

    design: ClassDesign
    group: Indices
    units: Indices
    people: list[Subgroup]
    under: dict[str, str]

    def findings(self) -> Iterator[Finding]:
        groups = list(self.design.groups)
        if self.design.harmful:
            yield self._share("harm_rate", self.harmed(), {})
            yield from self.largest_gap()
            for subgroup in self.people:
                harm = self._share("group_harm_rate", self.harmed(), dict(subgroup.slice), subgroup.members)
                yield replace(harm, higher_is_better=False)
        for number, group in enumerate(groups):
            inside = self.group == number
            where: dict[str, object] = {"classes": group}
            yield self._share("rate", inside, where)
            for subgroup in self.people:
                yield from self._of_subgroup(inside, subgroup, {**where, **subgroup.slice}, group in self.design.harmful)

    def harmed(self) -> Flags:
        groups = list(self.design.groups)
        return np.isin(self.group, [groups.index(group) for group in self.design.harmful])

    def _share(self, metric: str, inside: Flags, where: dict[str, object], rows: Flags | None = None) -> Finding:
        chosen = np.ones(len(inside), np.bool_) if rows is None else rows
        share = clustered_share(inside[chosen], self.units[chosen])
        better = False if metric == "harm_rate" or where.get("classes") in self.design.harmful else None
        return replace(share_finding(metric, share, {**where, **self.under}), unit="fraction", higher_is_better=better)

    def _of_subgroup(self, inside: Flags, subgroup: Subgroup, where: dict[str, object], harmful: bool) -> Iterator[Finding]:
        yield self._share("rate", inside, where, subgroup.members)
        mine, rest = self._two(inside, subgroup)
        gap = difference_finding("rate_difference", mine, rest, {**where, **self.under}, baseline="all others")
        gap = replace(gap, unit="fraction", higher_is_better=None)
        yield replace(gap, higher_is_better=False if harmful else None)
        if rest.value > 0:
            low, high = share_ratio(mine, rest)
            known = np.isfinite(low) and np.isfinite(high)
            ratio = replace(gap, metric="rate_ratio", value=mine.value / rest.value, unit="number")
            yield replace(ratio, low=low if known else None, high=high if known else None)

    def _two(self, inside: Flags, subgroup: Subgroup, level: float = 0.95) -> tuple[ClusteredShare, ClusteredShare]:
        """The rate of the group, and of all others."""
        mine, rest = subgroup.members, subgroup.others
        return (
            clustered_share(inside[mine], self.units[mine], level=level),
            clustered_share(inside[rest], self.units[rest], level=level),
        )

    def largest_gap(self) -> Iterator[Finding]:
        """The group with the largest difference in harm, with an interval that is corrected for the choice."""
        single = [s for s in self.people if not s.crossed]
        if not single:
            return
        harmed, level = self.harmed(), sidak_level(0.95, len(single))
        pairs = [(s, *self._two(harmed, s, level)) for s in single]
        subgroup, mine, rest = max(pairs, key=lambda p: p[1].value - p[2].value)
        how = f"{HOW_TWO} for all {len(single)} groups together"
        where = {**subgroup.slice, **self.under}
        found = difference_finding("largest_harm_rate_difference", mine, rest, where, baseline="all others", interval=how)
        yield replace(found, unit="fraction", higher_is_better=False)
