"""Composition: a caption against the same words put together wrongly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, clustered_share
from eyechart.notice import Notice, counted
from eyechart.probes.composition.exhibits import kinds_exhibit, mistaken_exhibit
from eyechart.probes.composition.foil_trials import Crossed, FoilTrials, Outcomes, crossed_groups, outcomes, trials_of
from eyechart.probes.composition.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe


@dataclass(frozen=True)
class Settings:
    """`least`: pictures that a kind needs to be reported by itself. `shown`: mistaken pictures in the exhibit."""

    least: int = 10
    shown: int = 12

    def __post_init__(self) -> None:
        if self.least < 1 or self.shown < 0:
            raise ValueError("least is a whole number from 1 up, shown from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if not (request.dataset.has("captions") and request.dataset.has("foils")):
        return ()
    trials = trials_of(request.dataset)
    return list(dict.fromkeys(text for said in (*trials.captions, *trials.foils) for text in said))


@probe(
    version=1,
    needs=("images", "texts", "captions", "foils"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("caption_accuracy", "group_score", "text_only_accuracy"),
    prompts=False,
)
def composition(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model tell what a picture shows from the same words put together wrongly?

    A picture is right if each of its captions is nearer to it than each of its foils, strictly. Where pictures are crossed (the
    foil of one is the caption of the other), groups count as wholes, in both directions.
    """
    trials = trials_of(inputs.dataset)
    if not len(trials):
        raise NotApplicable("no picture has both a caption and a foil")
    _, units = np.unique(inputs.clusters[trials.rows], return_inverse=True)
    found, groups = outcomes(inputs, trials), crossed_groups(inputs, trials)
    findings = [*_whole(trials, found, units), *_by_kind(trials, found, units, inputs.settings.least)]
    if groups is not None:
        findings += _of_groups(groups)
    exhibits = [*kinds_exhibit(findings), *mistaken_exhibit(inputs, trials, found, inputs.settings.shown)]
    return Answer(findings, exhibits, [*_unwinnable(inputs, trials), *_guessing(inputs, findings)])


def _whole(trials: FoilTrials, found: Outcomes, units: Indices) -> Iterator[Finding]:
    yield _share("caption_accuracy", found.right, units)
    yield Finding(metric="chance", value=float(trials.chance().mean()), n=len(trials))
    several = ~np.isnan(found.text_lead)
    if several.any():
        _, mine = np.unique(units[several], return_inverse=True)
        yield _share("text_only_accuracy", found.text_right[several], mine)


def _by_kind(trials: FoilTrials, found: Outcomes, units: Indices, least: int) -> Iterator[Finding]:
    kinds, chance = np.array(trials.kinds), trials.chance()
    for kind in sorted(set(trials.kinds) - {""}):
        mine = kinds == kind
        if mine.sum() >= least and not mine.all():
            _, own = np.unique(units[mine], return_inverse=True)
            yield _share("caption_accuracy", found.right[mine], own, {"kind": kind})
            yield Finding(metric="chance", value=float(chance[mine].mean()), n=int(mine.sum()), slice={"kind": kind})


def _of_groups(groups: Crossed) -> Iterator[Finding]:
    """As Winoground counts: every picture finds its caption; every caption its picture; both. Guessing gets 1/4, 1/4 and 1/6
    with two: n! orders of a picture's scores, of which one puts the own first in each line, need not be independent."""
    units = np.arange(len(groups.names))
    for name, right in (("text_score", groups.text), ("image_score", groups.picture), ("group_score", groups.both)):
        yield _share(name, right, units)
    if (groups.sizes == 2).all():
        for name, chance in (("text_score", 1 / 4), ("image_score", 1 / 4), ("group_score", 4 / factorial(4))):
            yield Finding(metric=f"{name}_chance", value=chance, n=len(units))


def _share(metric: str, right: Flags, units: Indices, where: dict[str, object] | None = None) -> Finding:
    share = clustered_share(right, units)
    return Finding(
        metric=metric,
        value=share.value,
        n=share.n,
        low=share.estimate.low,
        high=share.estimate.high,
        slice=where or {},
        interval=HOW,
    )


def _unwinnable(inputs: ProbeInput[Settings], trials: FoilTrials) -> list[Notice]:
    if not trials.unwinnable:
        return []
    what = (
        f"{counted(trials.unwinnable, 'picture')} with a foil that says the same as a caption, counted as wrong for every model"
    )
    return [Notice(inputs.dataset.name, what, "take those foils out of the file")]


def _guessing(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    chance = {str(f.slice): f.value for f in findings if f.metric == "chance"}
    poor = [
        str(f.slice.get("kind") or "all")
        for f in findings
        if f.metric == "caption_accuracy" and f.low is not None and f.low <= (chance.get(str(f.slice)) or 0.0)
    ]
    if not poor:
        return []
    what = f"{inputs.model} is not told from one that guesses: {', '.join(poor)}"
    return [Notice(inputs.dataset.name, what, "do not rely on it where these words decide")]
