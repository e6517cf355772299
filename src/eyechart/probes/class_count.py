"""Class count: top-1 accuracy as the class list gets longer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.classification.class_count import count_rivals, list_lengths, mean_over_lists
from eyechart.metrics.intervals.clustered_shares import above_chance, clustered_share
from eyechart.notice import counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.classifier import class_cosines, known_classes, prompt_texts, shared_classifier
from eyechart.probes.tasks.share_findings import difference_finding, share_finding

LEAST = 20  # pictures


METRICS = (
    Metric(name="accuracy", title="accuracy with a class list of this length"),
    Metric(
        name="accuracy_drop",
        title="accuracy lost from the shortest class list to the full one",
        difference=True,
        higher_is_better=False,
    ),
    Metric(
        name="drop_above_chance",
        title="accuracy lost from the shortest class list to the full one, corrected for chance",
        short="lost by a longer list",
        difference=True,
        higher_is_better=False,
        limits=Limits(
            area="class names",
            presumes_accuracy=True,
            at_most=0.2,
            high="A longer class list costs more than {limit} of accuracy, corrected for chance.",
            good="A longer class list costs less than {limit} of accuracy, corrected for chance.",
            unclear="whether a longer class list costs more than {limit} of accuracy, corrected for chance",
        ),
    ),
    Metric(name="full_list_accuracy", title="accuracy with the full class list", rows="wrong"),
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `class_count`."""


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None or not request.prompts:
        return ()
    return prompt_texts(request.dataset.classes, request.prompts[0])


@probe(
    version=3,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "paper"),
    texts=texts,
    headline=("drop_above_chance",),
)
def class_count(inputs: ProbeInput[Settings]) -> Answer:
    """How much accuracy is lost as the class list gets longer?

    Class lists of 2, 5, 10, … classes: top-1 accuracy, averaged over all lists of that length that contain the true class. The
    average is exact; no lists are drawn. Corrected for chance, accuracy a with k classes is (a − 1/k) / (1 − 1/k).
    """
    classes = known_classes(inputs)
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    lengths = list_lengths(len(classes))
    if len(lengths) < 2:
        raise NotApplicable("the class list is too short: it has two classes or fewer")
    if len(rows) < LEAST:
        raise NotApplicable(f"{counted(len(rows), 'picture')} with a label; at least {LEAST} are needed")
    rivals = _rivals(inputs, rows, truth[rows])
    _, units = np.unique(inputs.units[rows], return_inverse=True)
    shares = {k: clustered_share(mean_over_lists(rivals, len(classes), k), units) for k in lengths}
    under: dict[str, object] = {"prompts": inputs.prompts[0].name}
    findings = [share_finding("accuracy", share, {"classes": k, **under}, n=share.units) for k, share in shares.items()]
    shortest, full = shares[lengths[0]], shares[lengths[-1]]
    drop = difference_finding("accuracy_drop", shortest, full, under, n=full.units)
    before, after = above_chance(shortest, 1 / lengths[0]), above_chance(full, 1 / lengths[-1])
    corrected = difference_finding("drop_above_chance", before, after, under, n=full.units)
    full_list = share_finding("full_list_accuracy", full, under, n=full.units)
    return Answer([full_list, corrected, drop, *findings], [_exhibit(findings)])


def _rivals(inputs: ProbeInput[Settings], rows: Indices, truth: Indices) -> Indices:
    """For each picture: how many wrong classes score as high as the true one or higher."""
    cosines = class_cosines(inputs, shared_classifier(inputs, inputs.prompts[0]), rows).cosines()
    return np.concatenate([count_rivals(scores, truth[part]) for part, scores in cosines])


def _exhibit(findings: Sequence[Finding]) -> Exhibit:
    table = pa.table(
        {
            "classes": [int(str(f.slice["classes"])) for f in findings],
            "accuracy": [f.value for f in findings],
            "low": [f.low for f in findings],
            "high": [f.high for f in findings],
            "pictures": [f.n for f in findings],
            "chance": [1 / int(str(f.slice["classes"])) for f in findings],
        }
    )
    first, last = findings[0], findings[-1]
    sentence = (
        f"Top-1 accuracy is {percent(first.value)} with {first.slice['classes']} classes and {percent(last.value)} with "
        f"{last.slice['classes']}."
    )
    chart = charts.line_with_band(
        x="classes",
        y="accuracy",
        low="low",
        high="high",
        x_title="number of classes",
        y_title="top-1 accuracy",
        x_unit="count",
        log=True,
    )
    return Exhibit("growth", "Accuracy by number of classes", sentence, table, chart=chart)
