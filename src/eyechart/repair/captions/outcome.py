"""A repair of captions from top to bottom: try every way on both halves, choose by the one, measure on the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.notice import Notice, counted
from eyechart.probes.probe import ProbeInput
from eyechart.repair.captions.choosing import Scores, choose, scores
from eyechart.repair.captions.matching import match
from eyechart.repair.captions.questions import CaptionQuestions, caption_questions
from eyechart.repair.captions.retrieval import retrieve
from eyechart.repair.captions.settings import AUTO, PURPOSES, CaptionSettings
from eyechart.repair.captions.trials import Tried
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.captions.wordings import Listing

WHOLE = {"matching": "all trials", "retrieval": "R@1, both directions"}  # what each purpose is called as a whole


@dataclass(frozen=True, eq=False)
class CaptionsRepaired:
    """`chosen`: the way that was taken, or "as is" where no other did better beyond chance. `purposes`: what it was chosen for.
    `scores`: for every purpose that was measured and every way, the mean share over its trials on the half looked at and on the
    held-out one; `asked`: how many trials of each purpose these are. `gains`: of every other way over captions as they are, at
    what was chosen for, on the half looked at. `findings` are of the held-out half alone; `pictures`: how many it has.
    `examples`: captions that were said anew; `trials`: of each kind of matching trial a right and a wrong caption."""

    chosen: str
    purposes: tuple[str, ...]
    scores: dict[str, dict[str, tuple[float, float]]]
    asked: dict[str, tuple[int, int]]
    gains: dict[str, Finding]
    findings: list[Finding]
    pictures: int
    examples: list[Listing]
    trials: dict[str, tuple[str, str]]
    notices: list[Notice]

    @property
    def ways(self) -> list[str]:
        """That were tried, without captions as they are."""
        return list(self.gains)


def repair_wording(inputs: ProbeInput[Any], settings: CaptionSettings) -> CaptionsRepaired:
    asked = caption_questions(inputs.dataset, settings)
    inputs.texts(asked.said(settings))  # all at once, not way by way
    looked, held_out = _halves(inputs, asked, settings)
    measured = tuple(p for p in PURPOSES if all(any(t.purpose == p for t in half) for half in (looked, held_out)))
    purposes = tuple(p for p in measured if settings.purpose in (AUTO, p))
    if not purposes:
        raise DataError(f"{inputs.dataset.name}: too few pictures can be asked about to have some in both halves; give more")
    there, here = ({p: scores(half, [p], inputs.clusters) for p in measured} for half in (looked, held_out))
    own = scores(looked, purposes, inputs.clusters)
    chosen = choose(own, [there[p] for p in measured if p not in purposes]) if settings.way == AUTO else settings.way
    return CaptionsRepaired(
        chosen,
        purposes,
        {p: {way: (there[p][way].value, here[p][way].value) for way in there[p]} for p in measured},
        {p: (there[p][AS_IS].n, here[p][AS_IS].n) for p in measured},
        {way: _gain(own, way) for way in own if way != AS_IS},
        [*_wholes(here), *(f for tried in held_out for f in compared(tried, inputs.clusters))],
        len(np.unique(np.concatenate([inputs.clusters[tried.rows] for tried in held_out]))),
        _examples(asked),
        {kind: (said[0], asked.trials.wrong[kind][0]) for kind, said in asked.trials.right.items()} if asked.trials else {},
        _notices(inputs, asked),
    )


def _gain(own: Scores, way: str) -> Finding:
    low, high = share_difference(own[way], own[AS_IS])
    value, where = own[way].value - own[AS_IS].value, {"captions": way}
    return Finding(
        metric="gain_looked_at", value=value, n=own[way].n, low=low, high=high, slice=where, interval=HOW_TWO, baseline=AS_IS
    )


def _wholes(here: dict[str, dict[str, ClusteredShare]]) -> Iterator[Finding]:
    """Every purpose as a whole, before its parts."""
    for purpose, shares in here.items():
        yield from _findings(purpose, WHOLE[purpose], shares)


def _halves(inputs: ProbeInput[Any], asked: CaptionQuestions, settings: CaptionSettings) -> tuple[list[Tried], list[Tried]]:
    """Every test on the half of the pictures that may be looked at, and on the other one; copies of a picture in one half."""
    looked = stratified_split(np.zeros(len(inputs.images), np.int64), seed=settings.seed, clusters=inputs.clusters)
    matched = match(inputs, asked.trials, settings) if asked.trials else []
    halves = []
    for members in (looked, ~looked):
        retrieved = retrieve(inputs, asked.queries, members, settings) if asked.queries else []
        halves.append([tried for tried in (*(t.subset(members) for t in matched), *retrieved) if len(tried.rows)])
    return halves[0], halves[1]


def compared(tried: Tried, clusters: Indices) -> Iterator[Finding]:
    """The share of trials passed with captions as they are, in every other way, and the difference, picture by picture."""
    units = clusters[tried.rows]
    shares = {way: clustered_share(hits, units) for way, hits in tried.hits.items()}
    yield from _findings(tried.purpose, tried.name, shares)


def _findings(purpose: str, name: str, shares: dict[str, ClusteredShare]) -> Iterator[Finding]:
    before = shares[AS_IS]
    for way, share in shares.items():
        where, estimate = {"trial": name, "captions": way}, share.estimate
        yield Finding(
            metric=purpose, value=share.value, n=share.n, low=estimate.low, high=estimate.high, slice=where, interval=HOW
        )
        if way != AS_IS:
            low, high = share_difference(share, before)
            value = share.value - before.value
            yield Finding(
                metric=f"{purpose}_change",
                value=value,
                n=share.n,
                low=low,
                high=high,
                slice=where,
                interval=HOW_TWO,
                baseline=AS_IS,
            )


def _examples(asked: CaptionQuestions) -> list[Listing]:
    """The first captions of two things, of three, and so on."""
    found = asked.listings
    return [*{len(one.things): one for one in reversed(found)}.values()][::-1]


def _notices(inputs: ProbeInput[Any], asked: CaptionQuestions) -> list[Notice]:
    notices = []
    if asked.queries is not None and (others := int((~asked.queries.lists).sum())):
        what = f"{counted(others, 'caption')} of {len(asked.queries.texts)} that list nothing, or more than that"
        notices.append(Notice(inputs.dataset.name, what, "they stay as they are, and are looked for among the others"))
    elif asked.queries is None and inputs.dataset.has("captions"):
        notices.append(Notice(inputs.dataset.name, "not one caption does nothing but list things", "only matching was measured"))
    if cut := int(inputs.truncated(asked.captions).sum()):
        what = f"{counted(cut, 'caption')} longer than the model's context: what is named last is not heard"
        notices.append(Notice(inputs.model, what, "the mean over orders hears it in some of them"))
    return notices
