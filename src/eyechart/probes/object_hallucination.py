"""Object hallucination in the manner of POPE: does the model see objects that are not there?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import PictureQuestion, Reply
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import ReadReply, read_yes_no
from eyechart.probes.tasks.asked_rows import rng_of
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.shown_reply import shown_reply

Kind = Literal["present", "random", "popular", "co-occurring"]
NEGATIVES: tuple[Kind, ...] = ("random", "popular", "co-occurring")
QUESTION = "Is there {} in the picture? Answer with yes or no."
METRICS = (
    Metric(
        name="false_yes",
        title="objects that are not there and seen all the same",
        short="hallucinated",
        higher_is_better=False,
        limits=Limits(
            area="words and objects",
            by="negatives",
            at_most=0.2,
            high="The model sees objects that are not in the picture.",
            good="The model seldom sees objects that are not in the picture.",
            unclear="whether the model sees objects that are not in the picture",
        ),
    ),
    Metric(name="recall", title="objects that are there and seen"),
    Metric(name="accuracy", title="accuracy over present and absent objects"),
    Metric(name="precision", title="objects that are there, of those that are seen"),
    Metric(name="f1", title="F1 over present and absent objects", unit="number"),
    Metric(name="yes_share", title="yes, where half of the objects are there", higher_is_better=None),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `object_hallucination`.

    pictures: At most this many pictures; 0 for all.
    objects: Objects of a picture that are asked about, and as many absent ones of each kind.
    seed: The seed of the sample and of random objects.
    """

    pictures: int = 100
    objects: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0 or self.objects < 1:
            raise ValueError("pictures and seed must be at least 0, objects at least 1")


@dataclass(frozen=True)
class ObjectQuestion:
    """A question about one object.

    row: The picture's row.
    name: The object.
    kind: "present", or how the absent object was chosen.
    together: How often it comes together with the objects of the picture, over all pictures; 0 for a present one.
    """

    row: int
    name: str
    kind: Kind
    together: int = 0

    @property
    def request(self) -> PictureQuestion:
        article = "an" if self.name[:1].lower() in "aeiou" else "a"
        return PictureQuestion(self.row, QUESTION.format(f"{article} {self.name}"))


def object_questions(dataset: Dataset, settings: Settings) -> list[ObjectQuestion]:
    """As many present as absent objects of each kind for every picture.

    Random: any absent object. Popular: the absent objects that most pictures have. Co-occurring: the absent objects that are most
    often together with those of the picture (POPE calls them adversarial). Frequencies are those of all pictures. Where no absent
    object ever comes together with those of a picture, "co-occurring" ones would be the popular ones again; they are left out.

    Raises:
        NotApplicable: If no picture has an object while another one is absent.
    """
    ids = dataset.ids()
    objects = [sorted({o["name"] for o in of or () if o.get("name")}) for of in dataset.table.column("objects").to_pylist()]
    frequency = Counter(name for of in objects for name in of)
    together: dict[str, Counter[str]] = {name: Counter() for name in frequency}
    for of in objects:
        for name in of:
            together[name].update(other for other in of if other != name)
    usable = [row for row, of in enumerate(objects) if of and len(of) < len(frequency)]
    if not usable:
        raise NotApplicable("no picture has an object while another one is absent from it")
    if settings.pictures and len(usable) > settings.pictures:
        draws = {row: rng_of(ids[row], settings.seed, "sample").random() for row in usable}
        usable = sorted(sorted(usable, key=draws.__getitem__)[: settings.pictures])
    made = []
    for row in usable:
        of, rng = objects[row], rng_of(ids[row], settings.seed, "objects")
        absent = [name for name in sorted(frequency) if name not in of]
        count = min(settings.objects, len(of), len(absent))
        near = {name: sum(together[there][name] for there in of) for name in absent}
        ranked: Mapping[Kind, list[str]] = {
            "present": [of[i] for i in rng.permutation(len(of))],
            "random": [absent[i] for i in rng.permutation(len(absent))],
            "popular": sorted(absent, key=lambda name: (-frequency[name], name)),
            "co-occurring": sorted(absent, key=lambda name: (-near[name], -frequency[name], name)),
        }
        made += [ObjectQuestion(row, name, kind, near.get(name, 0)) for kind, names in ranked.items() for name in names[:count]]
    if not any(q.together for q in made if q.kind == "co-occurring"):
        return [q for q in made if q.kind != "co-occurring"]
    return made


