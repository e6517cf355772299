"""Composition: a caption against the same words put together wrongly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.clustered_shares import HOW, clustered_share
from eyechart.notice import Notice, counted
from eyechart.probes._composition_exhibits import kinds_exhibit, mistaken_exhibit
from eyechart.probes._foil_trials import Crossed, Flags, Indices, Outcomes, Trials, crossed_groups, outcomes, trials_of
from eyechart.probes.probe import Answer, Asked, Given, NotApplicable, probe


@dataclass(frozen=True)
class Settings:
    """`least`: pictures that a kind needs to be reported by itself. `shown`: mistaken pictures in the exhibit."""

    least: int = 10
    shown: int = 12

    def __post_init__(self) -> None:
        if self.least < 1 or self.shown < 0:
            raise ValueError("least is a whole number from 1 up, shown from 0 up")


def texts(asked: Asked) -> Sequence[str]:
    if not (asked.dataset.has("captions") and asked.dataset.has("foils")):
        return ()
    trials = trials_of(asked.dataset)
    return list(dict.fromkeys(text for said in (*trials.captions, *trials.foils) for text in said))


@probe(
    version=1,
    needs=("images", "texts", "captions", "foils"),
    settings=Settings(),
    texts=texts,
    headline=("right_caption", "group_right", "text_only_right"),
    prompts=False,
)
def composition(given: Given) -> Answer:
    """Does the model tell what a picture shows from the same words put together wrongly?

    A picture is right if each of its captions is nearer to it than each of its foils, strictly. Where pictures are crossed (the
    foil of one is the caption of the other), groups count as wholes, in both directions.
    """
    trials = trials_of(given.dataset)
    if not len(trials):
        raise NotApplicable("no picture has both a caption and a foil")
    _, units = np.unique(given.clusters[trials.rows], return_inverse=True)
    found, groups = outcomes(given, trials), crossed_groups(given, trials)
    findings = [*_whole(trials, found, units), *_by_kind(trials, found, units, given.settings.least)]
    if groups is not None:
        findings += _of_groups(groups)
    exhibits = [*kinds_exhibit(findings), *mistaken_exhibit(given, trials, found, given.settings.shown)]
    return Answer(findings, exhibits, [*_unwinnable(given, trials), *_guessing(given, findings)])


def _whole(trials: Trials, found: Outcomes, units: Indices) -> Iterator[Finding]:
    yield _share("right_caption", found.right, units)
    yield Finding("chance", float(trials.chance().mean()), len(trials), higher_is_better=None)
    several = ~np.isnan(found.text_lead)
    if several.any():
        _, mine = np.unique(units[several], return_inverse=True)
        yield _share("text_only_right", found.text_right[several], mine)


def _by_kind(trials: Trials, found: Outcomes, units: Indices, least: int) -> Iterator[Finding]:
    kinds, chance = np.array(trials.kinds), trials.chance()
    for kind in sorted(set(trials.kinds) - {""}):
        mine = kinds == kind
        if mine.sum() >= least and not mine.all():
            _, own = np.unique(units[mine], return_inverse=True)
            yield _share("right_caption", found.right[mine], own, {"kind": kind})
            yield Finding("chance", float(chance[mine].mean()), int(mine.sum()), slice={"kind": kind}, higher_is_better=None)


def _of_groups(groups: Crossed) -> Iterator[Finding]:
    """As Winoground counts: every picture finds its caption; every caption its picture; both. Guessing gets 1/4, 1/4 and 1/6
    with two: n! orders of a picture's scores, of which one puts the own first in each line, need not be independent."""
    units = np.arange(len(groups.names))
    for name, right in (("group_text", groups.text), ("group_picture", groups.picture), ("group_right", groups.both)):
        yield _share(name, right, units)
    if (groups.sizes == 2).all():
        for name, chance in (("group_text", 1 / 4), ("group_picture", 1 / 4), ("group_right", 4 / factorial(4))):
            yield Finding(f"{name}_chance", chance, len(units), higher_is_better=None)


def _share(metric: str, right: Flags, units: Indices, where: dict[str, object] | None = None) -> Finding:
    share = clustered_share(right, units)
    return Finding(metric, share.value, share.n, share.estimate.low, share.estimate.high, where or {}, interval=HOW)


def _unwinnable(given: Given, trials: Trials) -> list[Notice]:
    if not trials.unwinnable:
        return []
    what = (
        f"{counted(trials.unwinnable, 'picture')} with a foil that says the same as a caption, counted as wrong for every model"
    )
    return [Notice(given.dataset.name, what, "take those foils out of the file")]


def _guessing(given: Given, findings: Sequence[Finding]) -> list[Notice]:
    chance = {str(f.slice): f.value for f in findings if f.metric == "chance"}
    poor = [
        str(f.slice.get("kind") or "all")
        for f in findings
        if f.metric == "right_caption" and f.low is not None and f.low <= (chance.get(str(f.slice)) or 0.0)
    ]
    if not poor:
        return []
    what = f"{given.model} is not told from one that guesses: {', '.join(poor)}"
    return [Notice(given.dataset.name, what, "do not rely on it where these words decide")]
