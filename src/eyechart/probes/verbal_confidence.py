"""Verbal confidence: does the number that the model states match how often it is right?"""

import re
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
from eyechart.metrics.calibration.ece import ece, ece_intervals, gaps
from eyechart.metrics.intervals import bootstrap_mean
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.ranking.intervals import Scored, delong
from eyechart.models.answering import PictureQuestion, Reply
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import read_choice, read_words
from eyechart.probes.tasks.classifier import known_classes
from eyechart.probes.tasks.reply_counts import REPLY_METRICS, reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.two_options import TwoOptions, two_options, units_of, with_article

QUESTION = "How sure are you that the main object in this picture is {}? Answer with a number from 0 to 100."
LEAST = 10  # stated numbers
BINS = 10
_NUMBER = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(%?)")
METRICS = (
    Metric(
        name="verbal_overconfidence",
        title="stated confidence − accuracy",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="calibration",
            at_least=-0.1,
            at_most=0.1,
            low="The model states less confidence than its accuracy.",
            high="The model states more confidence than its accuracy.",
            good="The confidence that the model states matches its accuracy.",
            unclear="whether the confidence that the model states matches its accuracy",
        ),
    ),
    Metric(name="stated_confidence", title="stated confidence, mean", higher_is_better=None),
    Metric(name="accuracy", title="accuracy of the choices with a stated confidence"),
    Metric(name="verbal_ece", title="ECE of the stated confidence", short="verbal ECE", higher_is_better=False),
    Metric(name="verbal_auroc", title="AUROC of the stated confidence, right against wrong choices", unit="number"),
    Metric(name="unstated", title="choices without a stated confidence from 0 to 100", higher_is_better=False),
    *REPLY_METRICS,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `verbal_confidence`.

    pictures: At most this many pictures; 0 for all.
    resamples: Bootstrap resamples.
    seed: The seed of the sample, the options and the bootstrap.
    """

    pictures: int = 200
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pictures < 0 or self.seed < 0 or self.resamples < 1:
            raise ValueError("pictures and seed must be at least 0, resamples at least 1")


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    """The choices, and as many questions for a confidence, which depend on the choices."""
    try:
        asked = two_options(request.dataset, request.settings.pictures, request.settings.seed)
    except NotApplicable:
        return ()
    return [*_choices(request.dataset, asked), *(PictureQuestion(q.row, "") for q in asked)]


@probe(
    version=4,
    needs=("answers", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    headline=("verbal_overconfidence", "verbal_ece", "verbal_auroc"),
    questions=questions,
)
def verbal_confidence(inputs: ProbeInput[Settings]) -> Answer:
    """Does the confidence that the model states match its accuracy?

    The model chooses between two classes, and is then asked how sure it is of its choice, as a number from 0 to 100. This is
    calibration for models that give no probabilities; where log-likelihoods are available, see `calibration` too.
    """
    if inputs.ask is None:
        raise TypeError("a probe that asks must declare the need 'answers'")
    classes, settings = known_classes(inputs), inputs.settings
    asked = two_options(inputs.dataset, settings.pictures, settings.seed)
    replies = inputs.ask(_choices(inputs.dataset, asked))
    read = [read_choice(reply, [classes[c].names for c in q.listed]) for reply, q in zip(replies, asked, strict=True)]
    decided = [(q, q.listed[r.option]) for q, r in zip(asked, read, strict=True) if r.option >= 0]
    if not decided:
        raise NotApplicable("no reply names one of the options, so there is no choice to be sure of")
    again = inputs.ask([PictureQuestion(q.row, QUESTION.format(with_article(classes[c].name))) for q, c in decided])
    stated = np.array([read_number(reply) for reply in again])
    right = np.array([c == q.true for q, c in decided])
    units = units_of(inputs.units, [q.row for q, _ in decided])
    found = [share_finding("unstated", clustered_share(np.isnan(stated), units))]
    found += reply_findings(replies, read, inputs.units[[q.row for q in asked]], {})
    found += reply_findings(again, [read_words(reply) for reply in again], units, {"asked": "confidence"})
    there = ~np.isnan(stated)
    if there.sum() < LEAST:
        raise NotApplicable(f"only {int(there.sum())} replies state a number from 0 to 100; the probe needs {LEAST}")
    measured, exhibits = _measures(stated[there], right[there], units[there], settings)
    return Answer([*measured, *found], exhibits, reply_notices(inputs.dataset.name, [*replies, *again]))


def _choices(dataset: Dataset, asked: Sequence[TwoOptions]) -> list[PictureQuestion]:
    assert dataset.classes is not None
    return [PictureQuestion(q.row, q.text(dataset.classes)) for q in asked]


def read_number(reply: Reply) -> float:
    """The stated probability; NaN where the reply has no number from 0 to 100, or several different ones.

    A number up to 1 with a decimal point and without a percent sign is a probability already.

    >>> read_number(Reply("About 85%.")), read_number(Reply("0.9")), read_number(Reply("90 out of 100"))
    (0.85, 0.9, 0.9)
    """
    text = re.sub(r"(?:out of|/)\s*100\b", "", reply.answer) if reply.answer_kind == "text" else ""
    numbers = {float(n) * (100 if "." in n and float(n) <= 1 and not percent else 1) for n, percent in _NUMBER.findall(text)}
    if len(numbers) != 1 or not 0 <= max(numbers) <= 100:
        return float("nan")
    return numbers.pop() / 100


def _measures(stated: Doubles, right: Flags, units: Indices, settings: Settings) -> tuple[list[Finding], list[Exhibit]]:
    _, units = np.unique(units, return_inverse=True)
    n, seed, resamples = len(stated), settings.seed, settings.resamples
    gap = stated - right
    low, high = bootstrap_mean(gap, clusters=units, seed=seed, resamples=resamples)
    mean_low, mean_high = bootstrap_mean(stated, clusters=units, seed=seed, resamples=resamples)
    how = "bootstrap over pictures, 95%"
    of_ece = ece_intervals(gaps(stated, right, BINS), seed=seed, clusters=units, resamples=resamples)[0]
    found = [
        Finding(metric="verbal_overconfidence", value=float(gap.mean()), n=n, low=low, high=high, interval=how),
        Finding(metric="stated_confidence", value=float(stated.mean()), n=n, low=mean_low, high=mean_high, interval=how),
        share_finding("accuracy", clustered_share(right, units)),
        Finding(
            metric="verbal_ece", value=ece(stated, right, BINS), n=n, low=of_ece.low, high=of_ece.high,
            interval="debiased bootstrap over pictures, 95%",
        ),
    ]  # fmt: skip
    if right.any() and not right.all():
        value, (low, high), method = delong(Scored(stated, right, units))
        found.append(Finding(metric="verbal_auroc", value=value, n=n, low=low, high=high, interval=method))
    return found, [_exhibit(stated, right)]


def _exhibit(stated: Doubles, right: Flags) -> Exhibit:
    edges = np.round(stated, 1)
    numbers = np.unique(edges)
    table = pa.table(
        {
            "stated": [f"{100 * number:.0f}%" for number in numbers],
            "accuracy": [float(right[edges == number].mean()) for number in numbers],
            "choices": [int((edges == number).sum()) for number in numbers],
        }
    )
    sentence = f"The model states {percent(float(stated.mean()))} on average, and is right in {percent(float(right.mean()))}."
    chart = charts.bars(category="stated", value="accuracy")
    return Exhibit("stated", "Accuracy by stated confidence", sentence, table, chart=chart)
