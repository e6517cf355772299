"""Composition: true captions against foils, which combine the same words wrongly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.notice import Notice, counted
from eyechart.probes.composition.exhibits import errors_exhibit, kinds_exhibit, missed_exhibit
from eyechart.probes.composition.foil_trials import (
    CrossedGroups,
    FoilOutcomes,
    FoilTrials,
    crossed_groups,
    foil_outcomes,
    foil_trials,
)
from eyechart.probes.composition.metrics import METRICS
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.share_findings import ALL_ROWS, share_finding


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `composition`.

    least: Pictures that a kind of foil needs to be reported.
    shown: Errors on the page.
    """

    least: int = 10
    shown: int = 12

    def __post_init__(self) -> None:
        if self.least < 1 or self.shown < 0:
            raise ValueError("least must be at least 1, shown at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if not (request.dataset.has("captions") and request.dataset.has("foils")):
        return ()
    trials = foil_trials(request.dataset)
    return list(dict.fromkeys(text for texts in (*trials.captions, *trials.foils) for text in texts))


@probe(
    version=1,
    needs=("images", "texts", "captions", "foils"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("retrieval",),
    texts=texts,
    headline=("caption_accuracy", "group_score", "text_only_accuracy"),
    prompts=False,
)
def composition(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model prefer a true caption to the same words combined wrongly?

    A picture counts as correct if each of its captions is strictly nearer to it than each of its foils. Where pictures are
    crossed (the foil of one is the caption of the other), whole groups are scored in both directions, as in Winoground.
    """
    trials = foil_trials(inputs.dataset)
    if not len(trials):
        raise NotApplicable("no picture has both a caption and a foil")
    _, units = np.unique(inputs.units[trials.rows], return_inverse=True)
    found, groups = foil_outcomes(inputs, trials), crossed_groups(inputs, trials)
    findings = [*_overall(trials, found, units), *_by_kind(trials, found, units, inputs.settings.least)]
    if groups is not None:
        findings += _of_groups(groups)
    exhibits = [*kinds_exhibit(findings), *errors_exhibit(inputs, trials, found, inputs.settings.shown)]
    exhibits += missed_exhibit(inputs, trials, found)
    return Answer(findings, exhibits, [*_equal_texts(inputs, trials), *_near_chance(inputs, findings)])


def _overall(trials: FoilTrials, found: FoilOutcomes, units: Indices) -> Iterator[Finding]:
    yield _share("caption_accuracy", found.correct, units)
    yield Finding(metric="chance", value=float(trials.chance().mean()), n=len(trials))
    several = ~np.isnan(found.text_margin)
    if several.any():
        _, mine = np.unique(units[several], return_inverse=True)
        yield _share("text_only_accuracy", found.text_correct[several], mine)


def _by_kind(trials: FoilTrials, found: FoilOutcomes, units: Indices, least: int) -> Iterator[Finding]:
    kinds, chance = np.array(trials.kinds), trials.chance()
    for kind in sorted(set(trials.kinds) - {""}):
        mine = kinds == kind
        if mine.sum() >= least and not mine.all():
            _, own = np.unique(units[mine], return_inverse=True)
            yield _share("caption_accuracy", found.correct[mine], own, {"kind": kind})
            yield Finding(metric="chance", value=float(chance[mine].mean()), n=int(mine.sum()), slice={"kind": kind})


def _of_groups(groups: CrossedGroups) -> Iterator[Finding]:
    """The text, image and group score of Winoground.

    With two pictures, chance is 1/4, 1/4 and 1/6: 4 of the 4! orders of the four scores are correct in both directions.
    """
    units = np.arange(len(groups.names))
    for name, correct in (("text_score", groups.text), ("image_score", groups.picture), ("group_score", groups.both)):
        yield _share(name, correct, units)
    if (groups.sizes == 2).all():
        for name, chance in (("text_score", 1 / 4), ("image_score", 1 / 4), ("group_score", 4 / factorial(4))):
            yield Finding(metric=f"{name}_chance", value=chance, n=len(units))


def _share(metric: str, correct: Flags, units: Indices, where: Mapping[str, object] = ALL_ROWS) -> Finding:
    return share_finding(metric, clustered_share(correct, units), where)


def _equal_texts(inputs: ProbeInput[Settings], trials: FoilTrials) -> list[Notice]:
    if not trials.equal_texts:
        return []
    what = f"{counted(trials.equal_texts, 'picture')} with a foil equal to a caption, which no model can get right"
    return [Notice(inputs.dataset.name, what, "remove these foils from the file")]


def _near_chance(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    chance = {str(f.slice): f.value for f in findings if f.metric == "chance"}
    poor = [
        str(f.slice.get("kind") or "all")
        for f in findings
        if f.metric == "caption_accuracy" and f.low is not None and f.low <= (chance.get(str(f.slice)) or 0.0)
    ]
    if not poor:
        return []
    what = f"{inputs.model} is not above chance at 95% confidence: {', '.join(poor)}"
    return [Notice(inputs.dataset.name, what, "do not rely on the model where captions differ in this way")]
