"""A repair of captions from top to bottom: try every way on both halves, choose by the one, measure on the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.halves import stratified_half
from eyechart.notice import Notice, counted
from eyechart.probes.probe import Given
from eyechart.repair.captions.matching import match
from eyechart.repair.captions.questions import CaptionQuestions, caption_questions
from eyechart.repair.captions.retrieval import retrieve
from eyechart.repair.captions.settings import AUTO, PURPOSES, CaptionSettings
from eyechart.repair.captions.trials import Indices, Tried, all_ways
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.captions.wordings import Listing


@dataclass(frozen=True, eq=False)
class CaptionsRepaired:
    """`chosen`: the way that was taken, or "as is" where no other did better beyond chance. `purposes`: what it was chosen for.
    `scores`: of every way, the mean share over the trials of those, on the half looked at and on the held-out one. `findings` are
    of the held-out half alone; `pictures`: how many it has. `examples`: captions that were said anew."""

    chosen: str
    purposes: tuple[str, ...]
    scores: dict[str, tuple[float, float]]
    findings: list[Finding]
    pictures: int
    examples: list[Listing]
    notices: list[Notice]


def repair_captions(given: Given, settings: CaptionSettings) -> CaptionsRepaired:
    asked = caption_questions(given.dataset, settings)
    given.texts(asked.said(settings))  # all at once, not way by way
    looked, held_out = _halves(given, asked, settings)
    purposes = tuple(p for p in PURPOSES if settings.purpose in (AUTO, p) and any(t.purpose == p for t in looked))
    there, here = (_scores(half, purposes, given.clusters, settings) for half in (looked, held_out))
    chosen = _choice(there) if settings.way == AUTO else settings.way
    return CaptionsRepaired(
        chosen,
        purposes,
        {way: (there[way].value, here[way].value) for way in there},
        [f for tried in held_out for f in compared(tried, given.clusters)],
        len(np.unique(np.concatenate([given.clusters[tried.rows] for tried in held_out]))),
        _examples(asked),
        _notices(given, asked),
    )


def _halves(given: Given, asked: CaptionQuestions, settings: CaptionSettings) -> tuple[list[Tried], list[Tried]]:
    """Every test on the half of the pictures that may be looked at, and on the other one; copies of a picture in one half."""
    looked = stratified_half(np.zeros(len(given.images), np.int64), seed=settings.seed, clusters=given.clusters)
    matched = match(given, asked.trials, settings) if asked.trials else []
    halves = []
    for members in (looked, ~looked):
        retrieved = retrieve(given, asked.queries, members, settings) if asked.queries else []
        halves.append([tried for tried in (*(t.among(members) for t in matched), *retrieved) if len(tried.rows)])
    return halves[0], halves[1]


def _scores(
    tried: Sequence[Tried], purposes: Sequence[str], clusters: Indices, settings: CaptionSettings
) -> dict[str, ClusteredShare]:
    """Of every way: each purpose weighs the same, and each kind of trial within it."""
    of = [[t for t in tried if t.purpose == purpose and t.counts] for purpose in purposes]
    weights = [1 / len(purposes) / len(kinds) for kinds in of for _ in kinds]
    kinds = [t for of_purpose in of for t in of_purpose]
    units = np.concatenate([clusters[t.rows] for t in kinds])
    groups = np.repeat(np.arange(len(kinds)), [len(t.rows) for t in kinds])
    return {
        way: clustered_share(np.concatenate([t.hits[way] for t in kinds]), units, groups=groups, weights=weights)
        for way in all_ways(settings)
    }


def _choice(scores: dict[str, ClusteredShare]) -> str:
    """The best of those whose gain chance alone does not bring; it costs many texts for one, so it has to earn them."""
    better = [way for way, share in scores.items() if way != AS_IS and share_difference(share, scores[AS_IS]).low > 0]
    return max(better, key=lambda way: scores[way].value) if better else AS_IS


def compared(tried: Tried, clusters: Indices) -> Iterator[Finding]:
    """The share of trials passed with captions as they are, in every other way, and the difference, picture by picture."""
    units = clusters[tried.rows]
    shares = {way: clustered_share(hits, units) for way, hits in tried.hits.items()}
    yield from _findings(tried.purpose, tried.name, shares)


def _findings(purpose: str, name: str, shares: dict[str, ClusteredShare]) -> Iterator[Finding]:
    before = shares[AS_IS]
    for way, share in shares.items():
        where, estimate = {"trial": name, "captions": way}, share.estimate
        yield Finding(purpose, share.value, share.n, estimate.low, estimate.high, where, interval=HOW)
        if way != AS_IS:
            low, high = share_difference(share, before)
            value = share.value - before.value
            yield Finding(f"{purpose}_change", value, share.n, low, high, where, "fraction", True, HOW_TWO, AS_IS)


def _examples(asked: CaptionQuestions) -> list[Listing]:
    """The first captions of two things, of three, and so on."""
    found = asked.listings
    return [*{len(one.things): one for one in reversed(found)}.values()][::-1]


def _notices(given: Given, asked: CaptionQuestions) -> list[Notice]:
    notices = []
    if asked.queries is not None and (others := int((~asked.queries.lists).sum())):
        what = f"{counted(others, 'caption')} of {len(asked.queries.texts)} that list nothing, or more than that"
        notices.append(Notice(given.dataset.name, what, "they stay as they are, and are looked for among the others"))
    elif asked.queries is None and given.dataset.has("captions"):
        notices.append(Notice(given.dataset.name, "not one caption does nothing but list things", "only matching was measured"))
    if cut := int(given.cut(asked.captions).sum()):
        what = f"{counted(cut, 'caption')} longer than the model's context: what is named last is not heard"
        notices.append(Notice(given.model, what, "the mean over orders hears it in some of them"))
    return notices
