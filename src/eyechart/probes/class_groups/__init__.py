"""Class groups: who is put into which kind of class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import (
    HOW,
    HOW_TWO,
    ClusteredShare,
    clustered_share,
    share_difference,
    share_ratio,
)
from eyechart.metrics.intervals.slices import together
from eyechart.notice import Notice
from eyechart.probes.class_groups.exhibits import examples_exhibit, shares_exhibit
from eyechart.probes.class_groups.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.class_designs import called, design_for, design_texts, group_numbers
from eyechart.probes.tasks.groups import Subgroup, columns_of, subgroups, unusable


@dataclass(frozen=True)
class Settings:
    """`design`: a class design by name or a file; `spelled` is what stands in it, read from there. `least`: pictures that a
    subgroup needs. `shown`: pictures in the exhibit."""

    design: str = ""
    spelled: tuple[str, ...] = ()
    least: int = 20
    shown: int = 12

    def __post_init__(self) -> None:
        if self.design:  # a file may change, and what was asked must be told from the protocol
            object.__setattr__(self, "spelled", read_design(self.design).spelled())
        if self.least < 2 or self.shown < 0:
            raise ValueError("least is a whole number from 2 up, shown from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        return design_texts(request, [design_for(request.dataset, request.settings.design)])
    except NotApplicable:
        return ()


@probe(
    version=1,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("harm_rate", "largest_harm_rate_difference"),
)
def class_groups(inputs: ProbeInput[Settings]) -> Answer:
    """Who is put into which kind of class?

    Every picture gets the nearest class of a stated design; the share of each subgroup in each group of classes, and how far it
    is from that of all others. Groups that the design calls harmful lead.
    """
    settings: Settings = inputs.settings
    design = design_for(inputs.dataset, settings.design)
    people = subgroups(inputs.dataset, design.attributes, settings.least)
    _, units = np.unique(inputs.clusters, return_inverse=True)
    findings, exhibits, notices = [], [], list[Notice]()
    for prompts in inputs.prompts:
        answers = called(inputs, design, prompts)
        sorting = _Sorting(design, group_numbers(design)[answers], units, people, {"prompts": prompts.name})
        mine = list(sorting.findings())
        findings += mine
        exhibits += shares_exhibit(mine, design, prompts.name)
        if prompts is inputs.prompts[0]:
            notices = [*_not_told_apart(inputs, design), *sorting.notices(inputs)]
            exhibits += examples_exhibit(inputs, design, answers, people, settings.shown)
    return Answer(findings, exhibits, notices)


def _not_told_apart(inputs: ProbeInput[Settings], design: ClassDesign) -> list[Notice]:
    """Said where the design asks for subgroups by columns that are not there: shares without them look complete."""
    missing = unusable(inputs.dataset, design.attributes)
    if not missing and not columns_of(inputs.dataset, design.attributes):
        missing = ["the dataset has no column that tells people apart"]
    if not missing:
        return []
    what = f"shares are not told by every attribute of {design.name}: {'; '.join(missing)}"
    return [Notice(inputs.dataset.name, what, "add the columns, or name others in the design's attributes")]


@dataclass(frozen=True)
class _Sorting:
    """What every picture was put into under one prompt set."""

    design: ClassDesign
    group: Indices
    units: Indices
    people: list[Subgroup]
    under: dict[str, object]

    def findings(self) -> Iterator[Finding]:
        groups = list(self.design.groups)
        if self.design.harmful:
            yield self._share("harm_rate", self._harmed(), {})
            yield from self._largest_gap()
        for number, group in enumerate(groups):
            inside = self.group == number
            where: dict[str, object] = {"classes": group}
            yield self._share("rate", inside, where)
            for subgroup in self.people:
                yield from self._of_subgroup(inside, subgroup, {**where, **subgroup.slice}, group in self.design.harmful)

    def _harmed(self) -> Flags:
        groups = list(self.design.groups)
        return np.isin(self.group, [groups.index(group) for group in self.design.harmful])

    def _share(self, metric: str, inside: Flags, where: dict[str, object], rows: Flags | None = None) -> Finding:
        chosen = np.ones(len(inside), np.bool_) if rows is None else rows
        share = clustered_share(inside[chosen], self.units[chosen])
        bad = False if metric == "harm_rate" or where.get("classes") in self.design.harmful else None
        low, high = share.estimate.low, share.estimate.high
        return Finding(
            metric=metric,
            value=share.value,
            n=share.n,
            low=low,
            high=high,
            slice={**where, **self.under},
            unit="fraction",
            higher_is_better=bad,
            interval=HOW,
        )

    def _of_subgroup(self, inside: Flags, subgroup: Subgroup, where: dict[str, object], harmful: bool) -> Iterator[Finding]:
        yield self._share("rate", inside, where, subgroup.members)
        mine, rest = self._two(inside, subgroup)
        low, high = share_difference(mine, rest)
        gap = Finding(
            metric="rate_difference",
            value=mine.value - rest.value,
            n=mine.n,
            low=low,
            high=high,
            slice={**where, **self.under},
            unit="fraction",
            higher_is_better=None,
            interval=HOW_TWO,
            baseline="all others",
        )
        yield replace(gap, higher_is_better=False if harmful else None)
        if rest.value > 0:
            low, high = share_ratio(mine, rest)
            known = np.isfinite(low) and np.isfinite(high)
            ratio = replace(gap, metric="rate_ratio", value=mine.value / rest.value, unit="number")
            yield replace(ratio, low=low if known else None, high=high if known else None)

    def _two(self, inside: Flags, subgroup: Subgroup, level: float = 0.95) -> tuple[ClusteredShare, ClusteredShare]:
        """The share among the subgroup, and among all others."""
        mine, rest = subgroup.members, subgroup.others
        return (
            clustered_share(inside[mine], self.units[mine], level=level),
            clustered_share(inside[rest], self.units[rest], level=level),
        )

    def _largest_gap(self) -> Iterator[Finding]:
        """The subgroup that is harmed most beyond all others, with an interval that knows it was chosen."""
        single = [s for s in self.people if not s.crossed]
        if not single:
            return
        harmed, level = self._harmed(), together(0.95, len(single))
        pairs = [(s, *self._two(harmed, s, level)) for s in single]
        subgroup, mine, rest = max(pairs, key=lambda p: p[1].value - p[2].value)
        low, high = share_difference(mine, rest)
        how = f"{HOW_TWO} for all {len(single)} subgroups together"
        where = {**subgroup.slice, **self.under}
        yield Finding(
            metric="largest_harm_rate_difference",
            value=mine.value - rest.value,
            n=mine.n,
            low=low,
            high=high,
            slice=where,
            unit="fraction",
            higher_is_better=False,
            interval=how,
            baseline="all others",
        )

    def notices(self, inputs: ProbeInput[Settings]) -> list[Notice]:
        found = next(self._largest_gap(), None) if self.design.harmful else None
        if found is None or found.low is None or found.low <= 0:
            return []
        who = ", ".join(f"{k} {v}" for k, v in found.slice.items() if k != "prompts")
        what = f"{who}: {found.value:.1%} more often in {' or '.join(self.design.harmful)} than all others"
        return [Notice(inputs.dataset.name, what, "see who and why before this list is used; class_change tries other lists")]
