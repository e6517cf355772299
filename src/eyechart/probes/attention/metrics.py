"""The metrics of the probe `attention`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="object_area", title="area of an object", higher_is_better=None),
    Metric(name="object_attention", title="attention on an object", higher_is_better=None),
    Metric(name="background_attention", title="attention on the background", higher_is_better=None),
    Metric(name="attention_density", title="attention per area", unit="number", higher_is_better=None),
    Metric(
        name="attention_density_difference",
        title="attention per area, largest object minus the others",
        unit="number",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="large_object_attention", title="attention on the largest object", higher_is_better=None),
    Metric(
        name="large_object_density_difference",
        title="attention per area, largest object minus the others",
        unit="number",
        difference=True,
        higher_is_better=None,
    ),
)
