"""The metrics of the probe `retrieval`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="text_to_image_r{k}", title="text-to-image R@{k}", chance="text_to_image_r{k}_chance", rows="missed"),
    Metric(name="text_to_image_r{k}_chance", title="text-to-image R@{k} by chance", higher_is_better=None),
    Metric(name="text_to_image_r1_gap", title="text-to-image R@1 of a part minus all queries", difference=True),
    Metric(name="text_to_image_median_rank", title="text-to-image median rank", unit="rank", higher_is_better=False),
    Metric(name="image_to_text_r{k}", title="image-to-text R@{k}", chance="image_to_text_r{k}_chance", rows="missed"),
    Metric(name="image_to_text_r{k}_chance", title="image-to-text R@{k} by chance", higher_is_better=None),
    Metric(name="image_to_text_r1_gap", title="image-to-text R@1 of a part minus all queries", difference=True),
    Metric(name="image_to_text_median_rank", title="image-to-text median rank", unit="rank", higher_is_better=False),
)
