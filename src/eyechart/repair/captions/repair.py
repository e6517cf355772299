"""A caption repair: measure every way on both halves, choose on the selection half, report the held-out half."""

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
from eyechart.probes.contract import ProbeInput
from eyechart.repair.captions.caption_tasks import CaptionTasks, caption_tasks
from eyechart.repair.captions.choosing import Scores, choose, scores
from eyechart.repair.captions.listings import Listing
from eyechart.repair.captions.matching import match
from eyechart.repair.captions.metrics import OF_PURPOSE
from eyechart.repair.captions.retrieval import retrieve
from eyechart.repair.captions.settings import AUTO, PURPOSES, CaptionSettings
from eyechart.repair.captions.trial_results import TrialResults
from eyechart.repair.captions.vectors import AS_IS

OVERALL = {"matching": "all trials", "retrieval": "R@1, both directions"}  # purpose → the slice of its overall value


@dataclass(frozen=True, eq=False)
class CaptionsRepaired:
    """The result of a caption repair.

    chosen: The chosen way, or "as is" where no other is significantly better.
    purposes: What it was chosen for.
    scores: Purpose → way → mean share of trials passed, on the selection half and on the held-out half.
    trial_counts: Purpose → number of trials on the selection half and on the held-out half.
    gains: Way → gain over the original captions for the purposes, on the selection half.
    findings: All metrics, on the held-out half.
    pictures: Pictures of the held-out half.
    examples: Captions that were encoded differently.
    trials: Kind of matching trial → an example of a true and a false caption.
    notices: Warnings, each with a remedy.
    """

    chosen: str
    purposes: tuple[str, ...]
    scores: dict[str, dict[str, tuple[float, float]]]
    trial_counts: dict[str, tuple[int, int]]
    gains: dict[str, Finding]
    findings: list[Finding]
    pictures: int
    examples: list[Listing]
    trials: dict[str, tuple[str, str]]
    notices: list[Notice]

    @property
    def ways(self) -> list[str]:
        """The ways that were compared with the original captions."""
        return list(self.gains)


def choose_way(inputs: ProbeInput[Any], settings: CaptionSettings) -> CaptionsRepaired:
    """Choose a way to encode captions on one half of the pictures, and measure it on the other."""
    tasks = caption_tasks(inputs.dataset, settings)
    inputs.texts(tasks.texts(settings))  # encode all at once, not way by way
    selection, held_out = _halves(inputs, tasks, settings)
    measured = tuple(p for p in PURPOSES if all(any(t.purpose == p for t in half) for half in (selection, held_out)))
    purposes = tuple(p for p in measured if settings.purpose in (AUTO, p))
    if not purposes:
        raise DataError(f"{inputs.dataset.name}: too few pictures have trials to fill both halves; add pictures")
    of_selection, of_held_out = ({p: scores(half, [p], inputs.units) for p in measured} for half in (selection, held_out))
    own = scores(selection, purposes, inputs.units)
    others = [of_selection[p] for p in measured if p not in purposes]
    chosen = choose(own, others) if settings.way == AUTO else settings.way
    return CaptionsRepaired(
        chosen,
        purposes,
        {p: {way: (of_selection[p][way].value, of_held_out[p][way].value) for way in of_selection[p]} for p in measured},
        {p: (of_selection[p][AS_IS].n, of_held_out[p][AS_IS].n) for p in measured},
        {way: _gain(own, way) for way in own if way != AS_IS},
        [*_overall(of_held_out), *(f for results in held_out for f in compared(results, inputs.units))],
        len(np.unique(np.concatenate([inputs.units[results.rows] for results in held_out]))),
        _examples(tasks),
        {kind: (true[0], tasks.trials.wrong[kind][0]) for kind, true in tasks.trials.right.items()} if tasks.trials else {},
        _notices(inputs, tasks),
    )


def _gain(own: Scores, way: str) -> Finding:
    low, high = share_difference(own[way], own[AS_IS])
    return Finding(
        metric="selection_half_gain",
        value=own[way].value - own[AS_IS].value,
        n=own[way].n,
        low=low,
        high=high,
        slice={"captions": way},
        interval=HOW_TWO,
        baseline=AS_IS,
    )


def _overall(held_out: dict[str, dict[str, ClusteredShare]]) -> Iterator[Finding]:
    """The overall value of every purpose."""
    for purpose, shares in held_out.items():
        yield from _findings(purpose, OVERALL[purpose], shares)


def _halves(
    inputs: ProbeInput[Any], tasks: CaptionTasks, settings: CaptionSettings
) -> tuple[list[TrialResults], list[TrialResults]]:
    """All trials on the selection half and on the held-out half; copies of a picture are in one half."""
    selected = stratified_split(np.zeros(len(inputs.images), np.int64), seed=settings.seed, clusters=inputs.units)
    matched = match(inputs, tasks.trials, settings) if tasks.trials else []
    halves = []
    for members in (selected, ~selected):
        retrieved = retrieve(inputs, tasks.queries, members, settings) if tasks.queries else []
        halves.append([results for results in (*(m.subset(members) for m in matched), *retrieved) if len(results.rows)])
    return halves[0], halves[1]


def compared(results: TrialResults, clusters: Indices) -> Iterator[Finding]:
    """The share of trials passed with every way, and the paired differences from the original captions."""
    units = clusters[results.rows]
    shares = {way: clustered_share(hits, units) for way, hits in results.hits.items()}
    yield from _findings(results.purpose, results.name, shares)


def _findings(purpose: str, trial: str, shares: dict[str, ClusteredShare]) -> Iterator[Finding]:
    before, metric = shares[AS_IS], OF_PURPOSE[purpose]
    for way, share in shares.items():
        where, estimate = {"trial": trial, "captions": way}, share.estimate
        yield Finding(
            metric=metric, value=share.value, n=share.n, low=estimate.low, high=estimate.high, slice=where, interval=HOW
        )
        if way != AS_IS:
            low, high = share_difference(share, before)
            yield Finding(
                metric=f"{metric}_change",
                value=share.value - before.value,
                n=share.n,
                low=low,
                high=high,
                slice=where,
                interval=HOW_TWO,
                baseline=AS_IS,
            )


def _examples(tasks: CaptionTasks) -> list[Listing]:
    """The first caption of two objects, of three, and so on."""
    return [*{len(one.objects): one for one in reversed(tasks.listings)}.values()][::-1]


def _notices(inputs: ProbeInput[Any], tasks: CaptionTasks) -> list[Notice]:
    notices = []
    if tasks.queries is not None and (others := int((~tasks.queries.is_listing).sum())):
        what = f"{counted(others, 'caption')} of {len(tasks.queries.texts)} do more than list objects, or list none"
        notices.append(Notice(inputs.dataset.name, what, "they are encoded unchanged, and stay candidates for retrieval"))
    elif tasks.queries is None and inputs.dataset.has("captions"):
        notices.append(Notice(inputs.dataset.name, "no caption is a plain list of objects", "only matching was measured"))
    if cut := int(inputs.truncated(tasks.captions).sum()):
        what = f"{counted(cut, 'caption')} longer than the text encoder's context: the last objects are truncated"
        notices.append(Notice(inputs.model, what, "the mean over orders includes them in some orders"))
    return notices
