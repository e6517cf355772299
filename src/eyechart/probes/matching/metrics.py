"""The metrics of the probe `matching`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="large_first_preferred",
        title="true captions preferred with the large object named first rather than last",
        higher_is_better=None,
    ),
    Metric(
        name="order_effect", title="effect of naming the large object first on accuracy", difference=True, higher_is_better=None
    ),
    Metric(name="trial_accuracy", title="true caption preferred, by kind of trial", rows="missed"),
    Metric(name="scenario_1", title="image–text matching accuracy, large object named first (ITM scenario 1)", rows="missed"),
    Metric(
        name="scenario_2",
        title="image–text matching accuracy, large object last in the true and first in the false caption (ITM scenario 2)",
        rows="missed",
    ),
    Metric(
        name="scenario_drop",
        title="accuracy of ITM scenario 1 minus that of scenario 2",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="file_drop",
        title="accuracy of the file's first scenario minus that of another",
        difference=True,
        higher_is_better=None,
    ),
)
