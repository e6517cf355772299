"""Questions about several objects: which one is in the picture, and which ones are mentioned, by size and order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import PictureQuestion, Reply
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import mentioned, read_choice, read_words
from eyechart.probes.tasks.asked_rows import rng_of
from eyechart.probes.tasks.objects import object_scenes
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import difference_finding, share_finding

LISTED = "Which of the following is in the picture: {}, {}? Answer with the name only."
ALL = "Name all objects in this picture."
SIZES = ("largest", "others")
METRICS = (
    Metric(
        name="size_gap",
        title="object found in the picture: largest − others",
        short="size gap",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="words and objects",
            at_most=0.1,
            high="The model finds the largest object more often than the others.",
            good="The model finds smaller objects as often as the largest one.",
            unclear="whether the model finds smaller objects as often as the largest one",
        ),
    ),
    Metric(name="listed_accuracy", title="object in the picture chosen, against an absent one"),
    Metric(name="first_listed", title="choices of the first option", higher_is_better=None),
    Metric(name="mention_recall", title="objects of the picture that are mentioned"),
    Metric(name="false_mentions", title="mentioned objects that are not in the picture", higher_is_better=False),
    Metric(name="largest_first", title="largest object mentioned first", higher_is_better=None, chance="largest_first_chance"),
    Metric(name="largest_first_chance", title="largest object mentioned first, by chance", higher_is_better=None),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `object_questions`.

    pictures: At most this many pictures; 0 for all.
    seed: The seed of the sample and the options.
    """

    pictures: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0:
            raise ValueError("pictures and seed must be at least 0")


@dataclass(frozen=True)
class _Scene:
    """A picture with several objects: its row, its objects from the largest to the smallest, and two questions' options."""

    row: int
    objects: tuple[str, ...]
    listed: tuple[tuple[str, str], ...]  # a present and an absent object: the largest one, then one of the others


def _scenes(dataset: Dataset, settings: Settings) -> tuple[list[_Scene], tuple[str, ...]]:
    """The sampled pictures with at least two objects, and all names.

    Raises:
        NotApplicable: If there are none, or no name is absent from them.
    """
    found, ids, made = object_scenes(dataset), dataset.ids(), []
    for scenes in found.scenes:
        for row, objects, order in zip(scenes.rows, scenes.objects, scenes.by_size, strict=True):
            names = tuple(found.names[int(objects[place])] for place in order)
            absent = [name for name in found.names if name not in names]
            rng = rng_of(ids[int(row)], settings.seed, "object questions")
            if len(names) < 2 or len(absent) < 2:
                continue
            first, second = (absent[int(i)] for i in rng.permutation(len(absent))[:2])
            made.append(_Scene(int(row), names, ((names[0], first), (names[1 + int(rng.integers(len(names) - 1))], second))))
    if not made:
        raise NotApplicable("no picture shows several objects with known areas while two others are absent")
    if settings.pictures and len(made) > settings.pictures:
        draws = {scene.row: rng_of(ids[scene.row], settings.seed, "sample").random() for scene in made}
        made = sorted(made, key=lambda scene: draws[scene.row])[: settings.pictures]
    return sorted(made, key=lambda scene: scene.row), found.names


def _requests(scenes: Sequence[_Scene]) -> list[PictureQuestion]:
    """For every picture: both choices in both orders, then all objects."""
    return [
        PictureQuestion(scene.row, text)
        for scene in scenes
        for text in (*(LISTED.format(*o) for pair in scene.listed for o in (pair, pair[::-1])), ALL)
    ]


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    try:
        return _requests(_scenes(request.dataset, request.settings)[0])
    except NotApplicable:
        return ()


