"""Class change: the same pictures under another list of classes, and which change of the list would do least harm."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.dataset import Dataset
from eyechart.data.design_change import changed
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, clustered_share, share_difference
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.notice import Notice
from eyechart.probes.class_change.design_outcomes import DesignOutcome, labels_of, outcome
from eyechart.probes.class_change.exhibits import change_exhibit, flow_exhibit, suggestion_exhibit
from eyechart.probes.class_change.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.class_designs import design_texts
from eyechart.probes.tasks.groups import Subgroup, subgroups

_OF_THE_WORLD = {"world-people": ("world-people-without-kid", ("+kid:role", "+star:role", "+sphere:role"))}


@dataclass(frozen=True)
class Settings:
    """`design`: the list to begin with. `changes`: other lists, each a design or a change of the first ("+child:person").
    `candidates`: changes among which the best is looked for. `spelled`: what all these lists hold, read from there. `least`:
    pictures that a subgroup needs. `seed`: of the half on which the best is looked for."""

    design: str = ""
    changes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    least: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.design:
            base = read_design(self.design)
            lists = [base, *(_changed(base, change) for change in (*self.changes, *self.candidates))]
            object.__setattr__(self, "spelled", tuple("; ".join(design.spelled()) for design in lists))
        if self.least < 2 or self.seed < 0:
            raise ValueError("least is a whole number from 2 up, seed from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        lists = _lists(request.dataset, request.settings)
    except NotApplicable:
        return ()
    return design_texts(request, [lists.base, *lists.others, *lists.candidates.values()])


@probe(
    version=2,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("harm_rate_change", "suggested_harm_rate_change"),
)
def class_change(inputs: ProbeInput[Settings]) -> Answer:
    """What does another list of classes change, and for whom?

    The same pictures under each list, paired: how many are called otherwise, how many more or fewer are put into classes that do
    harm, in all and in each subgroup, and at what cost in accuracy. Of the candidate changes the best on one half of the
    pictures is tried on the other.
    """
    lists = _lists(inputs.dataset, inputs.settings)
    people = subgroups(inputs.dataset, lists.base.attributes, inputs.settings.least)
    prompts = inputs.prompts[0]
    _, units = np.unique(inputs.clusters, return_inverse=True)
    before = outcome(inputs, lists.base, prompts)
    change = _Changes(before, units, labels_of(inputs, lists.base), people, {"prompts": prompts.name})
    findings: list[Finding] = [change.harm(before)] if lists.base.harmful else []
    exhibits, notices = list[Exhibit](), list[Notice]()
    for design in lists.others:
        after = outcome(inputs, design, prompts)
        mine = list(change.findings(after))
        findings += mine
        exhibits += [*change_exhibit(mine, design.name), *flow_exhibit(before.names, after.names, design.name)]
    if lists.candidates and not change.can_try(inputs.settings.seed):
        what = "too few pictures to choose a change on one half of them and to measure it on the other"
        notices.append(Notice(inputs.dataset.name, what, "give more pictures, or name the change instead of candidates"))
    elif lists.candidates:
        tried = {name: outcome(inputs, design, prompts) for name, design in lists.candidates.items()}
        suggested, table = change.suggestion(tried, inputs.settings.seed)
        findings += suggested
        exhibits += suggestion_exhibit(table, suggested, Path(inputs.settings.design).name or lists.base.name)
    return Answer(findings, exhibits, notices)


@dataclass(frozen=True)
class _Lists:
    base: ClassDesign
    others: list[ClassDesign]
    candidates: dict[str, ClassDesign]


def _lists(dataset: Dataset, settings: Settings) -> _Lists:
    changes, candidates, name = settings.changes, settings.candidates, settings.design
    if not name:
        of_world = _OF_THE_WORLD.get(str(dataset.reader.get("source")))
        if of_world is None:
            raise NotApplicable("no class design was named; see docs/probes/class_change.md")
        name, candidates = of_world
        changes = candidates[:1]
    if not changes and not candidates:
        raise NotApplicable("the design has nothing to be compared with; name changes or candidates")
    base = read_design(name)
    if candidates and not base.harmful:
        raise NotApplicable(f"the design {base.name} calls no group harmful, so that no candidate can lower a harm")
    return _Lists(base, [_changed(base, c) for c in changes], {c: _changed(base, c) for c in candidates})


def _changed(base: ClassDesign, change: str) -> ClassDesign:
    return changed(base, change) if change[:1] in "+-" or "->" in change else read_design(change)


@dataclass(frozen=True)
class _Changes:
    """Everything is held against `before`, picture by picture."""

    before: DesignOutcome
    units: Indices
    labels: npt.NDArray[np.str_] | None
    people: list[Subgroup]
    under: dict[str, object]

    def harm(self, of: DesignOutcome) -> Finding:
        share = clustered_share(of.harmed, self.units)
        where = {"list": of.design.name, **self.under}
        return Finding(
            metric="harm_rate",
            value=share.value,
            n=share.n,
            low=share.estimate.low,
            high=share.estimate.high,
            slice=where,
            interval=HOW,
        )

    def findings(self, after: DesignOutcome) -> Iterator[Finding]:
        where: dict[str, object] = {"list": after.design.name}
        everyone = np.ones(len(self.units), np.bool_)
        moved = clustered_share(after.names != self.before.names, self.units)
        low, high = moved.estimate.low, moved.estimate.high
        yield Finding(
            metric="changed_predictions",
            value=moved.value,
            n=moved.n,
            low=low,
            high=high,
            slice={**where, **self.under},
            interval=HOW,
            baseline=self.before.design.name,
        )
        if self.before.design.harmful:
            yield self.harm(after)
            yield self._change("harm_rate_change", after.harmed, self.before.harmed, everyone, where)
            for subgroup in self.people:
                mine = {**where, **subgroup.slice}
                yield self._change("group_harm_rate_change", after.harmed, self.before.harmed, subgroup.members, mine)
        if self.labels is not None:
            right, was = after.right(self.labels), self.before.right(self.labels)
            yield self._change("accuracy_change", right, was, self.labels != "", where)

    def _change(self, metric: str, now: Flags, was: Flags, rows: Flags, where: dict[str, object]) -> Finding:
        a, b = (clustered_share(flags[rows], self.units[rows]) for flags in (now, was))
        low, high = share_difference(a, b)
        base = self.before.design.name
        return Finding(
            metric=metric,
            value=a.value - b.value,
            n=a.n,
            low=low,
            high=high,
            slice={**where, **self.under},
            interval=HOW_TWO,
            baseline=base,
        )

    def half(self, seed: int) -> Flags:
        """The pictures on which a candidate is chosen."""
        strata = self.before.answers if self.labels is None else np.unique(self.labels, return_inverse=True)[1]
        return stratified_split(strata, seed=seed, clusters=self.units)

    def can_try(self, seed: int) -> bool:
        """Whether both halves have pictures, and labels where there are any."""
        looked = self.half(seed)
        told = np.ones(len(looked), np.bool_) if self.labels is None else self.labels != ""
        return bool((looked & told).any() and (~looked & told).any())

    def suggestion(self, tried: dict[str, DesignOutcome], seed: int) -> tuple[list[Finding], list[dict[str, object]]]:
        """The candidate that lowers the harm most on one half (the more accurate one among equals), measured on the other."""
        looked = self.half(seed)

        def merit(name: str) -> tuple[float, float]:
            right = 0.0 if self.labels is None else float(tried[name].right(self.labels)[looked].mean())
            return -float(tried[name].harmed[looked].mean()), right

        best = max(tried, key=merit)
        held_out, where = ~looked, {"change": best}
        findings = [self._change("suggested_harm_rate_change", tried[best].harmed, self.before.harmed, held_out, dict(where))]
        if self.labels is not None:
            right, was = tried[best].right(self.labels), self.before.right(self.labels)
            told = held_out & (self.labels != "")
            findings.append(self._change("suggested_accuracy_change", right, was, told, dict(where)))
        table: list[dict[str, object]] = []
        for name, after in sorted(tried.items(), key=lambda one: merit(one[0]), reverse=True):
            change = self._change("harm_rate_change", after.harmed, self.before.harmed, held_out, {})
            table.append(
                {"change": name, "harm_rate": change.value, "low": change.low, "high": change.high, "pictures": change.n}
            )
        return findings, table
