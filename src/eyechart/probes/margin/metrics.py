"""The metrics of the probe `margin`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="class_margin", title="matching margin of a class", unit="cosine"),
    Metric(name="margin_overlap", title="k worst classes among the k lowest margins, without labels", chance="overlap_chance"),
    Metric(
        name="margin_rank_correlation",
        title="rank correlation of margin and accuracy over classes, without labels",
        unit="number",
    ),
    Metric(name="overlap", title="k worst classes among the k lowest values of a signal"),
    Metric(name="overlap_chance", title="k worst classes among k random classes (chance)", higher_is_better=None),
    Metric(
        name="pseudo_label_gain",
        title="rank correlation with pseudo-labels minus that with true labels",
        unit="number",
        difference=True,
    ),
    Metric(name="pseudo_label_accuracy", title="pseudo-labels that are correct"),
    Metric(name="rank_correlation", title="rank correlation of a signal and accuracy over classes", unit="number"),
    Metric(name="rank_gain", title="rank correlation of the margin minus that of another signal", unit="number", difference=True),
)
