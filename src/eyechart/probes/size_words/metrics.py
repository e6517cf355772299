"""The metrics of the probe `size_words`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="large_object_first_lead",
        title="large-object names minus small-object names, named first",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_first_share", title="large-object names retrieved best, named first", higher_is_better=None),
    Metric(
        name="large_object_lead",
        title="large-object names minus small-object names at a position",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_share", title="large-object names retrieved best at a position", higher_is_better=None),
    Metric(name="small_object_share", title="small-object names retrieved best at a position", higher_is_better=None),
)
