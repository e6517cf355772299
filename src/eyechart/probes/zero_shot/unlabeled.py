"""Pictures without labels: what is predicted for them, and how often each class is."""

from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, ProbeInput
from eyechart.probes.tasks.class_answers import ClassAnswers, class_answers
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.picture_neighbors import neighbor_exhibit
from eyechart.probes.tasks.picture_predictions import picture_predictions
from eyechart.probes.tasks.share_findings import share_finding

READABLE = 40  # classes in one chart


def classify_unlabeled(inputs: ProbeInput[Any]) -> Answer:
    """Predictions and the share of each class, by every way of answering; no accuracy."""
    ways = class_answers(inputs)
    parts = [_under(inputs, way, first=way is ways[0]) for way in ways]
    notice = Notice(
        inputs.dataset.name,
        "no picture has a label: there are predictions (`eyechart predictions DIR`, or --csv), and no accuracy is measured",
        "to measure it, put pictures into one subfolder per class, or name a column of labels with --column label=COLUMN",
    )
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[notice],
        predictions=[p for part in parts for p in part.predictions],
    )


def _under(inputs: ProbeInput[Any], way: ClassAnswers, *, first: bool) -> Answer:
    classes = known_classes(inputs)
    titles, predicted = class_titles(classes), way.top.predicted
    units = np.unique(inputs.units, return_inverse=True)[1]
    findings = [
        share_finding("predicted_share", clustered_share(predicted == c, units), {"predicted": title, **way.slice})
        for c, title in enumerate(titles)
    ]
    exhibits = [_exhibit(findings, predicted, way.slice)]
    if first:
        exhibits.append(neighbor_exhibit(inputs, way.top, titles, way.slice))
    return Answer(findings, exhibits, [], [picture_predictions(inputs, way.top, classes, prompts=way.prompts)])


def _exhibit(findings: list[Finding], predicted: Indices, under: dict[str, str]) -> Exhibit:
    """The most frequent predictions."""
    rows = sorted(findings, key=lambda f: -(f.value or 0.0))[:READABLE]
    used = len(np.unique(predicted))
    most = rows[0]
    return Exhibit(
        "-".join(["predicted-shares", *under.values()]),
        "Predicted classes",
        f"{most.slice['predicted']} is predicted for {percent(most.value or 0.0)} of the pictures; {used} of {len(findings)} "
        "classes are predicted at all. Without labels, this does not say how many predictions are correct.",
        pa.table(
            {
                "class": [str(f.slice["predicted"]) for f in rows],
                "share": [f.value for f in rows],
                "low": [f.low for f in rows],
                "high": [f.high for f in rows],
            }
        ),
        chart=charts.dots_with_intervals(
            category="class", value="share", low="low", high="high", value_title="share of pictures"
        ),
        slice=under,
    )
