"""The metrics of the probe `matching`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="large_first_preferred", title="captions preferred with the large object named first", higher_is_better=None),
    Metric(
        name="order_effect", title="effect of naming the large object first on accuracy", difference=True, higher_is_better=None
    ),
    Metric(name="trial_accuracy", title="true caption preferred, by kind of trial"),
    Metric(name="scenario_1", title="accuracy with the large object named first (ITM scenario 1)"),
    Metric(
        name="scenario_2",
        title="accuracy with the large object named last in the true and first in the false caption (ITM scenario 2)",
    ),
    Metric(
        name="scenario_drop", title="accuracy lost from scenario 1 to scenario 2 (ITM)", difference=True, higher_is_better=None
    ),
    Metric(name="file_drop", title="accuracy lost from the first scenario of the file", difference=True, higher_is_better=None),
)
