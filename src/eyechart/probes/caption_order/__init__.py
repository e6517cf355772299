"""Caption order: do captions name the largest thing in the picture first? About data alone; the model is not asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, clustered_share
from eyechart.metrics.intervals.paired_differences import mean_difference
from eyechart.metrics.intervals.within_groups import HOW as HOW_WITHIN
from eyechart.metrics.intervals.within_groups import effect_within
from eyechart.notice import Notice, counted
from eyechart.probes.caption_order.exhibits import position_exhibit
from eyechart.probes.caption_order.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.caption_names import Reader, by_endpoint, by_list, wordings
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.objects import plain_name, things_by_name

MOST_NAMES = 8
AREAS = ("largest", "sum")


@dataclass(frozen=True)
class Settings:
    """`areas`: the size of a name that stands for several things in a picture, that of the largest or their sum. `most`: captions
    that are read. `least`: captions of a count that are reported. `endpoint`, `model`: a language model that reads the names out
    of captions, where given; `replies`: the folder that its replies are kept in; `offline`: nothing is sent to it."""

    areas: str = "largest"
    most: int = 100_000
    least: int = 20
    endpoint: str = ""
    model: str = ""
    replies: str = ""
    offline: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.areas not in AREAS:
            raise ValueError(f"areas is {self.areas!r}; choose one of {', '.join(AREAS)}")
        if bool(self.endpoint) != bool(self.model):
            raise ValueError("endpoint and model belong together: the address, and the model that is asked there")
        if min(self.most, self.least) < 1 or self.seed < 0:
            raise ValueError("most and least are whole numbers from 1 up, seed from 0 up")


@dataclass(frozen=True)
class Told:
    """A caption that names several things of its picture: `names` in the order in which they are said, and their areas."""

    row: int
    names: tuple[str, ...]
    areas: tuple[float, ...]

    @property
    def largest(self) -> int | None:
        """The position of the largest; None where two are equally large."""
        place = int(np.argmax(self.areas))
        return place if self.areas.count(self.areas[place]) == 1 else None


@probe(version=2, needs=("captions", "objects"), settings=Settings(), metrics=METRICS, headline=("largest_first", "size_effect"))
def caption_order(inputs: ProbeInput[Settings]) -> Answer:
    """Do captions name the largest thing first?

    Captions that name two things of their picture or more: at which position the largest stands (claim 2 of Abbasi et al.,
    2025). And, since people are both large and named first: of two given names, how much oftener is one said first when it is the
    larger of the two than when it is the smaller?
    """
    settings: Settings = inputs.settings
    read, unread, seen = _read(inputs)
    told = [caption for caption in read if caption.largest is not None]
    if len({inputs.clusters[caption.row] for caption in told}) < settings.least:
        raise NotApplicable(f"fewer than {settings.least} pictures have a caption that names two of their things")
    counts = sorted({len(caption.names) for caption in told})
    by_count = {n: [c for c in told if len(c.names) == n] for n in counts}
    positions = [f for n, part in by_count.items() if len(part) >= settings.least for f in _positions(part, inputs.clusters)]
    findings = [*_first(told, inputs.clusters), *_within(read, inputs.clusters), *positions]
    return Answer(findings, position_exhibit(findings), _notices(inputs, seen, unread, len(read) - len(told)))


def _read(inputs: ProbeInput[Settings]) -> tuple[list[Told], int, int]:
    """Captions that name two things of their picture or more; how many could not be read; and how many were looked at."""
    settings: Settings = inputs.settings
    size = max if settings.areas == "largest" else sum
    areas = [{name: float(size(of)) for name, of in seen.items()} for seen in things_by_name(inputs.dataset)]
    captions = captions_of(inputs.dataset)
    places = np.sort(np.random.default_rng(settings.seed).permutation(len(captions.said))[: settings.most])
    names = sorted({name for of_picture in areas for name in of_picture})
    if not names:
        raise NotApplicable("the dataset does not say how large its objects are")
    answers = _reader(inputs, names)([captions.said[i] for i in places])
    told = []
    for place, answer in zip(places, answers, strict=True):
        row = int(captions.rows[place])
        here = [name for name in answer or () if name in areas[row]][:MOST_NAMES]
        if len(here) > 1:
            told.append(Told(row, tuple(here), tuple(areas[row][name] for name in here)))
    return told, sum(answer is None for answer in answers), len(places)


def _reader(inputs: ProbeInput[Settings], names: Sequence[str]) -> Reader:
    settings: Settings = inputs.settings
    known = {wording: plain_name(name) for wording, name in wordings(inputs.dataset, names).items()}
    if not settings.endpoint:
        return by_list(known)
    return by_endpoint(known, settings.endpoint, settings.model, settings.replies, offline=settings.offline)


def _first(told: Sequence[Told], clusters: Indices) -> Iterator[Finding]:
    hits = np.array([caption.largest == 0 for caption in told], float)
    by_chance = np.array([1 / len(caption.names) for caption in told])
    pictures = _pictures(told, clusters)
    share = clustered_share(hits, pictures)
    low, high = share.estimate.low, share.estimate.high
    yield Finding(metric="largest_first", value=share.value, n=share.n, low=low, high=high, interval=HOW)
    yield Finding(metric="largest_first_chance", value=float(by_chance.mean()), n=len(told))
    lead, (low, high) = mean_difference(hits, by_chance, pictures)
    how = "normal, over pictures, 95%"
    yield Finding(
        metric="largest_first_difference",
        value=lead,
        n=len(told),
        low=low,
        high=high,
        slice={},
        interval=how,
        baseline="an order that says nothing",
    )


def _within(read: Sequence[Told], clusters: Indices) -> Iterator[Finding]:
    """Of two given names, how much oftener one is said first when it is the larger than when it is the smaller."""
    rows: list[tuple[str, bool, bool, int]] = []
    for caption in read:
        for i, j in zip(*np.triu_indices(len(caption.names), 1), strict=True):
            (a, area_a, place_a), (b, area_b, place_b) = sorted((caption.names[k], caption.areas[k], int(k)) for k in (i, j))
            if area_a != area_b:
                rows.append((f"{a}\0{b}", place_a < place_b, area_a > area_b, int(clusters[caption.row])))
    if not rows:
        return
    pair, first, larger, picture = (np.array(column) for column in zip(*rows, strict=True))
    effect, (low, high), n = effect_within(first, larger, pair, clusters=picture)
    if np.isfinite([effect, low, high]).all():
        yield Finding(
            metric="size_effect",
            value=effect,
            n=n,
            low=low,
            high=high,
            slice={},
            interval=HOW_WITHIN,
            baseline="the same two names, sizes exchanged",
        )


def _positions(told: Sequence[Told], clusters: Indices) -> Iterator[Finding]:
    count, pictures = len(told[0].names), _pictures(told, clusters)
    for position in range(count):
        share = clustered_share([caption.largest == position for caption in told], pictures)
        where: dict[str, object] = {"count": count, "position": position + 1}
        low, high = share.estimate.low, share.estimate.high
        yield Finding(metric="largest_at_position", value=share.value, n=share.n, low=low, high=high, slice=where, interval=HOW)


def _pictures(told: Sequence[Told], clusters: Indices) -> Indices:
    return np.unique([clusters[caption.row] for caption in told], return_inverse=True)[1].astype(np.int64)


def _notices(inputs: ProbeInput[Settings], seen: int, unread: int, ties: int) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if unread:
        what = f"{counted(unread, 'reply', 'replies')} of {seen} without a list of names, left out"
        notices.append(Notice(where, what, "look into the folder of replies, or choose another model"))
    if ties:
        what = f"{counted(ties, 'caption')} whose two largest things are equally large, left out of shares by position"
        notices.append(Notice(where, what, "nothing to do, unless areas were rounded"))
    return notices
