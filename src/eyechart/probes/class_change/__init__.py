"""Class change: the same pictures under another class list, and which change of the list gives the least harm."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.dataset import Dataset
from eyechart.data.design_change import changed
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.notice import Notice
from eyechart.probes.class_change.changes import DesignChanges
from eyechart.probes.class_change.design_outcomes import design_labels, design_outcome
from eyechart.probes.class_change.exhibits import change_exhibit, flow_exhibit, suggestion_exhibit
from eyechart.probes.class_change.metrics import METRICS
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.class_designs import design_texts
from eyechart.probes.tasks.groups import subgroups

_WORLD_DESIGNS = {"world-people": ("world-people-without-kid", ("+kid:role", "+star:role", "+sphere:role"))}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `class_change`.

    design: The first class list: a class design by name, or a file.
    changes: Other class lists, each a design or a change of the first ("+child:person").
    candidates: Changes from which the best is chosen.
    content: The content of all these lists.
    least: Pictures that a group needs.
    seed: The seed of the half on which the best candidate is chosen.
    """

    design: str = ""
    changes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    least: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.design:
            base = read_design(self.design)
            lists = [base, *(_changed(base, change) for change in (*self.changes, *self.candidates))]
            object.__setattr__(self, "content", tuple("; ".join(design.content()) for design in lists))
        if self.least < 2 or self.seed < 0:
            raise ValueError("least must be at least 2, seed at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        lists = _lists(request.dataset, request.settings)
    except NotApplicable:
        return ()
    return design_texts(request, [lists.base, *lists.others, *lists.candidates.values()])


@probe(
    version=4,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("audit", "paper"),
    texts=texts,
    headline=("harm_rate_change", "suggested_harm_rate_change"),
)
def class_change(inputs: ProbeInput[Settings]) -> Answer:
    """How does another class list change predictions, harm and accuracy?

    The same pictures under each class list, paired: how many predictions change, the change of harmful predictions in all and in
    each group, and the change of accuracy. The best candidate on one half of the pictures is measured on the other half.
    """
    lists = _lists(inputs.dataset, inputs.settings)
    people = subgroups(inputs.dataset, lists.base.attributes, inputs.settings.least)
    prompts = inputs.prompts[0]
    _, units = np.unique(inputs.units, return_inverse=True)
    before = design_outcome(inputs, lists.base, prompts)
    change = DesignChanges(before, units, design_labels(inputs, lists.base), people, {"prompts": prompts.name})
    findings: list[Finding] = [change.harm(before), *change.group_harm(before)] if lists.base.harmful else []
    exhibits, notices = list[Exhibit](), list[Notice]()
    for design in lists.others:
        after = design_outcome(inputs, design, prompts)
        mine = list(change.findings(after))
        findings += mine
        exhibits += [*change_exhibit(mine, design.name), *flow_exhibit(before.names, after.names, design.name)]
    if lists.candidates and not change.can_split(inputs.settings.seed):
        what = "too few pictures to choose a candidate on one half and measure it on the other"
        notices.append(Notice(inputs.dataset.name, what, "use more pictures, or give the change directly (class_change.changes)"))
    elif lists.candidates:
        candidates = {name: design_outcome(inputs, design, prompts) for name, design in lists.candidates.items()}
        suggested, table = change.suggestion(candidates, inputs.settings.seed)
        findings += suggested
        exhibits += suggestion_exhibit(table, suggested, Path(inputs.settings.design).name or lists.base.name)
    return Answer(findings, exhibits, notices)


@dataclass(frozen=True)
class _ClassLists:
    """The class lists of a run.

    base: The first list.
    others: The lists it is compared with.
    candidates: The candidate changes.
    """

    base: ClassDesign
    others: list[ClassDesign]
    candidates: dict[str, ClassDesign]


def _lists(dataset: Dataset, settings: Settings) -> _ClassLists:
    changes, candidates, name = settings.changes, settings.candidates, settings.design
    if not name:
        default = _WORLD_DESIGNS.get(str(dataset.reader.get("source")))
        if default is None:
            raise NotApplicable("no class design is given; choose one with --design NAME|FILE, see docs/probes/class_change.md")
        name, candidates = default
        changes = candidates[:1]
    if not changes and not candidates:
        example = "--set 'class_change.changes=[\"+child:person\"]'"
        raise NotApplicable(f"there is no other class list to compare with; name one, such as {example}")
    base = read_design(name)
    if candidates and not base.harmful:
        raise NotApplicable(f"the design {base.name} marks no classes as harmful, so candidates cannot be ranked")
    return _ClassLists(base, [_changed(base, c) for c in changes], {c: _changed(base, c) for c in candidates})


def _changed(base: ClassDesign, change: str) -> ClassDesign:
    return changed(base, change) if change[:1] in "+-" or "->" in change else read_design(change)
