"""The metrics of the probe `class_change`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="accuracy_change", title="change of accuracy by the new class list", difference=True),
    Metric(name="harm_rate", title="pictures predicted as harmful classes", higher_is_better=False),
    Metric(name="group_harm_rate", title="pictures of a group predicted as any harmful class", higher_is_better=False),
    Metric(
        name="harm_rate_change",
        title="change of harmful predictions by the new class list",
        difference=True,
        higher_is_better=False,
    ),
    Metric(name="changed_predictions", title="predictions that change with the class list", higher_is_better=None),
    Metric(
        name="group_harm_rate_change", title="change of harmful predictions in a group", difference=True, higher_is_better=False
    ),
    Metric(
        name="suggested_accuracy_change", title="change of accuracy by the suggested class, on held-out pictures", difference=True
    ),
    Metric(
        name="suggested_harm_rate_change",
        title="change of harmful predictions by the suggested class, on held-out pictures",
        difference=True,
        higher_is_better=False,
    ),
)
