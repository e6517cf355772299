"""Retrieval: a caption looks for its picture among all pictures, and a picture for its caption among all captions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.medians import median_interval
from eyechart.metrics.retrieval import chance_of_recall
from eyechart.metrics.slices import slice_share
from eyechart.notice import Notice, counted, shortened
from eyechart.probes._captions import Captions, captions_of
from eyechart.probes._parts import Part, parts_of
from eyechart.probes._retrieval_exhibits import part_exhibit, recall_exhibit, worst_exhibit
from eyechart.probes._retrieval_queries import Direction, retrieve
from eyechart.probes.probe import Answer, Asked, Given, NotApplicable, probe


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


def texts(asked: Asked) -> Sequence[str]:
    return captions_of(asked.dataset).distinct if asked.dataset.has("captions") else ()


@probe(
    version=1,
    needs=("images", "texts", "captions"),
    settings=Settings(),
    texts=texts,
    headline=("text_to_image_r1", "image_to_text_r1"),
    prompts=False,
)
def retrieval(given: Given) -> Answer:
    """How often does a caption find its picture, and a picture its caption?

    The score is the cosine; captions are said as they are, without a prompt. A query hits at k if a right answer is among the
    first k, with ties counted against the model. A caption that stands under several pictures is right for all of them.
    """
    settings: Settings = given.settings
    captions = captions_of(given.dataset)
    if len(np.unique(given.clusters)) < 2 or len(captions.distinct) < 2:
        raise NotApplicable(
            "retrieval needs two different pictures and two captions at least, or there is nothing to choose from"
        )
    retrieved = retrieve(given, captions, merge=settings.shared == "any")
    directions = (retrieved.from_text, retrieved.from_image)
    findings = [f for one in directions for f in _whole(one, settings)]
    sliced = list(_by_part(directions, given))
    exhibits = [
        recall_exhibit(*directions, seed=settings.seed, resamples=settings.resamples),
        *part_exhibit([f for _, f in sliced], [part.title for part, _ in sliced]),
        *worst_exhibit(retrieved.from_text, captions, retrieved.found, given.dataset.ids(), settings.shown),
    ]
    notices = [*_notices(given, captions), *_guessing(given, findings)]
    return Answer([*findings, *(f for _, f in sliced)], exhibits, notices)


def _whole(one: Direction, settings: Settings) -> Iterator[Finding]:
    for k in one.lengths():
        yield one.recall(k, seed=settings.seed, resamples=settings.resamples)
        by_chance = chance_of_recall(one.candidates, one.right, k)
        yield Finding(f"{one.name}_r{k}_chance", by_chance, len(one.ranks), higher_is_better=None)
    places = one.ranks + 1
    low, high = median_interval(places, clusters=one.clusters)
    yield Finding(
        f"{one.name}_median_rank",
        float(np.median(places)),
        len(places),
        None if np.isnan(low) else low,
        None if np.isnan(high) else high,
        unit="rank",
        higher_is_better=False,
        interval="Woodruff over pictures, 95%",
    )


def _by_part(directions: Sequence[Direction], given: Given) -> Iterator[tuple[Part, Finding]]:
    settings: Settings = given.settings
    for part in parts_of(given.dataset):
        for one in directions:
            few = one.among(part.members)
            if settings.least <= len(few.ranks) < len(one.ranks):
                found = [few.recall(k, seed=settings.seed, resamples=settings.resamples) for k in one.lengths()]
                for finding in [*found, _gap(one, part, settings)]:
                    yield part, replace(finding, slice=part.slice)


def _gap(one: Direction, part: Part, settings: Settings) -> Finding:
    """How much better or worse the queries of a part do than all of them."""
    members = part.members[one.rows]
    beside = slice_share(one.ranks < 1, members, clusters=one.clusters, seed=settings.seed, resamples=settings.resamples)
    (low, high), how = beside.gap_interval()
    return Finding(f"{one.name}_r1_gap", beside.gap, beside.n, low, high, interval=how, baseline="all queries")


def _notices(given: Given, captions: Captions) -> list[Notice]:
    where, notices = given.dataset.name, []
    shared = captions.shared(given.clusters)
    if shared:
        counts = "count as right for each of them" if given.settings.shared == "any" else "count as right for their own alone"
        what = f"{counted(len(shared), 'caption')} under several pictures, word for word: {shortened(shared)}"
        notices.append(Notice(where, what, f"they {counts}; the setting retrieval.shared chooses"))
    mute = len(given.dataset) - len(np.unique(captions.rows))
    if mute:
        what = f"{counted(mute, 'picture')} without a caption"
        notices.append(Notice(where, what, "they can be found by a wrong caption, and are not looked for themselves"))
    copies = len(given.clusters) - len(np.unique(given.clusters))
    if copies:
        what = f"{counted(copies, 'picture')} that another one equals, byte for byte"
        kept = "each counts as one with its copies" if given.settings.shared == "any" else "they tie, which counts as a miss"
        notices.append(Notice(where, what, kept))
    return notices


def _guessing(given: Given, findings: Sequence[Finding]) -> list[Notice]:
    """A warning where the model is not told apart from one that draws its answers from a hat."""
    value = {f.metric: f for f in findings}
    notices = []
    for name in ("text_to_image", "image_to_text"):
        found, chance = value.get(f"{name}_r1"), value.get(f"{name}_r1_chance")
        if found and chance and (found.low or 0.0) <= (chance.value or 0.0):
            what = f"{given.model} does no better than guessing from {name.replace('_', ' ')}"
            told = f"{found.value:.1%} against {chance.value:.1%}"
            notices.append(Notice(given.dataset.name, f"{what}: {told}", "check that captions say what the pictures show"))
    return notices
