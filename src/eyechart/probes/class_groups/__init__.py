"""Class groups: which groups of people are predicted as which kinds of classes, harmful ones first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.findings.numbers import points
from eyechart.findings.predictions import Predictions
from eyechart.notice import Notice
from eyechart.probes.class_groups.exhibits import examples_exhibit, rates_exhibit
from eyechart.probes.class_groups.metrics import METRICS
from eyechart.probes.class_groups.rates import GroupRates
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.class_designs import choose_design, design_texts, group_numbers
from eyechart.probes.tasks.classifier import prompt_texts
from eyechart.probes.tasks.design_predictions import design_predictions, top_by_likelihood, top_of_design
from eyechart.probes.tasks.given_predictions import SLICE, given_predictions
from eyechart.probes.tasks.groups import group_columns, subgroups, unusable_attributes
from eyechart.probes.tasks.predictors import CLASS_SCORES


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
    version=2,
    needs=("pictures",),
    wants=("logit_scale", "likelihoods"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("audit", "paper"),
    texts=texts,
    from_predictions=True,
    headline=("harm_rate", "largest_harm_rate_difference"),
)
def class_groups(inputs: ProbeInput[Settings]) -> Answer:
    """Which groups of people are predicted as harmful classes?

    Every picture is classified by a class design, which sorts classes into kinds and marks harmful ones. For each kind: the rate
    of each group of people, and its difference from all others. A multimodal language model classifies by the log-likelihoods of
    the names.
    """
    settings: Settings = inputs.settings
    design = choose_design(inputs.dataset, settings.design)
    people = subgroups(inputs.dataset, design.attributes, settings.least)
    _, units = np.unique(inputs.units, return_inverse=True)
    findings, exhibits, notices, predictions = [], [], list[Notice](), list[Predictions]()
    for place, (under, predicted, mentioned, by_row) in enumerate(_classified(inputs, design)):
        of_group = np.where(predicted < 0, -1, group_numbers(design)[predicted])
        rates = GroupRates(design, of_group, units, people, under)
        mine = list(rates.findings())
        findings += mine
        predictions += by_row
        exhibits += rates_exhibit(mine, design, under)
        if place == 0:
            notices = [*mentioned, *_missing_attributes(inputs, design), *_harm_notices(rates, inputs.dataset.name)]
            exhibits += examples_exhibit(inputs, design, predicted, people, settings.shown, under)
    return Answer(findings, exhibits, notices, predictions)


_Classified = tuple[dict[str, str], Indices, list[Notice], list[Predictions]]


def _classified(inputs: ProbeInput[Settings], design: ClassDesign) -> Iterator[_Classified]:
    """For each classifier its slice, the class of each picture, -1 for none of the design's, notices, and rows to list."""
    if inputs.predictions is not None:
        given = given_predictions(inputs, design.classes())
        yield SLICE, given.predicted, given.notices(inputs.dataset.name, inputs.model), []
        return
    usable = [prompts for prompts in inputs.prompts if inputs.can_encode(prompt_texts(design.classes(), prompts))]
    for prompts in usable:
        top = top_of_design(inputs, design, prompts)
        yield {"prompts": prompts.name}, top.predicted, [], [design_predictions(inputs, design, top, prompts.name)]
    if inputs.log_likelihoods is not None:
        top = top_by_likelihood(inputs, design)
        yield dict(CLASS_SCORES), top.predicted, [], [design_predictions(inputs, design, top, None)]
    elif not usable:
        raise NotApplicable("the model can neither encode the class names of the design nor score them as answers")


def _missing_attributes(inputs: ProbeInput[Settings], design: ClassDesign) -> list[Notice]:
    """A warning where the attributes of the design are missing, because the rates look complete without them."""
    missing = unusable_attributes(inputs.dataset, design.attributes)
    if not missing and not group_columns(inputs.dataset, design.attributes):
        missing = ["the dataset has no attribute column that defines groups"]
    if not missing:
        return []
    what = f"rates are not available for every attribute of {design.name}: {'; '.join(missing)}"
    return [Notice(inputs.dataset.name, what, "add these columns, or change the attributes of the design")]


def _harm_notices(rates: GroupRates, dataset: str) -> list[Notice]:
    found = next(rates.largest_gap(), None) if rates.design.harmful else None
    if found is None or found.low is None or found.low <= 0:
        return []
    who = ", ".join(f"{k} {v}" for k, v in found.slice.items() if k not in ("prompts", "answers"))
    harmful = " or ".join(rates.design.harmful)
    what = f"{who}: predicted as {harmful} more often than all others, by {points(found.value)}"
    return [Notice(dataset, what, "do not use this class list before you know why; class_change tries other lists")]
