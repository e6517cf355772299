"""Class groups: which groups of people are predicted as which kinds of classes, harmful ones first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import points
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, ClusteredShare, clustered_share, share_ratio
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.notice import Notice
from eyechart.probes.class_groups.exhibits import examples_exhibit, rates_exhibit
from eyechart.probes.class_groups.metrics import METRICS
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.class_designs import choose_design, design_texts, group_numbers, predict_classes
from eyechart.probes.tasks.groups import Subgroup, group_columns, subgroups, unusable_attributes
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `class_groups`.

    design: A class design by name, or a file.
    content: The content of that design.
    least: Pictures that a group needs.
    shown: Pictures on the page.
    """

    design: str = ""
    content: tuple[str, ...] = ()
    least: int = 20
    shown: int = 12

    def __post_init__(self) -> None:
        if self.design:  # a file may change, so the protocol holds its content
            object.__setattr__(self, "content", read_design(self.design).content())
        if self.least < 2 or self.shown < 0:
            raise ValueError("least must be at least 2, shown at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        return design_texts(request, [choose_design(request.dataset, request.settings.design)])
    except NotApplicable:
        return ()


@probe(
    version=1,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("audit", "paper"),
    texts=texts,
    headline=("harm_rate", "largest_harm_rate_difference"),
)
def class_groups(inputs: ProbeInput[Settings]) -> Answer:
    """Which groups of people are predicted as harmful classes?

    Every picture is classified by a class design, which sorts classes into kinds and marks harmful ones. For each kind: the rate
    of each group of people, and its difference from all others.
    """
    settings: Settings = inputs.settings
    design = choose_design(inputs.dataset, settings.design)
    people = subgroups(inputs.dataset, design.attributes, settings.least)
    _, units = np.unique(inputs.clusters, return_inverse=True)
    findings, exhibits, notices = [], [], list[Notice]()
    for prompts in inputs.prompts:
        predicted = predict_classes(inputs, design, prompts)
        rates = _GroupRates(design, group_numbers(design)[predicted], units, people, {"prompts": prompts.name})
        mine = list(rates.findings())
        findings += mine
        exhibits += rates_exhibit(mine, design, prompts.name)
        if prompts is inputs.prompts[0]:
            notices = [*_missing_attributes(inputs, design), *rates.notices(inputs)]
            exhibits += examples_exhibit(inputs, design, predicted, people, settings.shown)
    return Answer(findings, exhibits, notices)


def _missing_attributes(inputs: ProbeInput[Settings], design: ClassDesign) -> list[Notice]:
    """A warning where the attributes of the design are missing, because the rates look complete without them."""
    missing = unusable_attributes(inputs.dataset, design.attributes)
    if not missing and not group_columns(inputs.dataset, design.attributes):
        missing = ["the dataset has no attribute column that defines groups"]
    if not missing:
        return []
    what = f"rates are not available for every attribute of {design.name}: {'; '.join(missing)}"
    return [Notice(inputs.dataset.name, what, "add these columns, or change the attributes of the design")]


@dataclass(frozen=True)
class _GroupRates:
    """The predictions under one prompt set.

    design: The class design.
    group: The kind of the predicted class of each picture.
    units: Pictures of one number are copies.
    people: The groups of people.
    under: The slice of the prompt set.
    """

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

    def _largest_gap(self) -> Iterator[Finding]:
        """The group with the largest difference in harm, with an interval that is corrected for the choice."""
        single = [s for s in self.people if not s.crossed]
        if not single:
            return
        harmed, level = self._harmed(), sidak_level(0.95, len(single))
        pairs = [(s, *self._two(harmed, s, level)) for s in single]
        subgroup, mine, rest = max(pairs, key=lambda p: p[1].value - p[2].value)
        how = f"{HOW_TWO} for all {len(single)} groups together"
        where = {**subgroup.slice, **self.under}
        found = difference_finding("largest_harm_rate_difference", mine, rest, where, baseline="all others", interval=how)
        yield replace(found, unit="fraction", higher_is_better=False)

    def notices(self, inputs: ProbeInput[Settings]) -> list[Notice]:
        found = next(self._largest_gap(), None) if self.design.harmful else None
        if found is None or found.low is None or found.low <= 0:
            return []
        who = ", ".join(f"{k} {v}" for k, v in found.slice.items() if k != "prompts")
        harmful = " or ".join(self.design.harmful)
        what = f"{who}: predicted as {harmful} more often than all others, by {points(found.value)}"
        return [
            Notice(inputs.dataset.name, what, "do not use this class list before you know why; class_change tries other lists")
        ]
