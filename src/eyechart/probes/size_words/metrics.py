"""The metrics of the probe `size_words`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="large_object_first_lead",
        title="large-object share minus small-object share, first position (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_first_share", title="large-object share, first position (TOR)", higher_is_better=None),
    Metric(
        name="large_object_lead",
        title="large-object share minus small-object share at a position (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_share", title="large-object share at a position (TOR)", higher_is_better=None),
    Metric(name="small_object_share", title="small-object share at a position (TOR)", higher_is_better=None),
)
