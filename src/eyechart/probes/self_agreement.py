"""Self-agreement: does the model give the same answer in another order, in other words, and as yes or no?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import PictureQuestion
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import ReadReply, read_choice, read_yes_no
from eyechart.probes.tasks.classifier import known_classes
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.two_options import WORDINGS, TwoOptions, two_options, units_of, with_article

YES_NO = "Is the main object in this picture {}? Answer with yes or no."
FORMS = ("order", "wording", "yes or no")
METRICS = (
    Metric(
        name="agreement",
        title="answers that agree with the first one",
        limits=Limits(
            area="words and objects",
            by="changed",
            at_least=0.8,
            low="The model contradicts itself where the same question is put differently.",
            good="The model agrees with itself where the same question is put differently.",
            unclear="whether the model agrees with itself where the same question is put differently",
        ),
    ),
    Metric(name="yes_to_both", title="yes to both of two options, of which one is true", higher_is_better=False),
    Metric(name="no_to_both", title="no to both of two options, of which one is true", higher_is_better=False),
    Metric(name="yes_share", title="yes, where half of the questions are true", higher_is_better=None),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `self_agreement`.

    pictures: At most this many pictures; 0 for all.
    seed: The seed of the sample and the options.
    """

    pictures: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0:
            raise ValueError("pictures and seed must be at least 0")


def _texts(classes: ClassList, q: TwoOptions) -> list[str]:
    """The questions about one picture: as listed, reversed, in other words, then yes or no for each option."""
    return [
        q.text(classes),
        q.text(classes, reverse=True),
        *(q.text(classes, wording=i) for i in range(1, len(WORDINGS))),
        *(YES_NO.format(with_article(classes[c].name)) for c in q.listed),
    ]


def _questions(dataset: Dataset, settings: Settings) -> tuple[list[TwoOptions], list[PictureQuestion]]:
    asked = two_options(dataset, settings.pictures, settings.seed)
    assert dataset.classes is not None
    return asked, [PictureQuestion(q.row, text) for q in asked for text in _texts(dataset.classes, q)]


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
    headline=("agreement",),
    questions=questions,
)
def self_agreement(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model agree with itself when the same question is put differently?

    Each choice between two classes is asked again with the options reversed, in two other wordings, and as two questions of yes
    or no. Right or wrong plays no part.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    classes = known_classes(inputs)
    asked, requests = _questions(inputs.dataset, inputs.settings)
    if not asked:
        raise NotApplicable("no readable picture has a label")
    replies = inputs.ask(requests)
    each, choices = len(requests) // len(asked), 1 + len(WORDINGS)
    read: list[ReadReply] = []
    for i, reply in enumerate(replies):
        q, form = asked[i // each], i % each
        listed = q.listed[::-1] if form == 1 else q.listed
        read.append(read_choice(reply, [classes[c].names for c in listed]) if form < choices else read_yes_no(reply))
    units = units_of(inputs.units, [q.row for q in asked])
    options = np.array([r.option for r in read]).reshape(len(asked), each)
    listed_first = options[:, :choices].copy()  # 0 for the first class of `listed`, 1 for the second
    listed_first[:, 1] = np.where(options[:, 1] >= 0, 1 - options[:, 1], -1)
    found = [*_agreements(listed_first, options[:, choices:], units), *_yes_no(options[:, choices:], units)]
    found += reply_findings(replies, read, np.repeat(inputs.units[[q.row for q in asked]], each), {})
    exhibits = [_exhibit(found)] if any(f.metric == "agreement" for f in found) else []
    return Answer(found, exhibits, reply_notices(inputs.dataset.name, replies))


def _agreements(chosen: Indices, yes: Indices, units: Indices) -> list[Finding]:
    """Agreement with the first choice, of the pictures that are decided both times. Where it changed wording, both count."""
    found = []
    for form, columns in zip(FORMS[:2], ([1], list(range(2, chosen.shape[1]))), strict=True):
        same, of = list[Flags](), list[Indices]()
        for column in columns:
            both = (chosen[:, 0] >= 0) & (chosen[:, column] >= 0)
            same.append(chosen[both, 0] == chosen[both, column])
            of.append(units[both])
        found += _share("agreement", np.concatenate(same), np.concatenate(of), {"changed": form})
    decided = (chosen[:, 0] >= 0) & (yes >= 0).all(axis=1)
    first = chosen[decided, 0]
    agrees = (yes[decided, 0] == (first == 0)) & (yes[decided, 1] == (first == 1))
    return found + _share("agreement", agrees, units[decided], {"changed": FORMS[2]})


def _yes_no(yes: Indices, units: Indices) -> list[Finding]:
    decided = (yes >= 0).all(axis=1)
    pairs, of = yes[decided], units[decided]
    single = yes.ravel() >= 0
    return [
        *_share("yes_to_both", (pairs == 1).all(axis=1), of, {}),
        *_share("no_to_both", (pairs == 0).all(axis=1), of, {}),
        *_share("yes_share", yes.ravel()[single] == 1, np.repeat(units, 2)[single], {}),
    ]


def _share(metric: str, hits: Flags, units: Indices, slice: dict[str, str]) -> list[Finding]:
    if not len(hits):
        return []
    return [share_finding(metric, clustered_share(hits, np.unique(units, return_inverse=True)[1]), slice)]


def _exhibit(found: Sequence[Finding]) -> Exhibit:
    rows = [f for f in found if f.metric == "agreement"]
    table = pa.table(
        {
            "changed": [str(f.slice["changed"]) for f in rows],
            "agreement": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
        }
    )
    lowest = min(rows, key=lambda f: f.value or 0.0)
    sentence = f"The answer agrees least where the {lowest.slice['changed']} is changed: {percent(lowest.value or 0.0)}."
    chart = charts.dots_with_intervals(category="changed", value="agreement", low="low", high="high", zero=True)
    return Exhibit("agreement", "Agreement with the first answer", sentence, table, chart=chart)
