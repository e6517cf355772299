"""The metrics of the probe `progression`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="first_object_lead",
        title="first-object share minus the mean of later objects (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="first_object_lead_change",
        title="change of the first-object lead during training (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="first_object_lead_per_doubling",
        title="change of the first-object lead per doubling of the samples seen (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="first_object_share", title="first-object share (TOR)", higher_is_better=None),
    Metric(
        name="first_object_share_change",
        title="change of the first-object share during training (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="first_object_share_per_doubling",
        title="change of the first-object share per doubling of the samples seen (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="measure", title="a measure of the settings at a checkpoint", higher_is_better=None),
    Metric(name="measure_change", title="change of a measure during training", difference=True, higher_is_better=None),
    Metric(
        name="measure_per_doubling",
        title="change of a measure per doubling of the samples seen",
        difference=True,
        higher_is_better=None,
    ),
)
