"""The metrics of the probe `attention`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="object_area", title="area of an object, as a share of the model's crop", higher_is_better=None),
    Metric(name="object_attention", title="class-token attention on an object", higher_is_better=None),
    Metric(name="background_attention", title="class-token attention on the background", higher_is_better=None),
    Metric(
        name="attention_density",
        title="attention per area of an object (picture average = 1)",
        unit="number",
        higher_is_better=None,
    ),
    # Both are ratios, in spite of their ids: 1 where the largest object gets no more per area than the others.
    Metric(
        name="attention_density_ratio",
        title="attention per area, largest object relative to the others, by number of objects, block or head (ratio)",
        unit="number",
        higher_is_better=None,
    ),
    Metric(name="large_object_attention", title="class-token attention on the largest object", higher_is_better=None),
    Metric(
        name="large_object_density_ratio",
        title="attention per area, largest object relative to the others (ratio)",
        unit="number",
        higher_is_better=None,
    ),
)
