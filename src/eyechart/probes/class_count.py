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
from eyechart.metrics.classification.class_count import blocks, class_orders, first_rivals, list_lengths
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.classifier import build_classifier, known_classes, prompt_texts
from eyechart.probes.tasks.share_findings import difference_finding, share_finding

LEAST = 20  # pictures that a list needs
IDENTITIES = ("identity", "person_name", "celebrity")  # columns with the identity of a person


METRICS = (
    Metric(name="accuracy", title="accuracy with a class list of this length"),
    Metric(
        name="accuracy_drop",
        title="accuracy lost from the shortest class list to the full one",
        difference=True,
        higher_is_better=False,
        limits=Limits(
            area="accuracy",
            at_most=0.1,
            high="A longer class list costs more than 10 points of accuracy.",
            good="A longer class list costs less than 10 points of accuracy.",
            unclear="whether a longer class list costs more than 10 points of accuracy",
        ),
    ),
    Metric(name="full_list_accuracy", title="accuracy with the full class list"),
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `class_count`.

    orders: Random orders of the classes; each length is averaged over them.
    identify: Run even where the classes are names of people. Off by default, so that nobody is identified unintentionally.
    seed: The seed of the orders.
    """

    orders: int = 10
    identify: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.orders < 1 or self.seed < 0:
            raise ValueError("orders must be at least 1, seed at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None or not request.prompts:
        return ()
    return prompt_texts(request.dataset.classes, request.prompts[0])


@probe(
    version=1,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("full_list_accuracy", "accuracy_drop"),
)
def class_count(inputs: ProbeInput[Settings]) -> Answer:
    """How much accuracy is lost as the class list gets longer?

    Random class lists of 2, 5, 10, … classes, each contained in the longer ones: top-1 accuracy of the pictures of these classes.
    """
    classes = known_classes(inputs)
    _refuse_identities(inputs)
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    lengths = list_lengths(len(classes))
    if len(lengths) < 2 or not len(rows):
        raise NotApplicable("the class list is too short, or no picture has a label")
    place, first = _first_errors(inputs, rows, truth[rows])
    _, units = np.unique(inputs.clusters[rows], return_inverse=True)
    shares = {k: share for k in lengths if (share := _accuracy(place, first, units, k)) is not None}
    if len(shares) < 2:
        raise NotApplicable(f"only one length of the class list has {LEAST} pictures")
    under: dict[str, object] = {"prompts": inputs.prompts[0].name}
    # n counts pictures, not their appearances in several lists.
    findings = [share_finding("accuracy", share, {"classes": k, **under}, n=share.units) for k, share in shares.items()]
    shortest, full = shares[min(shares)], shares[max(shares)]
    drop = difference_finding("accuracy_drop", shortest, full, under, n=full.units)
    full_list = share_finding("full_list_accuracy", full, under, n=full.units)
    return Answer([full_list, drop, *findings], [_exhibit(findings)])


def _refuse_identities(inputs: ProbeInput[Settings]) -> None:
    """Stop where an attribute, or the column of the label itself, identifies people."""
    columns = inputs.dataset.reader.get("columns")
    label = str(columns.get("label", "")) if isinstance(columns, dict) else ""
    column = next((name for name in IDENTITIES if inputs.dataset.has(f"attr.{name}") or label.lower() == name), None)
    if column is not None and not inputs.settings.identify:
        raise NotApplicable(f"the dataset identifies people (column {column}); set class_count.identify to classify by identity")


def _first_errors(inputs: ProbeInput[Settings], rows: Indices, truth: Indices) -> tuple[Indices, Indices]:
    """For each order and picture: the place of its class, and the first place of a class with a higher score."""
    classifier = build_classifier(known_classes(inputs), inputs.prompts[0], inputs.texts)
    orders = class_orders(len(classifier.vectors), inputs.settings.orders, seed=inputs.settings.seed)
    found = [
        first_rivals(inputs.images[rows[part]] @ classifier.vectors.T, truth[part], orders) for part in blocks(len(rows), 1024)
    ]
    place, first = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    return place, first


def _accuracy(place: Indices, first: Indices, units: Indices, k: int) -> ClusteredShare | None:
    """The accuracy with the first k classes, over all orders. Appearances of one picture form a cluster."""
    listed = place < k
    if listed.sum(axis=1).min() < 1 or listed.any(axis=0).sum() < LEAST:
        return None
    order, row = np.nonzero(listed)
    return clustered_share((first >= k)[listed], units[row], groups=order)


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
