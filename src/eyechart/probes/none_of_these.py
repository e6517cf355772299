"""None of these: does the model say so where no option is true, and only there?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.models.answering import PictureQuestion, Reply
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import ReadReply, plain, read_choice
from eyechart.probes.tasks.asked_rows import asked_rows, rng_of
from eyechart.probes.tasks.classifier import ONE_CLASS, known_classes
from eyechart.probes.tasks.ood_rows import ood_rows
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import difference_finding, share_finding

NONE = "none of these"
QUESTION = "What is the main object in this picture? Choose one of the following: {}. Answer with the name only."
TITLES = {"listed": "true class listed", "left out": "true class left out", "ood": "out-of-distribution pictures"}
METRICS = (
    Metric(
        name="rejection_effect",
        title="“none of these”: true class left out − true class listed",
        short="none of these",
        difference=True,
        limits=Limits(
            area="out-of-distribution",
            at_least=0.1,
            low="The model chooses an option although none is true.",
            good="The model says “none of these” where no option is true.",
            unclear="whether the model says “none of these” where no option is true",
        ),
    ),
    Metric(name="rejected", title="answered with “none of these”", higher_is_better=None),
    Metric(name="accuracy", title="accuracy where the true class is listed"),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `none_of_these`.

    pictures: At most this many pictures of the dataset, and as many out-of-distribution ones; 0 for all.
    options: Classes that a choice lists, beside "none of these".
    seed: The seed of the samples and the options.
    """

    pictures: int = 100
    options: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0 or self.options < 1:
            raise ValueError("pictures and seed must be at least 0, options at least 1")


@dataclass(frozen=True)
class _Asked:
    row: int
    options: tuple[int, ...]
    kind: str


def _own(dataset: Dataset, settings: Settings) -> list[_Asked]:
    """Every picture twice, with as many options each time: its class among others, and others alone."""
    truth, ids, classes = dataset.label_indices(), dataset.ids(), dataset.classes
    if classes is None or len(classes) < 2:
        raise NotApplicable(ONE_CLASS)
    made = []
    for row in asked_rows(ids, truth, settings.pictures, settings.seed):
        rng, true = rng_of(ids[row], settings.seed, "none of these"), int(truth[row])
        others = [int(c) for c in rng.permutation(len(classes)) if plain(classes[int(c)].name) != plain(classes[true].name)]
        count = min(settings.options, len(others))
        listed = tuple(int(c) for c in rng.permutation([true, *others[: count - 1]]))
        made += [_Asked(int(row), listed, "listed"), _Asked(int(row), tuple(others[:count]), "left out")]
    return made


def _text(dataset: Dataset, options: Sequence[int]) -> str:
    assert dataset.classes is not None
    return QUESTION.format(", ".join([*(dataset.classes[c].name for c in options), NONE]))


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    """Those about the pictures of the dataset; out-of-distribution pictures are known when they have been read."""
    try:
        return [PictureQuestion(q.row, _text(request.dataset, q.options)) for q in _own(request.dataset, request.settings)]
    except NotApplicable:
        return ()


@probe(
    version=3,
    needs=("answers", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    headline=("rejection_effect",),
    questions=questions,
    compares=True,
)
def none_of_these(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model say "none of these" where no option is true, and only there?

    Choices end with the option "none of these". Each picture is asked about twice, with its class among the options and without
    it. Out-of-distribution pictures (--ood) are asked about once, with classes drawn at random.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    classes, asked = known_classes(inputs), _own(inputs.dataset, inputs.settings)
    if not asked:
        raise NotApplicable("no readable picture has a label")
    replies = inputs.ask([PictureQuestion(q.row, _text(inputs.dataset, q.options)) for q in asked])
    read = [_read(reply, inputs, q.options) for reply, q in zip(replies, asked, strict=True)]
    none = np.array([r.option == len(q.options) for r, q in zip(read, asked, strict=True)])
    rows = np.array([q.row for q in asked])
    units = np.unique(inputs.units[rows], return_inverse=True)[1]
    listed = np.array([q.kind == "listed" for q in asked])
    shares = {"listed": _share(none, listed, units), "left out": _share(none, ~listed, units)}
    truth = inputs.dataset.label_indices()
    right = np.array([r.option >= 0 and (*q.options, -1)[r.option] == truth[q.row] for r, q in zip(read, asked, strict=True)])
    found = [
        difference_finding("rejection_effect", shares["left out"], shares["listed"], baseline=TITLES["listed"]),
        share_finding("accuracy", _share(right, listed, units)),
        *reply_findings(replies, read, inputs.units[rows], {}),
    ]
    if of_ood := _ood(inputs, len(classes)):
        of_units = np.array([asked.unit for asked in of_ood])
        shares["ood"] = clustered_share(np.array([asked.none for asked in of_ood]), np.unique(of_units, return_inverse=True)[1])
        slice = {"pictures": TITLES["ood"]}
        found += reply_findings([a.reply for a in of_ood], [a.read for a in of_ood], of_units, slice)
        replies += [asked.reply for asked in of_ood]
    found += [share_finding("rejected", share, {"pictures": TITLES[kind]}) for kind, share in shares.items()]
    return Answer(found, [_exhibit(found)], reply_notices(inputs.dataset.name, replies))


def _read(reply: Reply, inputs: ProbeInput[Settings], options: Sequence[int]) -> ReadReply:
    classes = known_classes(inputs)
    return read_choice(reply, [*(classes[c].names for c in options), (NONE, "none", "none of the above", "none of them")])


def _share(hits: Flags, chosen: Flags, units: Indices) -> ClusteredShare:
    return clustered_share(hits[chosen], np.unique(units[chosen], return_inverse=True)[1])


class _AskedOod(NamedTuple):
    """The answer about an out-of-distribution picture; none: whether it is "none of these"."""

    reply: Reply
    read: ReadReply
    none: bool
    unit: int


def _ood(inputs: ProbeInput[Settings], classes: int) -> list[_AskedOod]:
    """What is answered about out-of-distribution pictures."""
    settings, found = inputs.settings, list[_AskedOod]()
    for group in ood_rows(inputs):
        if group.of.ask is None:
            continue
        draws = {place: rng_of(id, settings.seed, "sample").random() for place, id in enumerate(group.ids)}
        chosen = sorted(sorted(draws, key=draws.__getitem__)[: settings.pictures or None])
        options = []
        for place in chosen:
            rng = rng_of(group.ids[place], settings.seed, "none of these")
            options.append([int(c) for c in rng.permutation(classes)[: settings.options]])
        asked = [
            PictureQuestion(int(group.rows[place]), _text(inputs.dataset, of)) for place, of in zip(chosen, options, strict=True)
        ]
        for place, reply, of in zip(chosen, group.of.ask(asked), options, strict=True):
            read = _read(reply, inputs, of)
            found.append(_AskedOod(reply, read, read.option == len(of), int(group.clusters[place])))
    return found


def _exhibit(found: Sequence[Finding]) -> Exhibit:
    rows = [f for f in found if f.metric == "rejected"]
    table = pa.table(
        {
            "pictures": [str(f.slice["pictures"]) for f in rows],
            "none of these": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    sentence = f"“None of these” is the answer for {percent(rows[1].value)} where the true class is left out, and for "
    sentence += f"{percent(rows[0].value)} where it is listed."
    chart = charts.dots_with_intervals(category="pictures", value="none of these", low="low", high="high", zero=True)
    return Exhibit("rejected", "Answered with “none of these”", sentence, table, chart=chart)
