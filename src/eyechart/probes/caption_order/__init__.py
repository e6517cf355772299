"""Caption order: whether captions name the largest object first. This is about the data; no model is used."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.paired_differences import mean_difference
from eyechart.metrics.intervals.within_groups import HOW as HOW_WITHIN
from eyechart.metrics.intervals.within_groups import effect_within
from eyechart.notice import Notice, counted
from eyechart.probes.caption_order.exhibits import position_exhibit
from eyechart.probes.caption_order.metrics import METRICS
from eyechart.probes.contract import Answer, LanguageModelRequest, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.caption_names import Reader, by_language_model, by_list, wordings
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.objects import object_areas, plain_name
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.wordings import all_wordings

MOST_NAMES = 8
AREAS = ("largest", "sum")


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `caption_order`.

    areas: The size of several objects of one name: that of the "largest", or their "sum".
    most: The largest number of captions that are read.
    least: Captions that a number of objects needs to be reported.
    endpoint: The address of a language model that reads the object names; empty for a list of names.
    model: The language model's name at that address.
    replies: The folder of stored replies.
    offline: Use stored replies only.
    seed: The seed of the sample.
    """

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
            raise ValueError("endpoint and model must be given together: the address, and the name of the model there")
        if min(self.most, self.least) < 1 or self.seed < 0:
            raise ValueError("most and least must be at least 1, seed at least 0")


@dataclass(frozen=True)
class NamedCaption:
    """A caption that names several objects of its picture.

    row: The row of the picture.
    names: The objects in the order of the caption.
    areas: Their areas.
    """

    row: int
    names: tuple[str, ...]
    areas: tuple[float, ...]

    @property
    def largest(self) -> int | None:
        """The position of the largest object; None where two are equally large."""
        place = int(np.argmax(self.areas))
        return place if self.areas.count(self.areas[place]) == 1 else None


def language_model(settings: Settings) -> LanguageModelRequest | None:
    """The language model that reads the object names, where the settings name one."""
    if not settings.endpoint:
        return None
    return LanguageModelRequest(settings.endpoint, settings.model, settings.replies, settings.offline)


@probe(
    version=3,
    needs=("captions", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    language_model=language_model,
    headline=("largest_first", "size_effect"),
)
def caption_order(inputs: ProbeInput[Settings]) -> Answer:
    """Do captions name the largest object first?

    For captions that name two or more objects of their picture: the position of the largest object (claim 2 of Abbasi et al.,
    2025). Some objects, such as people, are both large and named first. So the size effect compares the same two names: how much
    more often one is named first where it is the larger of the two.
    """
    settings: Settings = inputs.settings
    read, unread, seen = _read(inputs)
    ranked = [caption for caption in read if caption.largest is not None]
    if len({inputs.units[caption.row] for caption in ranked}) < settings.least:
        raise NotApplicable(f"fewer than {settings.least} pictures have a caption that names two of their objects")
    counts = sorted({len(caption.names) for caption in ranked})
    by_count = {n: [c for c in ranked if len(c.names) == n] for n in counts}
    positions = [f for n, part in by_count.items() if len(part) >= settings.least for f in _positions(part, inputs.units)]
    findings = [*_first(ranked, inputs.units), *_size_effect(read, inputs.units), *positions]
    return Answer(findings, position_exhibit(findings), _notices(inputs, seen, unread, len(read) - len(ranked)))


def _read(inputs: ProbeInput[Settings]) -> tuple[list[NamedCaption], int, int]:
    """Captions that name two or more objects of their picture; how many could not be read; and how many there are."""
    settings: Settings = inputs.settings
    size = max if settings.areas == "largest" else sum
    areas = [{name: float(size(of)) for name, of in by_name.items()} for by_name in object_areas(inputs.dataset)]
    captions = captions_of(inputs.dataset)
    places = np.sort(np.random.default_rng(settings.seed).permutation(len(captions.texts))[: settings.most])
    names = sorted({name for of_picture in areas for name in of_picture})
    if not names:
        raise NotApplicable("the objects of the dataset have no areas, boxes or masks")
    answers = _reader(inputs, names)([captions.texts[i] for i in places])
    found = []
    for place, answer in zip(places, answers, strict=True):
        row = int(captions.rows[place])
        here = [name for name in answer or () if name in areas[row]][:MOST_NAMES]
        if len(here) > 1:
            found.append(NamedCaption(row, tuple(here), tuple(areas[row][name] for name in here)))
    return found, sum(answer is None for answer in answers), len(places)


def _reader(inputs: ProbeInput[Settings], names: Sequence[str]) -> Reader:
    known = {wording: plain_name(name) for wording, name in wordings(inputs.dataset, names).items()}
    if inputs.ask_language_model is None:
        return by_list(all_wordings(known))
    return by_language_model(known, inputs.ask_language_model)


def _first(captions: Sequence[NamedCaption], clusters: Indices) -> Iterator[Finding]:
    """How often the largest object is named first, compared with a random order."""
    hits = np.array([caption.largest == 0 for caption in captions], float)
    by_chance = np.array([1 / len(caption.names) for caption in captions])
    pictures = _pictures(captions, clusters)
    yield share_finding("largest_first", clustered_share(hits, pictures))
    yield Finding(metric="largest_first_chance", value=float(by_chance.mean()), n=len(captions))
    difference, (low, high) = mean_difference(hits, by_chance, pictures)
    yield Finding(
        metric="largest_first_difference",
        value=difference,
        n=len(captions),
        low=low,
        high=high,
        interval="normal, over pictures, 95%",
        baseline="a random order",
    )


def _size_effect(read: Sequence[NamedCaption], clusters: Indices) -> Iterator[Finding]:
    """For pairs of names: how much more often a name comes first where it is the larger object than where it is the smaller."""
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
            baseline="the same two names with sizes exchanged",
        )


def _positions(captions: Sequence[NamedCaption], clusters: Indices) -> Iterator[Finding]:
    count, pictures = len(captions[0].names), _pictures(captions, clusters)
    for position in range(count):
        share = clustered_share([caption.largest == position for caption in captions], pictures)
        yield share_finding("largest_at_position", share, {"count": count, "position": position + 1})


def _pictures(captions: Sequence[NamedCaption], clusters: Indices) -> Indices:
    return np.unique([clusters[caption.row] for caption in captions], return_inverse=True)[1].astype(np.int64)


def _notices(inputs: ProbeInput[Settings], seen: int, unread: int, ties: int) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if unread:
        what = f"{counted(unread, 'reply', 'replies')} of {seen} left out because they are not a list of names"
        notices.append(Notice(where, what, "check the folder of replies, or choose another language model"))
    if ties:
        what = f"{counted(ties, 'caption')} left out of shares by position because the two largest objects are equally large"
        notices.append(Notice(where, what, "check whether areas were rounded"))
    return notices
