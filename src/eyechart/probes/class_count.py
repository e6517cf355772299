"""Class count: accuracy as the list of classes grows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.metrics.classification.class_count import blocks, class_orders, first_rivals, list_lengths
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.classifier import build_classifier, class_prompts, known_classes

LEAST = 20  # pictures that a list needs
IDENTITIES = ("identity", "person_name", "celebrity")  # columns that say who somebody is


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
    """`orders`: random orders of the classes, over which each length is averaged. `identify`: ask even where the classes are
    names of people; nobody is recognised unless this is said."""

    orders: int = 10
    identify: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.orders < 1 or self.seed < 0:
            raise ValueError("orders is a whole number from 1 up, seed from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None or not request.prompts:
        return ()
    return [text for of_class in class_prompts(request.dataset.classes, request.prompts[0]) for text in of_class]


@probe(
    version=1,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("full_list_accuracy", "accuracy_drop"),
)
def class_count(inputs: ProbeInput[Settings]) -> Answer:
    """How much accuracy is lost as the list of classes grows?

    Random lists of 2, 5, 10, … classes, each within the longer ones: top-1 accuracy of the pictures whose class is in the list.
    """
    classes = known_classes(inputs)
    _refuse_identities(inputs)
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    lengths = list_lengths(len(classes))
    if len(lengths) < 2 or not len(rows):
        raise NotApplicable("the list has too few classes to grow, or no picture has a label")
    place, first = _places(inputs, rows, truth[rows])
    _, units = np.unique(inputs.clusters[rows], return_inverse=True)
    shares = {k: share for k in lengths if (share := _accuracy(place, first, units, k)) is not None}
    if len(shares) < 2:
        raise NotApplicable(f"fewer than {LEAST} pictures are in all but one of the lists")
    under: dict[str, object] = {"prompts": inputs.prompts[0].name}
    findings = [_finding("accuracy", share, {"classes": k, **under}) for k, share in shares.items()]
    shortest, whole = shares[min(shares)], shares[max(shares)]
    low, high = share_difference(shortest, whole)
    lost = Finding(
        metric="accuracy_drop",
        value=shortest.value - whole.value,
        n=whole.units,
        low=low,
        high=high,
        slice=under,
        interval=HOW_TWO,
    )
    return Answer([_finding("full_list_accuracy", whole, under), lost, *findings], [_exhibit(findings)])


def _refuse_identities(inputs: ProbeInput[Settings]) -> None:
    """A column beside the label may say who people are, or the label itself may have been such a column."""
    columns = inputs.dataset.reader.get("columns")
    label = str(columns.get("label", "")) if isinstance(columns, dict) else ""
    told = next((name for name in IDENTITIES if inputs.dataset.has(f"attr.{name}") or label.lower() == name), None)
    if told is not None and not inputs.settings.identify:
        raise NotApplicable(f"the dataset says who people are (column {told}); set class_count.identify to ask for names")


def _places(inputs: ProbeInput[Settings], rows: Indices, truth: Indices) -> tuple[Indices, Indices]:
    classifier = build_classifier(known_classes(inputs), inputs.prompts[0], inputs.texts)
    orders = class_orders(len(classifier.vectors), inputs.settings.orders, seed=inputs.settings.seed)
    found = [
        first_rivals(inputs.images[rows[part]] @ classifier.vectors.T, truth[part], orders) for part in blocks(len(rows), 1024)
    ]
    place, first = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    return place, first


def _accuracy(place: Indices, first: Indices, units: Indices, k: int) -> ClusteredShare | None:
    """Over all orders; a picture that is in several of the lists is one picture."""
    listed = place < k
    if listed.sum(axis=1).min() < 1 or listed.any(axis=0).sum() < LEAST:
        return None
    order, row = np.nonzero(listed)
    return clustered_share((first >= k)[listed], units[row], groups=order)


def _finding(metric: str, share: ClusteredShare, where: dict[str, object]) -> Finding:
    return Finding(
        metric=metric,
        value=share.value,
        n=share.units,
        low=share.estimate.low,
        high=share.estimate.high,
        slice=where,
        interval=HOW,
    )


def _exhibit(findings: Sequence[Finding]) -> Exhibit:
    table = pa.table(
        {
            "classes": [int(str(f.slice["classes"])) for f in findings],
            "accuracy": [f.value for f in findings],
            "low": [f.low for f in findings],
            "high": [f.high for f in findings],
            "pictures": [f.n for f in findings],
            "guessing": [1 / int(str(f.slice["classes"])) for f in findings],
        }
    )
    first, last = findings[0], findings[-1]
    sentence = (
        f"{first.value:.1%} of pictures are named rightly among {first.slice['classes']} classes,"
        f" and {last.value:.1%} among {last.slice['classes']}; a figure without the length of its list says little."
    )
    chart = charts.line_with_band(
        x="classes",
        y="accuracy",
        low="low",
        high="high",
        x_title="classes in the list",
        y_title="top-1 accuracy",
        x_unit="count",
        log=True,
    )
    return Exhibit("growth", "Accuracy as the list grows", sentence, table, chart=chart)
