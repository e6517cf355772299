"""The metrics of the probe `large_object_classifier`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="large_object_accuracy_lead",
        title="large-object accuracy minus the mean of smaller objects (IOC)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_accuracy", title="large-object accuracy of a linear classifier (IOC)", chance="chance"),
    Metric(
        name="size_lead",
        title="accuracy for the largest object minus the mean of smaller ones, by number of objects (IOC)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="object_accuracy", title="accuracy of a linear classifier for one size rank or place (IOC)"),
    Metric(name="chance", title="chance accuracy", higher_is_better=None),
)
