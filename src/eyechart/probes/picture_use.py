"""Picture use: does the answer change when the picture is swapped or blank?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals import bootstrap_mean
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import PictureQuestion
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import read_choice
from eyechart.probes.tasks.asked_rows import rng_of
from eyechart.probes.tasks.classifier import known_classes
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import difference_finding, share_finding
from eyechart.probes.tasks.two_options import TwoOptions, two_options, units_of

SHOWN = ("own", "swapped", "blank")
METRICS = (
    Metric(
        name="picture_effect",
        title="true class named: own picture − swapped picture",
        short="picture effect",
        difference=True,
        limits=Limits(
            area="words and objects",
            at_least=0.1,
            low="The model answers as if it did not look at the picture.",
            good="The model's answers depend on the picture.",
            unclear="whether the model's answers depend on the picture",
        ),
    ),
    Metric(name="true_named", title="true class named, with the picture that is shown", higher_is_better=None),
    Metric(name="unchanged", title="answers that do not change without the picture", higher_is_better=False),
    Metric(name="confidence", title="probability of the likelier option, with the picture that is shown", higher_is_better=None),
    Metric(
        name="unchanged_confidence", title="probability of the likelier option where it does not change", higher_is_better=None
    ),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `picture_use`.

    pictures: At most this many pictures; 0 for all.
    seed: The seed of the sample, the options and the swapped pictures.
    """

    pictures: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0:
            raise ValueError("pictures and seed must be at least 0")


def swapped_rows(dataset: Dataset, asked: Sequence[TwoOptions], seed: int) -> list[int]:
    """For every question a picture of its wrong option, so that a model that looks changes its answer."""
    truth, ids = dataset.label_indices(), dataset.ids()
    pools = {int(c): np.flatnonzero(truth == c) for c in np.unique([q.other for q in asked])}
    return [int(pools[q.other][rng_of(ids[q.row], seed, "swap").integers(len(pools[q.other]))]) for q in asked]


def _questions(dataset: Dataset, settings: Settings) -> tuple[list[TwoOptions], list[PictureQuestion]]:
    """The choices, and the questions: all with their own, then with a swapped, then with a blank picture."""
    asked = two_options(dataset, settings.pictures, settings.seed)
    assert dataset.classes is not None
    texts = [q.text(dataset.classes) for q in asked]
    shown: list[Sequence[int | None]] = [[q.row for q in asked], swapped_rows(dataset, asked, settings.seed), [None] * len(asked)]
    return asked, [PictureQuestion(row, text) for rows in shown for row, text in zip(rows, texts, strict=True)]


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    try:
        return _questions(request.dataset, request.settings)[1]
    except NotApplicable:
        return ()


@probe(
    version=3,
    needs=("answers", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    wants=("likelihoods",),
    headline=("picture_effect",),
    questions=questions,
)
def picture_use(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model look at the picture, or answer from the words of the question?

    Every choice between two classes is asked three times: with the picture, with a picture of the wrong option, and with a gray
    one. A model that looks changes its answer with the picture; a model that guesses from words does not.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    classes = known_classes(inputs)
    asked, requests = _questions(inputs.dataset, inputs.settings)
    if not asked:
        raise NotApplicable("no readable picture has a label")
    n = len(asked)
    replies = inputs.ask(requests)
    read = [read_choice(reply, [classes[c].names for c in asked[i % n].listed]) for i, reply in enumerate(replies)]
    chosen = np.array([asked[i % n].listed[r.option] if r.option >= 0 else -1 for i, r in enumerate(read)]).reshape(3, n)
    units = units_of(inputs.units, [q.row for q in asked])
    true = np.array([q.true for q in asked])
    named = [clustered_share(chosen[i] == true, units) for i in range(3)]
    found = [
        difference_finding("picture_effect", named[0], named[1], baseline="swapped picture"),
        *(share_finding("true_named", named[i], {"shown": shown}) for i, shown in enumerate(SHOWN)),
        *_unchanged(chosen, units),
    ]
    every = np.tile(inputs.units[[q.row for q in asked]], 3)
    found += reply_findings(replies, read, every, {})
    if inputs.log_likelihoods is not None:
        found += _confidence(inputs, asked, requests, units)
    return Answer(found, [_exhibit(found)], reply_notices(inputs.dataset.name, replies))


def _unchanged(chosen: Indices, units: Indices) -> list[Finding]:
    """The share of pictures, decided both times, whose answer stays the same."""
    found = []
    for place in (1, 2):
        both = (chosen[0] >= 0) & (chosen[place] >= 0)
        if both.any():
            of = np.unique(units[both], return_inverse=True)[1]
            same: Flags = chosen[0, both] == chosen[place, both]
            found.append(share_finding("unchanged", clustered_share(same, of), {"shown": SHOWN[place]}))
    return found


def _confidence(
    inputs: ProbeInput[Settings], asked: Sequence[TwoOptions], requests: Sequence[PictureQuestion], units: Indices
) -> list[Finding]:
    """The probability of the likelier of the two names, by their log-likelihoods, and again where that name does not change."""
    assert inputs.log_likelihoods is not None
    classes, n = known_classes(inputs), len(asked)
    names = [[classes[c].name for c in q.listed] for q in asked]
    gaps = np.array([s[0, 0] - s[1, 0] for s in inputs.log_likelihoods(requests, names * 3)]).reshape(3, n)
    sure = 1 / (1 + np.exp(-np.abs(gaps)))
    found = []
    for place, shown in enumerate(SHOWN):
        found.append(_mean("confidence", sure[place], units, shown, inputs.settings.seed))
        same = np.sign(gaps[place]) == np.sign(gaps[0])
        if place and same.any():
            found.append(_mean("unchanged_confidence", sure[place][same], units[same], shown, inputs.settings.seed))
    return found


def _mean(metric: str, values: Doubles, units: Indices, shown: str, seed: int) -> Finding:
    low, high = bootstrap_mean(values, clusters=units, seed=seed)
    return Finding(
        metric=metric, value=float(np.mean(values)), n=len(values), low=low, high=high, slice={"shown": shown},
        interval="bootstrap over pictures, 95%",
    )  # fmt: skip


def _exhibit(found: Sequence[Finding]) -> Exhibit:
    rows = [f for f in found if f.metric == "true_named"]
    table = pa.table(
        {
            "picture": [f"{f.slice['shown']} picture" for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    own, swapped = (percent(f.value or 0.0) for f in rows[:2])
    sentence = (
        f"The true class is named for {own} of the pictures, and still for {swapped} when a picture of the other option is shown."
    )
    chart = charts.dots_with_intervals(
        category="picture", value="share", low="low", high="high", zero=True, reference=0.5, value_title="true class named"
    )
    return Exhibit("picture-use", "The same questions with other pictures", sentence, table, chart=chart)
