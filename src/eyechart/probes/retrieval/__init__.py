"""Retrieval: captions retrieve their picture among all pictures, and pictures their caption among all captions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.medians import median_interval
from eyechart.metrics.intervals.slices import slice_share
from eyechart.metrics.ranking.retrieval import chance_of_recall
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.retrieval.exhibits import part_exhibit, recall_exhibit, worst_exhibit
from eyechart.probes.retrieval.metrics import METRICS
from eyechart.probes.retrieval.missed_queries import missed_queries
from eyechart.probes.retrieval.queries import Direction, retrieve
from eyechart.probes.tasks.captions import Captions, captions_of
from eyechart.probes.tasks.parts import Part, parts_of


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `retrieval`.

    shared: What is correct where pictures share a caption: "any" of them, or their "own" only.
    least: Queries that a part of the dataset needs to be reported.
    shown: Captions on the page with the picture they retrieve.
    resamples: Bootstrap resamples.
    seed: The seed of the bootstrap.
    """

    shared: str = "any"
    least: int = 20
    shown: int = 12
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.shared not in ("any", "own"):
            raise ValueError(f"shared is {self.shared!r}; choose 'any' or 'own'")
        if self.least < 2 or self.shown < 0 or self.resamples < 1 or self.seed < 0:
            raise ValueError("least must be at least 2, resamples at least 1, shown and seed at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return captions_of(request.dataset).distinct if request.dataset.has("captions") else ()


@probe(
    version=1,
    needs=("images", "texts", "captions"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("retrieval", "paper"),
    texts=texts,
    headline=("text_to_image_r1", "image_to_text_r1"),
    prompts=False,
)
def retrieval(inputs: ProbeInput[Settings]) -> Answer:
    """How often does a caption retrieve its picture, and a picture its caption?

    The score is the cosine; captions are encoded without a template. A query is a hit at k if a correct answer is among the first
    k results. Ties count against the model. A caption of several pictures is correct for all of them.
    """
    settings: Settings = inputs.settings
    captions = captions_of(inputs.dataset)
    if len(np.unique(inputs.clusters)) < 2 or len(captions.distinct) < 2:
        raise NotApplicable("retrieval needs at least two different pictures and two different captions")
    retrieved = retrieve(inputs, captions, merge=settings.shared == "any")
    directions = (retrieved.from_text, retrieved.from_image)
    findings = [f for one in directions for f in _whole(one, settings)]
    sliced = list(_by_part(directions, inputs))
    exhibits = [
        recall_exhibit(*directions, seed=settings.seed, resamples=settings.resamples),
        *part_exhibit([f for _, f in sliced], [part.title for part, _ in sliced]),
        *worst_exhibit(retrieved.from_text, captions, retrieved.found, inputs.dataset.ids(), settings.shown),
        *missed_queries(inputs, captions, retrieved),
    ]
    notices = [*_notices(inputs, captions), *_near_chance(inputs, findings)]
    return Answer([*findings, *(f for _, f in sliced)], exhibits, notices)


def _whole(one: Direction, settings: Settings) -> Iterator[Finding]:
    for k in one.lengths():
        yield one.recall(k, seed=settings.seed, resamples=settings.resamples)
        by_chance = chance_of_recall(one.candidates, one.right, k)
        yield Finding(metric=f"{one.name}_r{k}_chance", value=by_chance, n=len(one.ranks))
    places = one.ranks + 1
    low, high = median_interval(places, clusters=one.clusters)
    yield Finding(
        metric=f"{one.name}_median_rank",
        value=float(np.median(places)),
        n=len(places),
        low=None if np.isnan(low) else low,
        high=None if np.isnan(high) else high,
        interval="Woodruff over pictures, 95%",
    )


def _by_part(directions: Sequence[Direction], inputs: ProbeInput[Settings]) -> Iterator[tuple[Part, Finding]]:
    settings: Settings = inputs.settings
    for part in parts_of(inputs.dataset):
        for one in directions:
            few = one.subset(part.members)
            if settings.least <= len(few.ranks) < len(one.ranks):
                found = [few.recall(k, seed=settings.seed, resamples=settings.resamples) for k in one.lengths()]
                for finding in [*found, _gap(one, part, settings)]:
                    yield part, replace(finding, slice=part.slice)


def _gap(one: Direction, part: Part, settings: Settings) -> Finding:
    """R@1 of the queries of a part minus R@1 of all queries."""
    members = part.members[one.rows]
    found = slice_share(one.ranks < 1, members, clusters=one.clusters, seed=settings.seed, resamples=settings.resamples)
    (low, high), how = found.gap_interval()
    return Finding(
        metric=f"{one.name}_r1_gap", value=found.gap, n=found.n, low=low, high=high, interval=how, baseline="all queries"
    )


def _notices(inputs: ProbeInput[Settings], captions: Captions) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    shared = captions.shared(inputs.clusters)
    if shared:
        counts = "each of these pictures" if inputs.settings.shared == "any" else "their own picture only"
        what = f"{counted(len(shared), 'caption')} shared by several pictures: {shortened(shared)}"
        notices.append(Notice(where, what, f"{counts} counts as correct; see the setting retrieval.shared"))
    without = len(inputs.dataset) - len(np.unique(captions.rows))
    if without:
        what = f"{counted(without, 'picture')} without a caption"
        notices.append(Notice(where, what, "they are candidates, but not queries"))
    copies = len(inputs.clusters) - len(np.unique(inputs.clusters))
    if copies:
        what = f"{counted(copies, 'picture')} identical to another, byte for byte"
        kept = "copies count as one picture" if inputs.settings.shared == "any" else "copies tie, which counts as a miss"
        notices.append(Notice(where, what, kept))
    return notices


def _near_chance(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    """A warning where R@1 is not above chance at 95% confidence."""
    value = {f.metric: f for f in findings}
    notices = []
    for name in ("text_to_image", "image_to_text"):
        found, chance = value.get(f"{name}_r1"), value.get(f"{name}_r1_chance")
        if found and chance and (found.low or 0.0) <= (chance.value or 0.0):
            what = f"{inputs.model} is not above chance in {name.replace('_', '-')} retrieval"
            values = f"R@1 {percent(found.value)}, chance {percent(chance.value)}"
            notices.append(Notice(inputs.dataset.name, f"{what}: {values}", "check that captions describe their pictures"))
    return notices
