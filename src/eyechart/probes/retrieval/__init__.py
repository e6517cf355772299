"""Retrieval: a caption looks for its picture among all pictures, and a picture for its caption among all captions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.medians import median_interval
from eyechart.metrics.intervals.slices import slice_share
from eyechart.metrics.ranking.retrieval import chance_of_recall
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.retrieval.exhibits import part_exhibit, recall_exhibit, worst_exhibit
from eyechart.probes.retrieval.metrics import METRICS
from eyechart.probes.retrieval.queries import Direction, retrieve
from eyechart.probes.tasks.captions import Captions, captions_of
from eyechart.probes.tasks.parts import Part, parts_of


@dataclass(frozen=True)
class Settings:
    """`shared`: what is right where pictures share a caption, "any" of them or their "own" alone. `least`: queries that a slice
    needs to be reported. `shown`: captions shown with the picture they find. `resamples`, `seed`: of the bootstrap."""

    shared: str = "any"
    least: int = 20
    shown: int = 12
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.shared not in ("any", "own"):
            raise ValueError(f"shared is {self.shared!r}; choose 'any' or 'own'")
        if self.least < 2 or self.shown < 0 or self.resamples < 1 or self.seed < 0:
            raise ValueError("least is a whole number from 2 up, shown and seed from 0 up, resamples from 1 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return captions_of(request.dataset).distinct if request.dataset.has("captions") else ()


@probe(
    version=1,
    needs=("images", "texts", "captions"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("text_to_image_r1", "image_to_text_r1"),
    prompts=False,
)
def retrieval(inputs: ProbeInput[Settings]) -> Answer:
    """How often does a caption find its picture, and a picture its caption?

    The score is the cosine; captions are said as they are, without a prompt. A query hits at k if a right answer is among the
    first k, with ties counted against the model. A caption that stands under several pictures is right for all of them.
    """
    settings: Settings = inputs.settings
    captions = captions_of(inputs.dataset)
    if len(np.unique(inputs.clusters)) < 2 or len(captions.distinct) < 2:
        raise NotApplicable(
            "retrieval needs two different pictures and two captions at least, or there is nothing to choose from"
        )
    retrieved = retrieve(inputs, captions, merge=settings.shared == "any")
    directions = (retrieved.from_text, retrieved.from_image)
    findings = [f for one in directions for f in _whole(one, settings)]
    sliced = list(_by_part(directions, inputs))
    exhibits = [
        recall_exhibit(*directions, seed=settings.seed, resamples=settings.resamples),
        *part_exhibit([f for _, f in sliced], [part.title for part, _ in sliced]),
        *worst_exhibit(retrieved.from_text, captions, retrieved.found, inputs.dataset.ids(), settings.shown),
    ]
    notices = [*_notices(inputs, captions), *_guessing(inputs, findings)]
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
    """How much better or worse the queries of a part do than all of them."""
    members = part.members[one.rows]
    beside = slice_share(one.ranks < 1, members, clusters=one.clusters, seed=settings.seed, resamples=settings.resamples)
    (low, high), how = beside.gap_interval()
    return Finding(
        metric=f"{one.name}_r1_gap", value=beside.gap, n=beside.n, low=low, high=high, interval=how, baseline="all queries"
    )


def _notices(inputs: ProbeInput[Settings], captions: Captions) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    shared = captions.shared(inputs.clusters)
    if shared:
        counts = "count as right for each of them" if inputs.settings.shared == "any" else "count as right for their own alone"
        what = f"{counted(len(shared), 'caption')} under several pictures, word for word: {shortened(shared)}"
        notices.append(Notice(where, what, f"they {counts}; the setting retrieval.shared chooses"))
    mute = len(inputs.dataset) - len(np.unique(captions.rows))
    if mute:
        what = f"{counted(mute, 'picture')} without a caption"
        notices.append(Notice(where, what, "they can be found by a wrong caption, and are not looked for themselves"))
    copies = len(inputs.clusters) - len(np.unique(inputs.clusters))
    if copies:
        what = f"{counted(copies, 'picture')} that another one equals, byte for byte"
        kept = "each counts as one with its copies" if inputs.settings.shared == "any" else "they tie, which counts as a miss"
        notices.append(Notice(where, what, kept))
    return notices


def _guessing(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    """A warning where the model is not told apart from one that draws its answers from a hat."""
    value = {f.metric: f for f in findings}
    notices = []
    for name in ("text_to_image", "image_to_text"):
        found, chance = value.get(f"{name}_r1"), value.get(f"{name}_r1_chance")
        if found and chance and (found.low or 0.0) <= (chance.value or 0.0):
            what = f"{inputs.model} does no better than guessing from {name.replace('_', ' ')}"
            told = f"{found.value:.1%} against {chance.value:.1%}"
            notices.append(Notice(inputs.dataset.name, f"{what}: {told}", "check that captions say what the pictures show"))
    return notices