def co_occurrence_notice(where: str, asked: Sequence[ObjectQuestion]) -> list[Notice]:
    """What is to be said where absent objects do not come together with those of their pictures."""
    near = [q.together for q in asked if q.kind == "co-occurring"]
    if not near:
        what = "absent objects that co-occur are left out: no absent object comes together with those of its picture"
        return [Notice(where, what, "add pictures that show several objects")]
    if never := near.count(0):
        what = f"{never:,} of {len(near):,} absent objects asked as co-occurring never come together with those of the picture"
        return [Notice(where, f"{what}; they are the most frequent ones instead", "ask about fewer objects (objects = 1)")]
    return []


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    if not request.dataset.has("objects"):
        return ()
    try:
        return [q.request for q in object_questions(request.dataset, request.settings)]
    except NotApplicable:
        return ()


@probe(
    version=3,
    needs=("answers", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    headline=("false_yes", "recall"),
    questions=questions,
)
def object_hallucination(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model see objects that are not in the picture?

    Questions of yes or no about objects that are there and about absent ones: drawn at random, the most frequent ones, and those
    that most often come together with what is there (Li et al., 2023). Undecided replies count as no.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    asked = object_questions(inputs.dataset, inputs.settings)
    replies = inputs.ask([q.request for q in asked])
    read = [read_yes_no(reply) for reply in replies]
    yes = np.array([r.option == 1 for r in read])
    kinds, rows = np.array([q.kind for q in asked]), np.array([q.row for q in asked])
    clusters = np.unique(inputs.units[rows], return_inverse=True)[1]
    present = kinds == "present"
    found = [share_finding("recall", clustered_share(yes[present], clusters[present]))]
    for kind in NEGATIVES:
        mine, slice = kinds == kind, {"negatives": kind}
        if not mine.any():
            continue
        found.append(share_finding("false_yes", clustered_share(yes[mine], clusters[mine]), slice))
        both = mine | present
        found += [
            share_finding("accuracy", clustered_share((yes == present)[both], clusters[both]), slice),
            share_finding("yes_share", clustered_share(yes[both], clusters[both]), slice),
        ]
        hits, seen = int((yes & present).sum()), int((yes & both).sum())
        if seen:
            of = np.unique(clusters[yes & both], return_inverse=True)[1]
            found.append(share_finding("precision", clustered_share(present[yes & both], of), slice))
        f1 = 2 * hits / (seen + int(present.sum()))
        found.append(Finding(metric="f1", value=f1, n=int(both.sum()), slice=slice))
    found += reply_findings(replies, read, clusters, {})
    where = inputs.dataset.name
    notices = [*co_occurrence_notice(where, asked), *reply_notices(where, replies)]
    return Answer(found, [_chart(found), *_conversations(inputs, asked, replies, read)], notices=notices)


def _chart(found: Sequence[Finding]) -> Exhibit:
    rows = [f for f in found if f.metric == "false_yes"]
    table = pa.table(
        {
            "absent objects": [str(f.slice["negatives"]) for f in rows],
            "seen": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    worst = max(rows, key=lambda f: f.value or 0.0)
    sentence = f"Of absent objects that are {worst.slice['negatives']}, {percent(worst.value or 0.0)} are seen all the same."
    chart = charts.dots_with_intervals(
        category="absent objects", value="seen", low="low", high="high", zero=True, value_title="seen all the same"
    )
    return Exhibit("hallucinated", "Absent objects that are seen", sentence, table, chart=chart)


def _conversations(
    inputs: ProbeInput[Settings], asked: Sequence[ObjectQuestion], replies: Sequence[Reply], read: Sequence[ReadReply]
) -> list[Exhibit]:
    ids = inputs.dataset.ids()
    rows = [
        {"id": ids[q.row], "asked": q.request.text, "reply": shown_reply(reply), "absent object": q.kind}
        for q, reply, r in zip(asked, replies, read, strict=True)
        if q.kind != "present" and r.option == 1
    ]
    if not rows:
        return []
    sentence = f"{len(rows):,} questions about absent objects were answered with yes."
    return [Exhibit("seen-objects", "Objects that are not there", sentence, pa.Table.from_pylist(rows[:24]), "pictures")]
