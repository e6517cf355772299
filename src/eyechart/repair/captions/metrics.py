"""The metrics of a caption repair, measured on the held-out half unless the title says otherwise."""

from eyechart.findings.metric import Metric
from eyechart.repair.metrics import with_changes

# What a way of writing captions can be chosen for → the metric that measures it.
OF_PURPOSE = {"matching": "matching_accuracy", "retrieval": "retrieval_recall"}
CAPTION_METRICS = (
    *with_changes(
        Metric(name="matching_accuracy", title="true caption preferred to the false one"),
        Metric(name="retrieval_recall", title="retrieval recall"),
    ),
    Metric(name="selection_half_gain", title="gain over the original captions, on the selection half", difference=True),
)