@probe(
    version=3,
    needs=("answers", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    headline=("size_gap", "listed_accuracy", "largest_first"),
    questions=questions,
)
def object_questions(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model see small objects beside a large one, and in which order does it mention them?

    Choices between an object of the picture and an absent one, in both orders: for the largest object, and for one of the others.
    Then the model is asked to name all objects: how many it mentions by size, and whether the largest comes first.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    scenes, names = _scenes(inputs.dataset, inputs.settings)
    replies = inputs.ask(_requests(scenes))
    units = np.unique(inputs.units[[scene.row for scene in scenes]], return_inverse=True)[1]
    of_choices = [reply for i, reply in enumerate(replies) if i % 5 < 4]
    orders = [o for scene in scenes for pair in scene.listed for o in (pair, pair[::-1])]
    read = [read_choice(reply, [[name] for name in o]) for reply, o in zip(of_choices, orders, strict=True)]
    option = np.array([r.option for r in read]).reshape(len(scenes), 2, 2)
    right = option == np.array([0, 1])  # the present object is listed first, then second
    by_size = [clustered_share(right[:, i].ravel(), np.repeat(units, 2)) for i in range(2)]
    found = [
        difference_finding("size_gap", by_size[0], by_size[1], n=len(scenes), baseline=SIZES[1]),
        *(share_finding("listed_accuracy", share, {"size": size}) for size, share in zip(SIZES, by_size, strict=True)),
        share_finding("listed_accuracy", clustered_share(right.ravel(), np.repeat(units, 4))),
    ]
    decided = option.ravel() >= 0
    if decided.any():
        of = np.unique(np.repeat(units, 4)[decided], return_inverse=True)[1]
        found.append(share_finding("first_listed", clustered_share(option.ravel()[decided] == 0, of)))
    found += reply_findings(of_choices, read, np.repeat(units, 4), {})
    of_all = [reply for i, reply in enumerate(replies) if i % 5 == 4]
    found += reply_findings(of_all, [read_words(reply) for reply in of_all], units, {"asked": "all objects"})
    found += _mentions(scenes, of_all, names, units)
    return Answer(found, [_exhibit(found)], reply_notices(inputs.dataset.name, replies))


def mention_order(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text mentions, in the order of their first mention.

    >>> mention_order("A mug, two cubes and a mug", ["cube", "mug", "star"])
    ['mug', 'cube']
    """
    said = " ".join(text.casefold().replace("_", " ").split())
    return sorted((names[i] for i in mentioned(text, [[name] for name in names])), key=said.find)


def _mentions(scenes: Sequence[_Scene], replies: Sequence[Reply], names: Sequence[str], units: Indices) -> list[Finding]:
    """Recall by size, mentions of absent objects, and how often the largest object comes first of those that are there."""
    said = [mention_order(reply.answer, names) if reply.answer_kind == "text" else [] for reply in replies]
    largest = np.array([scene.objects[0] in of for scene, of in zip(scenes, said, strict=True)])
    found = [share_finding("mention_recall", clustered_share(largest, units), {"size": SIZES[0]})]
    others: list[tuple[bool, int]] = []
    false: list[tuple[bool, int]] = []
    first: list[tuple[bool, int]] = []
    chances = []
    for scene, of, unit in zip(scenes, said, units, strict=True):
        others += [(name in of, int(unit)) for name in scene.objects[1:]]
        false += [(name not in scene.objects, int(unit)) for name in of]
        there = [name for name in of if name in scene.objects]
        if there:
            first.append((there[0] == scene.objects[0], int(unit)))
            chances.append(1 / len(scene.objects))
    for metric, hits, slice in (
        ("mention_recall", others, {"size": SIZES[1]}),
        ("false_mentions", false, {}),
        ("largest_first", first, {}),
    ):
        if hits:
            flags: Flags = np.array([hit for hit, _ in hits])
            of_units = np.unique([unit for _, unit in hits], return_inverse=True)[1]
            found.append(share_finding(metric, clustered_share(flags, of_units), slice))
    if chances:
        found.append(Finding(metric="largest_first_chance", value=float(np.mean(chances)), n=len(chances)))
    return found


def _exhibit(found: Sequence[Finding]) -> Exhibit:
    titles = {"listed_accuracy": "chosen against an absent object", "mention_recall": "mentioned among all objects"}
    rows = [f for f in found if f.metric in titles and "size" in f.slice]
    table = pa.table(
        {
            "question": [titles[f.metric] for f in rows],
            "object": [str(f.slice["size"]) for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    gap = found[0].value or 0.0
    sentence = f"The largest object is found {100 * abs(gap):.1f} points {'more' if gap >= 0 else 'less'} often than the others"
    sentence += f" ({percent(rows[0].value)} and {percent(rows[1].value)})."
    chart = charts.dots_with_intervals(
        category="question", value="share", low="low", high="high", color="object", zero=True, value_title="found"
    )
    return Exhibit("sizes", "Objects found, by size", sentence, table, chart=chart)
