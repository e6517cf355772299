"""The metrics of the probe `correspondence`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="keypoint_recall_{k}px", title="keypoint recall within {k} px", chance="keypoint_recall_{k}px_chance"),
    Metric(name="keypoint_recall_{k}px_chance", title="keypoint recall within {k} px by chance", higher_is_better=None),
    Metric(
        name="keypoint_recall_{k}px_upper_bound",
        title="keypoint recall within {k} px that the patch grid allows",
        higher_is_better=None,
    ),
    Metric(
        name="keypoint_recall_{k}px_drop",
        title="keypoint recall within {k} px, smallest viewpoint change minus this one",
        difference=True,
        higher_is_better=False,
    ),
    Metric(name="dense_recall_{k}cm", title="patches of the object matched within {k} cm", chance="dense_recall_{k}cm_chance"),
    Metric(
        name="dense_recall_{k}cm_chance", title="patches of the object matched within {k} cm by chance", higher_is_better=None
    ),
    Metric(
        name="dense_recall_{k}cm_upper_bound",
        title="patches of the object matched within {k} cm that the patch grid allows",
        higher_is_better=None,
    ),
    Metric(name="pck{k}", title="PCK (keypoints within {k}% of the object box)"),
)
