"""The metrics of the probe `large_object_classifier`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="large_object_accuracy_lead",
        title="large-object accuracy minus the mean of the others (IOC)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_accuracy", title="large-object accuracy of a linear classifier (IOC)"),
    Metric(
        name="size_lead",
        title="accuracy for the largest object minus the mean of the others (IOC)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="object_accuracy", title="accuracy of a linear classifier for an object (IOC)"),
    Metric(name="chance", title="chance accuracy", higher_is_better=None),
)
